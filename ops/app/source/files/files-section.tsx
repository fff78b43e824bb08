/** The section of files, with the tree of folders as its menu. */

import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { SectionMenu } from '../shell/section-menu.tsx';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { folderTree } from './folder-tree.ts';
import { FOLDERS, foldersQuery, LIBRARY, NO_FOLDER, placePath } from './library-query.ts';

interface PlaceProps {
  readonly folder: string | null;
  readonly text: string;
  readonly icon: IconName;
  readonly depth?: number;
}

function Place({ folder, text, icon, depth = 0 }: PlaceProps) {
  const { pathname, search } = useLocation();
  const isHere = pathname === LIBRARY && new URLSearchParams(search).get('folder') === folder;
  return (
    <ListItem disablePadding>
      <ListItemButton
        component={Link}
        to={placePath(folder)}
        aria-current={isHere ? 'page' : undefined}
        style={{ paddingInlineStart: 16 + 16 * depth }}
        sx={{ borderRadius: 2, '&[aria-current=page]': { bgcolor: 'action.selected' } }}
      >
        <ListItemIcon sx={{ minWidth: 34 }}>
          <Icon name={isHere && icon === 'folder' ? 'folder_open' : icon} fontSize="small" />
        </ListItemIcon>
        <ListItemText primary={text} slotProps={{ primary: { noWrap: true, title: text } }} />
      </ListItemButton>
    </ListItem>
  );
}

function FolderMenu() {
  const translate = useTranslate();
  const isReadable = may(useRights(), FOLDERS, 'read');
  const folders = useQuery({ ...foldersQuery, enabled: isReadable }).data ?? [];
  return (
    <Box sx={{ width: 256, maxWidth: 'calc(90vw - 80px)', overflowY: 'auto' }}>
      <Typography variant="h2" component="h2" sx={{ px: 2, pt: 2.5, pb: 1 }}>
        {translate('files.title')}
      </Typography>
      <List dense disablePadding sx={{ px: 1, pb: 2 }}>
        <Place folder={null} text={translate('files.all')} icon="image" />
        {isReadable && (
          <Place folder={NO_FOLDER} text={translate('files.noFolder')} icon="inventory_2" />
        )}
        {folderTree(folders).map(({ folder, depth }) => (
          <Place
            key={folder.id}
            folder={folder.id}
            text={folder.name}
            icon="folder"
            depth={depth}
          />
        ))}
      </List>
    </Box>
  );
}

export function Component() {
  return (
    <>
      <SectionMenu>
        <FolderMenu />
      </SectionMenu>
      <Outlet />
    </>
  );
}
