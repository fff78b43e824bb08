/** A choice of some values by the list of the browser; its options are what stands in it. */
import TextField, { type TextFieldProps } from '@mui/material/TextField';

const SLOTS = { select: { native: true }, inputLabel: { shrink: true } };

export function NativeSelect(props: Omit<TextFieldProps, 'select' | 'slotProps'>) {
  return <TextField {...props} select slotProps={SLOTS} />;
}
