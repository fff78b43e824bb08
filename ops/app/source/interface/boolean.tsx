/** A switch for yes and no. */
import Button from '@mui/material/Button';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Switch from '@mui/material/Switch';
import { useId } from 'react';
import { textOption } from '../data/values.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { InterfaceProps } from './interface.ts';
import { noteOf } from './note.ts';

export function BooleanInterface({
  field,
  label,
  value,
  onChange,
  readOnly,
  required,
  error,
}: InterfaceProps) {
  const id = useId();
  const note = error ?? noteOf(field);
  const translate = useTranslate();
  const mayBeNull = field.schema?.is_nullable === true && !required && !readOnly;
  const own = textOption(field.meta?.options, 'label');
  return (
    <FormControl error={error !== null} disabled={readOnly}>
      <FormControlLabel
        control={
          <Switch
            checked={value === true}
            onChange={(_, checked) => onChange(checked)}
            slotProps={{ input: { 'aria-describedby': note ? id : undefined } }}
          />
        }
        label={own === null ? label : `${label}: ${own}`}
      />
      {value === null && (
        <FormHelperText sx={{ fontStyle: 'italic' }}>{translate('list.noValue')}</FormHelperText>
      )}
      {typeof value === 'boolean' && mayBeNull && (
        <Button
          size="small"
          color="inherit"
          aria-label={translate('interface.clearOf', { name: label })}
          onClick={() => onChange(null)}
          sx={{ alignSelf: 'flex-start', fontWeight: 400, py: 0 }}
        >
          {translate('interface.setNull')}
        </Button>
      )}
      {note && <FormHelperText id={id}>{note}</FormHelperText>}
    </FormControl>
  );
}
