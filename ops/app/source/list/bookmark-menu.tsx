/** Views of a list that are kept under a name (`system_presets`): one's own, and those of everybody. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useId, useState } from 'react';
import { useIsAdministrator } from '../data/queries.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { useMenu } from '../shell/use-menu.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { BookmarkDialog } from './bookmark-dialog.tsx';
import type { ListState } from './list-state.ts';
import { type Bookmark, useBookmarks } from './use-bookmarks.ts';

export interface BookmarkMenuProps {
  readonly collection: string;
  readonly state: ListState;
  readonly change: (changes: Partial<ListState>) => void;
}

/** A name may be longer than a phone is wide. */
const WRAPPED = { whiteSpace: 'normal', overflowWrap: 'anywhere' } as const;

/** What is asked for in a dialog, and of which bookmark. */
interface Asked {
  readonly what: 'rename' | 'delete';
  readonly of: Bookmark;
}

export function BookmarkMenu({ collection, state, change }: BookmarkMenuProps) {
  const translate = useTranslate();
  const opener = useId();
  const administrator = useIsAdministrator();
  const { bookmarks, save, update, rename, remove, mayChange } = useBookmarks(collection);
  const { anchor, open, close, choose } = useMenu();
  const [isSaving, setSaving] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  // What a question is about stands there until it has faded.
  const [doomed, setDoomed] = useState<Bookmark | null>(null);
  const chosen = bookmarks.find(({ id }) => String(id) === state.bookmark);
  const leave = () => {
    setAsked(null);
    setSaving(false);
  };
  const ask = (what: Asked['what'], of: Bookmark) => {
    for (const mutation of [rename, remove]) mutation.reset();
    if (what === 'delete') setDoomed(of);
    setAsked({ what, of });
  };
  const keep = ({ id, name }: Bookmark) => {
    update.mutate(
      { id, state },
      {
        onSuccess: () => notify('list.bookmarkUpdated', { messageArgs: { name }, type: 'success' }),
        onError: (error) => notifyFailure(error, translate),
      },
    );
  };
  const entry = (icon: IconName, text: string, onClick: () => void) => (
    <MenuItem key={icon} sx={WRAPPED} onClick={() => choose(onClick)}>
      <ListItemIcon>
        <Icon name={icon} fontSize="small" />
      </ListItemIcon>
      {text}
    </MenuItem>
  );
  return (
    <>
      <Button
        id={opener}
        color="inherit"
        startIcon={<Icon name={chosen === undefined ? 'bookmark_add' : 'bookmark'} />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={open}
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
        slotProps={{
          list: { 'aria-labelledby': opener },
          paper: { sx: { maxWidth: 'min(32rem, 90vw)' } },
        }}
      >
        {bookmarks.length === 0 && <MenuItem disabled>{translate('list.noBookmarks')}</MenuItem>}
        {bookmarks.map((bookmark) => (
          <MenuItem
            key={bookmark.id}
            sx={WRAPPED}
            selected={bookmark.id === chosen?.id}
            onClick={() => choose(() => change(bookmark.state))}
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
        {entry('add', translate('list.saveBookmark'), () => {
          save.reset();
          setSaving(true);
        })}
        {chosen !== undefined &&
          mayChange(chosen) && [
            entry('save', translate('list.updateBookmark', { name: chosen.name }), () =>
              keep(chosen),
            ),
            entry('edit', translate('list.renameBookmark', { name: chosen.name }), () =>
              ask('rename', chosen),
            ),
            entry('delete', translate('list.deleteBookmark', { name: chosen.name }), () =>
              ask('delete', chosen),
            ),
          ]}
      </Menu>
      {isSaving && (
        <BookmarkDialog
          title={translate('list.saveBookmark')}
          name={null}
          mayShare={administrator}
          busy={save.isPending}
          error={save.error}
          onClose={leave}
          onSave={(name, forAll) =>
            save.mutate(
              { name, forAll, state },
              {
                onSuccess: (id) => {
                  leave();
                  if (id !== null) change({ bookmark: id, page: state.page });
                },
              },
            )
          }
        />
      )}
      {asked?.what === 'rename' && (
        <BookmarkDialog
          title={translate('list.renameTitle')}
          name={asked.of.name}
          mayShare={false}
          busy={rename.isPending}
          error={rename.error}
          onClose={leave}
          onSave={(name) => rename.mutate({ id: asked.of.id, name }, { onSuccess: leave })}
        />
      )}
      <ConfirmDialog
        open={asked?.what === 'delete'}
        title={translate('list.deleteBookmarkTitle', { name: doomed?.name ?? '' })}
        confirm={translate('shell.delete')}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => {
          if (doomed === null) return;
          remove.mutate(doomed.id, {
            onSuccess: () => {
              leave();
              if (state.bookmark === String(doomed.id)) change({ bookmark: null });
            },
          });
        }}
        onClose={leave}
      >
        {translate(doomed?.shared ? 'list.deleteSharedText' : 'list.deleteBookmarkText')}
      </ConfirmDialog>
    </>
  );
}
