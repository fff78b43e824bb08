/** What a place says that has nothing to show: why, and what helps. */
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';

export interface MessageProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  /** Buttons of what helps. */
  readonly actions?: ReactNode;
}

export function Message({ icon, title, children, actions }: MessageProps) {
  return (
    <Box
      sx={{
        display: 'flex',
        flexDirection: 'column',
        alignItems: 'center',
        gap: 1,
        px: 3,
        py: 8,
        maxWidth: 520,
        mx: 'auto',
        textAlign: 'center',
      }}
    >
      <Icon name={icon} sx={{ fontSize: 40, color: 'text.secondary', mb: 1 }} />
      <Typography variant="h2" component="p">
        {title}
      </Typography>
      {children !== undefined && (
        <Typography component="div" color="textSecondary">
          {children}
        </Typography>
      )}
      {actions !== undefined && <Box sx={{ mt: 2, display: 'flex', gap: 1 }}>{actions}</Box>}
    </Box>
  );
}
