/** What stands above a list: searching, filtering, the archive, columns, bookmarks, and files. */
import Badge from '@mui/material/Badge';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { type ReactNode, useContext, useId, useState } from 'react';
import { Link } from 'react-router-dom';
import { useRights } from '../data/queries.ts';
import { isImportable } from '../data/rights.ts';
import { IMPORTS, importPath } from '../data/route-of.ts';
import type { Collection } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { FilterPanel } from '../filter/filter-panel.tsx';
import { countConditions, readFilter } from '../filter/filter-tree.ts';
import { OfferedSectionsContext } from '../shell/offered-sections.ts';
import { SearchField } from '../shell/search-field.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { archiveValues } from './archive.ts';
import { BookmarkMenu } from './bookmark-menu.tsx';
import { ColumnMenu } from './column-menu.tsx';
import type { Archive, ListState } from './list-state.ts';

export interface ListBarProps {
  readonly collection: Collection;
  readonly possible: readonly Column[];
  readonly columns: readonly Column[];
  readonly state: ListState;
  readonly change: (changes: Partial<ListState>) => void;
  readonly onExport: () => void;
  /** Chooses the view of the collection, where the head of the screen has no room for it. */
  readonly viewSwitch: ReactNode;
}

const ARCHIVES: readonly Archive[] = ['active', 'archived', 'all'];

function ArchiveChoice({ state, change }: Pick<ListBarProps, 'state' | 'change'>) {
  const translate = useTranslate();
  return (
    <TextField
      select
      value={state.archive}
      onChange={({ target }) =>
        change({ archive: ARCHIVES.find((known) => known === target.value) ?? 'active' })
      }
      slotProps={{
        select: { native: true },
        htmlInput: { 'aria-label': translate('list.archiveChoice') },
      }}
      sx={{ width: 'auto', bgcolor: 'background.paper' }}
    >
      {ARCHIVES.map((archive) => (
        <option key={archive} value={archive}>
          {translate(`list.archive_${archive}`)}
        </option>
      ))}
    </TextField>
  );
}

export function ListBar(props: ListBarProps) {
  const { collection, possible, columns, state, change, onExport, viewSwitch } = props;
  const translate = useTranslate();
  const rights = useRights();
  const panel = useId();
  const name = collection.collection;
  const [filtering, setFiltering] = useState(state.filter !== null);
  const count = state.filter === null ? 0 : countConditions(readFilter(state.filter));
  const hasArchive = archiveValues(collection) !== null && collection.meta?.archive_app_filter;
  const offered = useContext(OfferedSectionsContext);
  const imports =
    offered.has(IMPORTS) && isImportable(collection, rights) ? importPath(name) : null;
  return (
    <>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
        <SearchField value={state.search} onChange={(search) => change({ search })} />
        <Badge badgeContent={count} color="primary">
          <Button
            color="inherit"
            startIcon={<Icon name="filter_list" />}
            aria-expanded={filtering}
            aria-controls={panel}
            onClick={() => setFiltering(!filtering)}
          >
            {translate('list.filter')}
          </Button>
        </Badge>
        {hasArchive && <ArchiveChoice state={state} change={change} />}
        {viewSwitch}
        <Box sx={{ flex: 1 }} />
        <Box sx={{ display: 'flex', flexWrap: 'wrap' }}>
          <BookmarkMenu collection={name} state={state} change={change} />
          <ColumnMenu
            possible={possible}
            columns={columns}
            grid={state.grid}
            onChange={(names, grid) => change({ columns: names, grid, page: state.page })}
          />
          <Button color="inherit" startIcon={<Icon name="download" />} onClick={onExport}>
            {translate('list.export')}
          </Button>
          {imports !== null && (
            <Button
              color="inherit"
              startIcon={<Icon name="upload" />}
              component={Link}
              to={imports}
            >
              {translate('list.import')}
            </Button>
          )}
        </Box>
      </Box>
      {filtering && (
        <FilterPanel
          id={panel}
          collection={name}
          filter={state.filter}
          onChange={(filter) => change({ filter })}
        />
      )}
    </>
  );
}
