/** A display template: text with fields in it, which are put in by choosing them. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import { useLocaleState, useTranslate } from 'ra-core';
import type { Field } from '../data/schema-types.ts';
import { fieldName } from '../translation/names.ts';
import { TWO_COLUMNS } from './control.tsx';

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
    if (name === '') return;
    onChange(`${text}${text === '' || text.endsWith(' ') ? '' : ' '}{{${name}}}`);
  };
  return (
    <Box sx={TWO_COLUMNS}>
      <TextField
        label={translate('model.member.display_template')}
        value={text}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        helperText={translate('model.help.display_template')}
      />
      <TextField
        select
        label={translate('model.insertField')}
        value=""
        onChange={({ target }) => insert(target.value)}
        slotProps={{ select: { native: true }, inputLabel: { shrink: true } }}
      >
        <option value="">{translate('model.chooseField')}</option>
        {fields
          .filter(({ type }) => type !== 'alias')
          .map((field) => (
            <option key={field.field} value={field.field}>
              {fieldName(field, locale)}
            </option>
          ))}
      </TextField>
    </Box>
  );
}
