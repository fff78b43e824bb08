/** The list of a collection: its table, and all that is done with it. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { Link } from 'react-router-dom';
import { client } from '../data/client.ts';
import { useLiveItems } from '../data/live.ts';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import { itemPath, NEW_ITEM } from '../data/route-of.ts';
import type { Collection, Field, Relation } from '../data/schema-types.ts';
import { chosenColumns, possibleColumns } from '../display/columns.ts';
import { formatNumber } from '../display/format.ts';
import { useTemplate, useTemplates } from '../display/representation.ts';
import { templatePaths } from '../display/template.ts';
import { useTextShapes } from '../display/text-sample.ts';
import { NO_SHAPES } from '../display/text-shape.ts';
import { CopyAs } from '../share/copy-as.tsx';
import { Failure } from '../shell/failure.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { EmptyList } from './empty-list.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ItemCards } from './item-cards.tsx';
import { ItemTable } from './item-table.tsx';
import { ListBar } from './list-bar.tsx';
import { listFilter, listQuery } from './list-query.ts';
import { useListState } from './list-state.ts';
import { Pages } from './pages.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { WaitingRows } from './waiting-rows.tsx';

export interface ListPageProps {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  readonly relations: readonly Relation[];
}

export function ListPage({ collection, fields, relations }: ListPageProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const name = collection.collection;
  const rights = useRights();
  const { state, change } = useListState(name);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [exporting, setExporting] = useState(false);
  const clear = useCallback(() => setSelected(new Set()), []);
  useLiveItems(name);
  const phone = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'), { noSsr: true });
  const possible = useMemo(() => possibleColumns(fields, relations), [fields, relations]);
  const shapes = useTextShapes(name, fields);
  const template = useTemplate(name);
  const columns = useMemo(() => {
    const title = templatePaths(template);
    return chosenColumns(possible, state.columns, { title, shapes: shapes ?? NO_SHAPES });
  }, [possible, state.columns, template, shapes]);
  const related = useMemo(
    () => columns.flatMap(({ relation }) => (relation?.kind === 'm2o' ? [relation.related] : [])),
    [columns],
  );
  const templates = useTemplates(related);
  const query = listQuery(collection, fields, columns, templates, state);
  const list = useQuery({
    queryKey: ['items', name, 'list', query],
    queryFn: ({ signal }) =>
      client.items(name).page({ ...query, meta: ['total_count', 'filter_count'] }, { signal }),
    placeholderData: keepPreviousData,
    enabled: shapes !== null && template !== '' && related.every((one) => templates.has(one)),
  });
  const title = collectionName(collection, locale);
  const items = list.data?.data ?? [];
  const count = list.data?.meta?.filter_count ?? 0;
  const sortField = collection.meta?.sort_field;
  const isWhole = state.sort.length === 0 && state.search === '' && state.filter === null;
  const isOrderable =
    Boolean(sortField) && isWhole && mayField(rights, name, 'update', sortField ?? '');
  const Items = phone ? ItemCards : ItemTable;
  return (
    <>
      <PageHeader
        title={title}
        icon={<NamedIcon name={collection.meta?.icon ?? null} fallback="list" color="primary" />}
        actions={
          <>
            <CopyAs request={{ kind: 'list', collection: name, ...query }} />
            {may(rights, name, 'create') && (
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
        <ListBar
          collection={collection}
          possible={possible}
          columns={columns}
          state={state}
          change={change}
          onExport={() => setExporting(true)}
        />
        <Box sx={{ height: 4 }}>
          {list.isFetching && <LinearProgress aria-label={translate('shell.loading')} />}
        </Box>
        {list.isError ? (
          <Failure error={list.error} retry={() => list.refetch()} />
        ) : list.isPending ? (
          <WaitingRows />
        ) : items.length === 0 ? (
          <EmptyList collection={collection} state={state} change={change} />
        ) : (
          <>
            <Items
              title={title}
              collection={name}
              fields={fields}
              columns={columns}
              templates={templates}
              items={items}
              sort={state.sort}
              onSort={(sort) => change({ sort })}
              selected={selected}
              onSelect={setSelected}
              orderable={isOrderable}
            />
            <Pages count={count} state={state} change={change} />
          </>
        )}
        {selected.size > 0 && (
          <SelectionBar
            collection={collection}
            fields={fields}
            columns={columns}
            selected={selected}
            clear={clear}
          />
        )}
        {exporting && (
          <ExportDialog
            collection={name}
            columns={columns}
            filter={listFilter(collection, state)}
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
