/** A part of a screen or a form: a heading, a sentence about it, and what is in it. */
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

export interface PartProps {
  readonly title: string;
  readonly help?: string;
  readonly children: ReactNode;
}

export function Part({ title, help, children }: PartProps) {
  const id = useId();
  return (
    <Paper
      component="section"
      aria-labelledby={id}
      variant="outlined"
      sx={{ p: { xs: 2, md: 2.5 }, display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}
    >
      <Box>
        <Typography id={id} variant="h2">
          {title}
        </Typography>
        {help !== undefined && (
          <Typography variant="body2" color="textSecondary">
            {help}
          </Typography>
        )}
      </Box>
      {children}
    </Paper>
  );
}

/** The place of a form, or of a short list: not wider than is good to read, so that pages end alike. */
export const FORM = {
  p: { xs: 1.5, md: 3 },
  display: 'grid',
  gap: 2,
  maxWidth: 920,
} as const;
