/** A display template: text with fields in it, which are put in by choosing them. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import type { Field } from '../data/schema-types.ts';
import { AddMenu } from '../shell/add-menu.tsx';
import { fieldName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';

export interface TemplateEditorProps {
  readonly fields: readonly Field[];
  readonly value: unknown;
  readonly onChange: (value: string | null) => void;
}

export function TemplateEditor({ fields, value, onChange }: TemplateEditorProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const text = typeof value === 'string' ? value : '';
  const insert = (name: string) => {
    onChange(`${text}${text === '' || text.endsWith(' ') ? '' : ' '}{{${name}}}`);
  };
  return (
    <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <TextField
        label={translate('model.member.display_template')}
        value={text}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        helperText={translate('model.help.display_template')}
      />
      <AddMenu
        text="model.insertField"
        icon="add"
        asks
        targets={fields
          .filter(({ type }) => type !== 'alias')
          .map((field) => ({ name: field.field, label: fieldName(field, locale) }))}
        onChoose={insert}
      />
    </Box>
  );
}
