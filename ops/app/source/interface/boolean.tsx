/** A switch for yes and no. */
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Switch from '@mui/material/Switch';
import { useId } from 'react';
import { textOption } from '../data/values.ts';
import type { InterfaceProps } from './interface.ts';

export function BooleanInterface({
  field,
  label,
  value,
  onChange,
  readOnly,
  error,
}: InterfaceProps) {
  const id = useId();
  const note = error ?? field.meta?.note;
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
      {note && <FormHelperText id={id}>{note}</FormHelperText>}
    </FormControl>
  );
}
