/** The frame of a control that is more than one input: its name, its note, what is wrong with it. */
import Box from '@mui/material/Box';
import FormHelperText from '@mui/material/FormHelperText';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';
import type { InterfaceProps } from './interface.ts';
import { noteOf } from './note.ts';

export interface ControlFrameProps
  extends Pick<InterfaceProps, 'label' | 'error' | 'required' | 'field'> {
  readonly children: ReactNode;
  /** Buttons beside the name. */
  readonly actions?: ReactNode;
}

export function ControlFrame({
  label,
  error,
  required,
  field,
  children,
  actions,
}: ControlFrameProps) {
  const id = useId();
  const help = error ?? noteOf(field);
  return (
    <Box
      role="group"
      aria-labelledby={`${id}-name`}
      aria-describedby={help ? `${id}-help` : undefined}
    >
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          flexWrap: 'wrap',
          gap: 1,
          mb: 0.75,
          minHeight: 30,
        }}
      >
        <Typography
          id={`${id}-name`}
          component="div"
          sx={{ fontSize: 13, fontWeight: 600, flex: '1 0 auto', maxWidth: '100%' }}
          color={error === null ? 'text.secondary' : 'error'}
        >
          {label}
          {required && <span aria-hidden> *</span>}
        </Typography>
        {actions}
      </Box>
      {children}
      {help && (
        <FormHelperText id={`${id}-help`} error={error !== null}>
          {help}
        </FormHelperText>
      )}
    </Box>
  );
}
