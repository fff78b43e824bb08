/** The menu of a section that has a handful of screens. */
import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { NavLink } from 'react-router-dom';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';

export interface MenuEntry {
  readonly to: string;
  readonly text: string;
  readonly icon: IconName;
}

export interface MenuListProps {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

export function MenuList({ title, entries }: MenuListProps) {
  return (
    <Box sx={{ width: 256, maxWidth: 'calc(90vw - 80px)', overflowY: 'auto' }}>
      <Typography variant="h2" component="h2" sx={{ px: 2, pt: 2.5, pb: 1 }}>
        {title}
      </Typography>
      <List dense disablePadding sx={{ px: 1 }}>
        {entries.map(({ to, text, icon }) => (
          <ListItem key={to} disablePadding>
            <ListItemButton
              component={NavLink}
              to={to}
              sx={{ borderRadius: 2, '&[aria-current=page]': { bgcolor: 'action.selected' } }}
            >
              <ListItemIcon sx={{ minWidth: 34 }}>
                <Icon name={icon} fontSize="small" />
              </ListItemIcon>
              <ListItemText primary={text} />
            </ListItemButton>
          </ListItem>
        ))}
      </List>
    </Box>
  );
}
