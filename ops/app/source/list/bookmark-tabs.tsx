/** A tab for each bookmark above a list, and one for all items; changes of the view are saved or reset here. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { Theme } from '@mui/material/styles';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import useMediaQuery from '@mui/material/useMediaQuery';
import { notify, notifyFailure } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { BookmarkMenuProps } from './bookmark-menu.tsx';
import type { ListState } from './list-state.ts';
import { type Bookmark, differs, useBookmarks } from './use-bookmarks.ts';

/** The tab of no bookmark. */
const ALL = '';
/** How many bookmarks have a tab; the menu of bookmarks has all of them. */
const TABS = 8;
const TABS_OF_PHONE = 3;

/** What no bookmark shows. */
const WHOLE: Partial<ListState> = {
  ...{ search: '', filter: null, sort: [], archive: 'active' },
  ...{ bookmark: null, layout: null, options: null, columns: null },
};

/** The bookmarks that have a tab: the first ones, and the chosen one in any case. */
function tabsOf(bookmarks: readonly Bookmark[], chosen: Bookmark | undefined, most: number) {
  const first = bookmarks.slice(0, most);
  return chosen === undefined || first.includes(chosen) ? first : [...first.slice(0, -1), chosen];
}

export function BookmarkTabs({ collection, state, change }: BookmarkMenuProps) {
  const translate = useTranslate();
  const phone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'), { noSsr: true });
  const { bookmarks, update, mayChange } = useBookmarks(collection);
  if (bookmarks.length === 0) return null;
  const chosen = bookmarks.find(({ id }) => String(id) === state.bookmark);
  const shown = tabsOf(bookmarks, chosen, phone ? TABS_OF_PHONE : TABS);
  const isChanged = chosen !== undefined && differs(chosen, state);
  const choose = (value: string) => {
    const bookmark = bookmarks.find(({ id }) => String(id) === value);
    change(bookmark?.state ?? WHOLE);
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
  return (
    <Box
      sx={{
        ...{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 1, mb: 1.5 },
        ...{ borderBottom: 1, borderColor: 'divider' },
      }}
    >
      <Tabs
        value={chosen === undefined ? ALL : String(chosen.id)}
        onChange={(_, value) => choose(String(value))}
        variant="scrollable"
        scrollButtons={false}
        aria-label={translate('list.bookmarks')}
        sx={{ flex: 1, minWidth: 0, minHeight: 40, '& .MuiTab-root': { minHeight: 40, py: 0.5 } }}
      >
        <Tab value={ALL} label={translate('list.all')} />
        {shown.map((bookmark) => (
          <Tab
            key={bookmark.id}
            value={String(bookmark.id)}
            label={bookmark.name}
            // The chosen one brings its view back.
            onClick={() => bookmark === chosen && isChanged && change(bookmark.state)}
            sx={{ maxWidth: 220, overflowWrap: 'anywhere' }}
          />
        ))}
      </Tabs>
      {isChanged && (
        <Box sx={{ display: 'flex', gap: 0.5, py: 0.25 }}>
          {mayChange(chosen) && (
            <Button
              size="small"
              startIcon={<Icon name="save" />}
              loading={update.isPending}
              onClick={() => keep(chosen)}
            >
              {translate('list.saveChanges')}
            </Button>
          )}
          <Button
            size="small"
            color="inherit"
            startIcon={<Icon name="undo" />}
            onClick={() => change(chosen.state)}
          >
            {translate('list.resetChanges')}
          </Button>
        </Box>
      )}
    </Box>
  );
}
