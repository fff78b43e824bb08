/** Views of a list that are kept under a name (`system_presets`): one's own, and those of everybody. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useTranslate } from 'ra-core';
import { type FormEvent, useId, useState } from 'react';
import { useIsAdministrator } from '../data/queries.ts';
import { Icon } from '../theme/icon.tsx';
import type { ListState } from './list-state.ts';
import { type Bookmark, useBookmarks } from './use-bookmarks.ts';

export interface BookmarkMenuProps {
  readonly collection: string;
  readonly state: ListState;
  readonly change: (changes: Partial<ListState>) => void;
}

function SaveDialog({
  onSave,
  onClose,
  busy,
}: {
  readonly onSave: (name: string, forAll: boolean) => void;
  readonly onClose: () => void;
  readonly busy: boolean;
}) {
  const translate = useTranslate();
  const title = useId();
  const administrator = useIsAdministrator();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    onSave(String(values.get('name') ?? '').trim(), values.get('forAll') !== null);
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={title} fullWidth maxWidth="xs">
      <form onSubmit={submit}>
        <DialogTitle id={title}>{translate('list.saveBookmark')}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 1 }}>
          <TextField
            name="name"
            label={translate('list.bookmarkName')}
            helperText={translate('list.bookmarkHelp')}
            required
            autoFocus
            margin="dense"
            slotProps={{ htmlInput: { maxLength: 100 } }}
          />
          {administrator && (
            <FormControlLabel
              control={<Checkbox name="forAll" />}
              label={translate('list.bookmarkForAll')}
            />
          )}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate('shell.cancel')}</Button>
          <Button type="submit" variant="contained" loading={busy}>
            {translate('shell.save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function BookmarkMenu({ collection, state, change }: BookmarkMenuProps) {
  const translate = useTranslate();
  const opener = useId();
  const { bookmarks, save, remove, mayDelete } = useBookmarks(collection);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [saving, setSaving] = useState(false);
  const chosen = bookmarks.find(({ id }) => String(id) === state.bookmark);
  const close = () => setAnchor(null);
  const apply = (bookmark: Bookmark) => {
    close();
    change(bookmark.state);
  };
  return (
    <>
      <Button
        id={opener}
        color="inherit"
        startIcon={<Icon name={chosen === undefined ? 'bookmark_add' : 'bookmark'} />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      >
        <Box
          component="span"
          sx={{ maxWidth: 160, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}
        >
          {chosen?.name ?? translate('list.bookmarks')}
        </Box>
      </Button>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{ list: { 'aria-labelledby': opener } }}
      >
        {bookmarks.length === 0 && <MenuItem disabled>{translate('list.noBookmarks')}</MenuItem>}
        {bookmarks.map((bookmark) => (
          <MenuItem
            key={bookmark.id}
            selected={bookmark.id === chosen?.id}
            onClick={() => apply(bookmark)}
          >
            <ListItemIcon>
              <Icon name="bookmark" fontSize="small" />
            </ListItemIcon>
            <ListItemText
              primary={bookmark.name}
              secondary={bookmark.shared ? translate('list.bookmarkShared') : null}
            />
          </MenuItem>
        ))}
        <MenuItem
          divider={bookmarks.length === 0}
          onClick={() => {
            close();
            setSaving(true);
          }}
        >
          <ListItemIcon>
            <Icon name="add" fontSize="small" />
          </ListItemIcon>
          {translate('list.saveBookmark')}
        </MenuItem>
        {chosen !== undefined && mayDelete(chosen) && (
          <MenuItem
            onClick={() => {
              close();
              remove.mutate(chosen.id, { onSuccess: () => change({ bookmark: null }) });
            }}
          >
            <ListItemIcon>
              <Icon name="delete" fontSize="small" />
            </ListItemIcon>
            {translate('list.deleteBookmark', { name: chosen.name })}
          </MenuItem>
        )}
      </Menu>
      {saving && (
        <SaveDialog
          busy={save.isPending}
          onClose={() => setSaving(false)}
          onSave={(name, forAll) =>
            save.mutate(
              { name, forAll, state },
              {
                onSuccess: (id) => {
                  setSaving(false);
                  if (id !== null) change({ bookmark: id, page: state.page });
                },
              },
            )
          }
        />
      )}
    </>
  );
}
