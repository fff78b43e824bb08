/** The items of a tree that stand below one item, or at the top; more of them on demand. */
import { useDraggable, useDroppable } from '@dnd-kit/core';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import IconButton from '@mui/material/IconButton';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { client } from '../data/client.ts';
import { keyOf } from '../data/item-key.ts';
import { itemPath } from '../data/route-of.ts';
import type { Filter, Item } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { formatNumber } from '../display/format.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { Facts } from './facts.tsx';
import { readCounts } from './groups.ts';
import { useFocusWhen } from './use-focus-when.ts';
import { allOf, fieldsToRead, nameOf, queryOf, type ViewProps } from './view.ts';

/** An item on its way to another place. */
export interface Arriving {
  readonly key: string;
  /** The key of the item that it will stand below; null for the top. */
  readonly below: unknown;
}

/** What all levels of a tree share. */
export interface Branches {
  readonly view: ViewProps;
  /** The field of the key, and the one that refers to the parent. */
  readonly key: string;
  readonly parent: string;
  readonly facts: readonly Column[];
  readonly isMovable: boolean;
  readonly mayCreate: boolean;
  /** Keys of the items whose children are shown. */
  readonly expanded: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  readonly onMove: (item: Item) => void;
  readonly arriving: Arriving | null;
  readonly onArrived: () => void;
  readonly onCreate: (parent: unknown) => void;
}

export interface TreeLevelProps {
  readonly branches: Branches;
  /** Which items it has. */
  readonly filter: Filter | null;
  /** Where only matching items are at the top, what is searched for. */
  readonly search: string;
  readonly label: string;
}

/** Items that are read at once. */
const AT_ONCE = 50;

interface TreeRowProps {
  readonly branches: Branches;
  readonly item: Item;
  readonly itemKey: string;
  readonly childCount: number;
}

function TreeRow({ branches, item, itemKey, childCount }: TreeRowProps) {
  const { view, facts, isMovable, mayCreate, expanded, onToggle, onMove, onCreate } = branches;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const name = nameOf(view, item);
  const isOpen = expanded.has(itemKey);
  const { arriving, onArrived, parent } = branches;
  const above = item[parent];
  const isThere = String(arriving?.below ?? '') === String(above ?? '');
  const button = useFocusWhen<HTMLButtonElement>(arriving?.key === itemKey && isThere);
  const drag = useDraggable({ id: itemKey, disabled: !isMovable, data: { item } });
  const drop = useDroppable({ id: itemKey });
  return (
    <Box
      ref={(element: HTMLElement | null) => {
        drag.setNodeRef(element);
        drop.setNodeRef(element);
      }}
      {...drag.listeners}
      sx={{
        ...{ display: 'flex', alignItems: 'center', gap: 0.5, minHeight: 40, px: 0.5 },
        ...{ borderRadius: 1, '&:hover': { bgcolor: 'action.hover' } },
        ...(drop.isOver && !drag.isDragging && { bgcolor: 'action.selected' }),
        opacity: drag.isDragging ? 0.4 : 1,
        cursor: isMovable ? 'grab' : 'default',
      }}
    >
      {childCount > 0 ? (
        <IconButton
          size="small"
          aria-expanded={isOpen}
          aria-label={translate(isOpen ? 'views.collapse' : 'views.expand', { name })}
          onClick={() => onToggle(itemKey)}
        >
          <Icon
            name={isOpen ? 'expand_more' : 'chevron_right'}
            fontSize="small"
            sx={{
              transform: ({ direction }) =>
                direction === 'rtl' && !isOpen ? 'scaleX(-1)' : 'none',
            }}
          />
        </IconButton>
      ) : (
        <Box sx={{ width: 30, flexShrink: 0 }} />
      )}
      <Box
        component={Link}
        draggable={false}
        to={itemPath(view.collection.collection, itemKey)}
        sx={{
          ...{ color: 'text.primary', fontWeight: 600, textDecoration: 'none', minWidth: 0 },
          ...{ overflowWrap: 'anywhere', '&:hover': { textDecoration: 'underline' } },
        }}
      >
        {name}
      </Box>
      {childCount > 0 && (
        <Chip
          size="small"
          role="img"
          label={formatNumber(childCount, locale)}
          aria-label={translate('list.items', { smart_count: childCount })}
        />
      )}
      <Box
        sx={{
          ...{ display: { xs: 'none', md: 'block' }, minWidth: 0, marginInlineStart: 2 },
          '& dl': { display: 'flex', gap: 2, mt: 0 },
        }}
      >
        <Facts columns={facts} item={item} templates={view.templates} />
      </Box>
      <Box sx={{ flex: 1 }} />
      {mayCreate && (
        <IconButton
          size="small"
          aria-label={translate('views.addChild', { name })}
          onClick={() => onCreate(item[branches.key])}
        >
          <Icon name="add" fontSize="small" />
        </IconButton>
      )}
      {isMovable && (
        <IconButton
          size="small"
          ref={button}
          onFocus={() => arriving?.key === itemKey && isThere && onArrived()}
          aria-haspopup="dialog"
          aria-label={translate('views.moveItem', { name })}
          onClick={() => onMove(item)}
        >
          <Icon name="more_vert" fontSize="small" />
        </IconButton>
      )}
    </Box>
  );
}

export function TreeLevel({ branches, filter, search, label }: TreeLevelProps) {
  const { view, key, parent, facts, expanded } = branches;
  const translate = useTranslate();
  const name = view.collection.collection;
  const query = {
    ...queryOf({ ...view.asked, search }, filter),
    fields: fieldsToRead(view, facts, [parent]),
    limit: AT_ONCE,
  };
  const list = useInfiniteQuery({
    queryKey: ['items', name, 'tree', query],
    queryFn: async ({ pageParam, signal }) => {
      const items = await client.items(name).list({ ...query, page: pageParam }, { signal });
      const below: Filter = { [parent]: { _in: items.map((item) => item[key]) } };
      const whole = allOf(view.asked.archive, below);
      const rows =
        items.length === 0
          ? []
          : await client.items(name).aggregate(
              {
                ...{ aggregate: { count: '*' }, groupBy: [parent], limit: AT_ONCE },
                ...queryOf({ ...view.asked, search: '', sort: [] }, whole),
              },
              { signal },
            );
      return { items, children: readCounts(rows, parent) };
    },
    initialPageParam: 1,
    getNextPageParam: ({ items }, all) => (items.length < AT_ONCE ? undefined : all.length + 1),
  });
  if (list.isError) return <Failure error={list.error} retry={() => list.refetch()} />;
  if (list.isPending) return <Loading />;
  const children = list.data.pages.flatMap((page) => page.children);
  const items = list.data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
    return <Message icon="account_tree" title={translate('views.emptyColumn')} />;
  }
  return (
    <>
      <Box component="ul" aria-label={label} sx={{ listStyle: 'none', m: 0, p: 0 }}>
        {items.map((item) => {
          const itemKey = keyOf(view.fields, item) ?? '';
          const below = children.find(({ value }) => String(value) === String(item[key]));
          return (
            <li key={itemKey}>
              <TreeRow
                branches={branches}
                item={item}
                itemKey={itemKey}
                childCount={below?.count ?? 0}
              />
              {below !== undefined && expanded.has(itemKey) && (
                <Box
                  sx={{
                    ...{ marginInlineStart: '18px', paddingInlineStart: { xs: 0.5, sm: 1.5 } },
                    ...{ borderInlineStart: '1px solid', borderColor: 'divider' },
                  }}
                >
                  <TreeLevel
                    branches={branches}
                    filter={allOf(view.asked.archive, { [parent]: { _eq: item[key] } })}
                    search=""
                    label={nameOf(view, item)}
                  />
                </Box>
              )}
            </li>
          );
        })}
      </Box>
      {list.hasNextPage && (
        <Button size="small" loading={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {translate('views.more', { name: label })}
        </Button>
      )}
    </>
  );
}
