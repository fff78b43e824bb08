/** The text field that interfaces share: name, note, fault, and texts that can only be read. */
import TextField, { type TextFieldProps } from '@mui/material/TextField';
import type { InterfaceProps } from './interface.ts';
import { noteOf } from './note.ts';
import { unreadable } from './unreadable.ts';

export interface FieldTextProps extends Omit<TextFieldProps, 'onChange' | 'value' | 'error'> {
  readonly of: InterfaceProps;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** What is wrong beside what the server says. */
  readonly fault?: string | null;
}

export function FieldText({ of, text, onText, fault = null, slotProps, ...more }: FieldTextProps) {
  const { field, label, readOnly, required, error } = of;
  const wrong = error ?? fault;
  const htmlInput = {
    ...(typeof slotProps?.htmlInput === 'object' && slotProps.htmlInput),
    ...unreadable(fault !== null),
  };
  const input = { readOnly, ...(typeof slotProps?.input === 'object' && slotProps.input) };
  return (
    <TextField
      label={label}
      value={text}
      onChange={({ target }) => onText(target.value)}
      required={required}
      error={wrong !== null}
      helperText={wrong ?? noteOf(field)}
      {...more}
      slotProps={{ ...slotProps, input, htmlInput }}
      sx={{
        ...(readOnly && { '& .MuiInputBase-root': { bgcolor: 'action.hover' } }),
        ...more.sx,
      }}
    />
  );
}
