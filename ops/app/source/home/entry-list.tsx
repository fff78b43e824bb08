/** A list of links on the home, each with an icon and what stands beside it. */
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';

export interface Entry {
  readonly to: string;
  readonly title: string;
  readonly icon: ReactNode;
  readonly beside?: ReactNode;
}

export function EntryList({ entries }: { readonly entries: readonly Entry[] }) {
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0, mx: -1 }}>
      {entries.map(({ to, title, icon, beside }) => (
        <Box component="li" key={to} sx={{ display: 'flex', alignItems: 'center' }}>
          <Box
            component={Link}
            to={to}
            sx={{
              ...{ display: 'flex', alignItems: 'center', gap: 1.25, flex: 1, minWidth: 0 },
              ...{ px: 1, py: 0.75, borderRadius: 1 },
              ...{ color: 'text.primary', fontSize: '0.875rem', textDecoration: 'none' },
              '& svg': { fontSize: 20, flexShrink: 0, color: 'text.secondary' },
              '&:hover': { bgcolor: 'action.hover' },
            }}
          >
            {icon}
            <Box
              component="span"
              sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
            >
              {title}
            </Box>
          </Box>
          {beside}
        </Box>
      ))}
    </Box>
  );
}
