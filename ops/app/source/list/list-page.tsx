/** The list of a collection in one of its views, and all that is done with it. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { Theme } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import { client } from '../data/client.ts';
import { keyFields } from '../data/item-key.ts';
import { useLiveItems } from '../data/live.ts';
import { useIsAdministrator, useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import { itemPath, NEW_ITEM } from '../data/route-of.ts';
import type { Collection, Field, Item, Relation } from '../data/schema-types.ts';
import { chosenColumns, possibleColumns } from '../display/columns.ts';
import { formatNumber } from '../display/format.ts';
import { useTemplate, useTemplates } from '../display/representation.ts';
import { templatePaths } from '../display/template.ts';
import { useTextShapes } from '../display/text-sample.ts';
import { NO_SHAPES } from '../display/text-shape.ts';
import { CopyAs } from '../share/copy-as.tsx';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import {
  candidatesOf,
  chosenField,
  type Layout,
  type LayoutOptions,
  NO_OPTIONS,
  offeredLayouts,
  readOptions,
} from '../views/layout.ts';
import { archiveFilter } from './archive.ts';
import { BookmarkTabs } from './bookmark-tabs.tsx';
import { EmptyList } from './empty-list.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ItemCards } from './item-cards.tsx';
import { ItemTable } from './item-table.tsx';
import { ListBar } from './list-bar.tsx';
import { listFilter, listQuery } from './list-query.ts';
import { type ListState, useListState } from './list-state.ts';
import { Pages } from './pages.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useOwnPreset } from './use-own-preset.ts';
import { useSelection } from './use-selection.ts';
import { ViewSwitch } from './view-switch.tsx';
import { WaitingRows } from './waiting-rows.tsx';

export interface ListPageProps {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  readonly relations: readonly Relation[];
}

const Gallery = lazy(() => import('../views/gallery.tsx'));
/** The views that read their items themselves. */
const VIEWS = {
  kanban: lazy(() => import('../views/board.tsx')),
  calendar: lazy(() => import('../views/calendar.tsx')),
  map: lazy(() => import('../views/map.tsx')),
  tree: lazy(() => import('../views/tree.tsx')),
} as const;

/** The view of a list, its options, and how they are changed. */
function useView(name: string, state: ListState, change: (changes: Partial<ListState>) => void) {
  const { look, remember } = useOwnPreset(name);
  // A bookmark that names no view is of the table.
  const left = state.bookmark === null ? (look?.layout ?? null) : 'tabular';
  const layout = state.layout ?? left;
  const options =
    state.options ?? (layout && look ? readOptions(look.options[layout]) : NO_OPTIONS);
  const set = (next: Layout, changed: LayoutOptions | null) => {
    change({ layout: next, options: changed });
    // The changes of a bookmark are saved with it.
    if (state.bookmark !== null || look === null) return;
    const own = changed ?? readOptions(look.options[next]);
    remember({ layout: next, options: { ...look.options, [next]: own } });
  };
  return { layout, options, set };
}

const NO_ITEMS: readonly Item[] = [];

/** Why the rows of a collection cannot be opened; null when they can. */
function useLimits({ schema }: Collection, fields: readonly Field[]): string | null {
  const administrator = useIsAdministrator();
  if (schema?.type === 'view') return 'list.isView';
  // The key may only be hidden from other users.
  return administrator && keyFields(fields).length === 0 ? 'list.isKeyless' : null;
}

export function ListPage({ collection, fields, relations }: ListPageProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const name = collection.collection;
  const rights = useRights();
  const { state, change, isKnown } = useListState(name);
  const [exporting, setExporting] = useState(false);
  useLiveItems(name);
  const phone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'), { noSsr: true });
  const possible = useMemo(() => possibleColumns(fields, relations), [fields, relations]);
  const shapes = useTextShapes(name, fields);
  const template = useTemplate(name);
  const columns = useMemo(() => {
    const title = templatePaths(template);
    return chosenColumns(possible, state.columns, { title, shapes: shapes ?? NO_SHAPES });
  }, [possible, state.columns, template, shapes]);
  const candidates = useMemo(() => candidatesOf(possible, shapes ?? NO_SHAPES), [possible, shapes]);
  const offered = offeredLayouts(candidates);
  const view = useView(name, state, change);
  const wanted = view.layout;
  const layout =
    wanted === null || shapes === null ? null : offered.includes(wanted) ? wanted : 'tabular';
  const image =
    layout === 'cards' ? chosenField(candidates.cards, view.options.imageSource) : undefined;
  const made =
    layout === 'kanban' ? chosenField(candidates.kanban, view.options.groupField) : image;
  const read = useMemo(
    () =>
      made === undefined || columns.some(({ field }) => field.field === made.field.field)
        ? columns
        : [...columns, made],
    [columns, made],
  );
  const related = useMemo(
    () => read.flatMap(({ relation }) => (relation?.kind === 'm2o' ? [relation.related] : [])),
    [read],
  );
  const templates = useTemplates(related);
  const query = listQuery(collection, fields, read, templates, state);
  const isReady =
    isKnown && shapes !== null && template !== '' && related.every((one) => templates.has(one));
  const isPaged = layout === 'tabular' || layout === 'cards';
  const list = useQuery({
    queryKey: ['items', name, 'list', query],
    queryFn: ({ signal }) =>
      client.items(name).page({ ...query, meta: ['total_count', 'filter_count'] }, { signal }),
    placeholderData: keepPreviousData,
    // Files are written of all that fits, whichever view shows it.
    enabled: layout !== null && isReady && (isPaged || exporting),
  });
  const title = collectionName(collection, locale);
  const items = list.data?.data ?? NO_ITEMS;
  const count = list.data?.meta?.filter_count ?? 0;
  const filter = useMemo(() => listFilter(collection, state), [collection, state]);
  const selection = useSelection(fields, items, filter, state.search);
  const { selected } = selection;
  const sortField = collection.meta?.sort_field;
  const isWhole = state.sort.length === 0 && state.search === '' && state.filter === null;
  const isOrderable =
    Boolean(sortField) && isWhole && mayField(rights, name, 'update', sortField ?? '');
  const View = layout === null || isPaged ? null : VIEWS[layout];
  const itemsProps = {
    ...{ title, collection: name, fields, columns, templates, items },
    ...{ state, change, filter, selected, onSelect: selection.select, orderable: isOrderable },
  };
  const viewSwitch = (
    <ViewSwitch
      offered={offered}
      layout={layout ?? 'tabular'}
      onChange={(next) => view.set(next, null)}
    />
  );
  const limits = useLimits(collection, fields);
  const mayCreate = limits === null && may(rights, name, 'create');
  const Items = phone ? ItemCards : ItemTable;
  const pages = () => {
    if (list.isError) return <Failure error={list.error} retry={() => list.refetch()} />;
    if (list.isPending) return <WaitingRows />;
    if (items.length === 0) {
      return <EmptyList {...{ collection, state, change, mayCreate }} />;
    }
    return (
      <>
        {image === undefined ? (
          <Items {...itemsProps} />
        ) : (
          <Gallery
            {...itemsProps}
            image={image}
            images={candidates.cards}
            onImage={(imageSource) => view.set('cards', { ...view.options, imageSource })}
            template={template}
          />
        )}
        <Pages count={count} state={state} change={change} />
      </>
    );
  };
  return (
    <>
      <PageHeader
        title={title}
        icon={<NamedIcon name={collection.meta?.icon ?? null} fallback="list" color="primary" />}
        actions={
          <>
            {!phone && viewSwitch}
            <CopyAs request={{ kind: 'list', collection: name, ...query }} />
            {mayCreate && (
              <Button
                component={Link}
                to={itemPath(name, NEW_ITEM)}
                variant="contained"
                startIcon={<Icon name="add" />}
              >
                {translate('list.create')}
              </Button>
            )}
          </>
        }
      />
      <Box sx={{ p: { xs: 1.5, md: 3 }, pt: { xs: 1.5, md: 2 } }}>
        <BookmarkTabs collection={name} state={state} change={change} />
        <ListBar
          collection={collection}
          possible={possible}
          columns={columns}
          state={state}
          change={change}
          onExport={() => setExporting(true)}
          viewSwitch={phone && viewSwitch}
        />
        {limits !== null && (
          <Typography variant="body2" color="textSecondary" sx={{ mb: 1 }}>
            {translate(limits)}
          </Typography>
        )}
        <Box sx={{ height: 4 }}>
          {list.isFetching && <LinearProgress aria-label={translate('shell.loading')} />}
        </Box>
        <Suspense fallback={<Loading />}>
          {View === null || layout === null ? (
            pages()
          ) : isReady ? (
            <View
              key={layout}
              title={title}
              collection={collection}
              fields={fields}
              possible={possible}
              columns={columns}
              candidates={candidates[layout]}
              template={template}
              templates={templates}
              asked={{
                filter,
                search: state.search,
                sort: state.sort,
                archive: archiveFilter(collection, state.archive),
                isWhole: state.search === '' && state.filter === null,
              }}
              options={view.options}
              onOptions={(options) => view.set(layout, options)}
            />
          ) : (
            <Loading />
          )}
        </Suspense>
        {selected.size > 0 && isPaged && (
          <SelectionBar
            collection={collection}
            fields={fields}
            columns={columns}
            selected={selected}
            matching={selection.matching}
            total={count}
            onSelectMatching={selection.selectMatching}
            clear={selection.clear}
          />
        )}
        {exporting && list.data !== undefined && (
          <ExportDialog
            collection={name}
            columns={columns}
            filter={filter}
            search={state.search}
            sort={state.sort}
            items={count}
            count={formatNumber(count, locale)}
            onClose={() => setExporting(false)}
          />
        )}
      </Box>
    </>
  );
}
