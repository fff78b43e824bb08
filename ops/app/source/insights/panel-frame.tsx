/** The head of a panel that is no chart, and the place of what it shows; charts have the same look. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { type ReactNode, useId } from 'react';

export interface PanelFrameProps {
  readonly title: string;
  readonly height: number;
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

export function PanelFrame({ title, height, actions, children }: PanelFrameProps) {
  const id = useId();
  return (
    <Box component="figure" aria-labelledby={id} sx={{ m: 0, minWidth: 0 }}>
      <Box
        component="figcaption"
        sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 36, mb: 0.5 }}
      >
        <Typography id={id} variant="h3" component="span" sx={{ flex: 1, minWidth: 0 }}>
          {title}
        </Typography>
        {actions}
      </Box>
      <Box sx={{ height, minWidth: 0 }}>{children}</Box>
    </Box>
  );
}
