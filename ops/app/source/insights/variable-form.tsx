/** The form of a variable: its name in filters, its kind, and what it begins with. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import type { Item } from '../data/schema-types.ts';
import { textOption } from '../data/values.ts';
import { Choice } from '../shell/choice.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { VARIABLE_KINDS } from './panel-options.ts';
import { VARIABLE_NAME } from './variables.ts';

export interface VariableFormProps {
  readonly options: Item | null;
  readonly onChange: (options: Item) => void;
}

export function VariableForm({ options, onChange }: VariableFormProps) {
  const translate = useTranslate();
  const kind = VARIABLE_KINDS.find((known) => known === options?.kind) ?? 'text';
  const name = textOption(options, 'variable') ?? '';
  const { choices: listed } = options ?? {};
  const [choices, setChoices] = useState(
    Array.isArray(listed) ? listed.map(String).join('\n') : '',
  );
  const change = (changes: Item) => onChange({ ...options, kind, ...changes });
  const isWrong = name !== '' && !VARIABLE_NAME.test(name);
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      <TextField
        label={translate('insights.variable')}
        value={name}
        required
        error={isWrong}
        helperText={translate('insights.variableHelp')}
        onChange={({ target }) => change({ variable: target.value })}
        slotProps={{ htmlInput: { maxLength: 64, dir: 'ltr' } }}
      />
      <Choice
        label={translate('insights.variableKind')}
        value={kind}
        options={VARIABLE_KINDS.map((known) => [known, translate(`insights.variable_${known}`)])}
        onChange={(next) => change({ kind: next })}
      />
      {kind === 'choice' && (
        <TextField
          label={translate('insights.choices')}
          helperText={translate('insights.choicesHelp')}
          value={choices}
          multiline
          minRows={3}
          onChange={({ target }) => {
            setChoices(target.value);
            const lines = target.value.split('\n').map((line) => line.trim());
            change({ choices: lines.filter((line) => line !== '') });
          }}
        />
      )}
      <TextField
        label={translate('insights.otherwise')}
        helperText={translate('insights.otherwiseHelp')}
        type={kind === 'date' ? 'date' : 'text'}
        value={textOption(options, 'otherwise') ?? ''}
        onChange={({ target }) => change({ otherwise: target.value })}
        slotProps={{ inputLabel: { shrink: true } }}
      />
    </Box>
  );
}
