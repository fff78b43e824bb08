/** Whether an import keeps what it changes, so that it can be undone. */
import Checkbox from '@mui/material/Checkbox';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import { useId } from 'react';
import { useTranslate } from '../translation/use-translate.ts';

export interface UndoOptionProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function UndoOption({ checked, onChange }: UndoOptionProps) {
  const translate = useTranslate();
  const id = useId();
  return (
    <FormControl>
      <FormControlLabel
        control={
          <Checkbox
            checked={checked}
            onChange={(_, now) => onChange(now)}
            slotProps={{ input: { 'aria-describedby': id } }}
          />
        }
        label={translate('imports.undo.option')}
        slotProps={{ typography: { variant: 'body2' } }}
      />
      <FormHelperText id={id}>{translate('imports.undo.help')}</FormHelperText>
    </FormControl>
  );
}
