/** A column of a board: the items with one value, some of them at first and more on demand. */
import { useDroppable } from '@dnd-kit/core';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type MouseEvent, useId } from 'react';
import { client } from '../data/client.ts';
import { keyOf } from '../data/item-key.ts';
import type { Item } from '../data/schema-types.ts';
import type { Column } from '../display/columns.ts';
import { formatNumber } from '../display/format.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { BoardCard } from './board-card.tsx';
import { type Group, itemsOfGroup, type Move } from './groups.ts';
import { allOf, fieldsToRead, queryOf, type ViewProps } from './view.ts';

export interface BoardColumnProps {
  readonly view: ViewProps;
  readonly by: Column;
  readonly group: Group;
  readonly count: number;
  readonly facts: readonly Column[];
  readonly moves: readonly Move[];
  readonly isMovable: boolean;
  /** The key of the card that takes the focus. */
  readonly focused: string | null;
  readonly onMenu: (event: MouseEvent<HTMLElement>, item: Item) => void;
  /** Makes an item with the value of the column; null where the caller may not. */
  readonly onCreate: (() => void) | null;
}

/** Cards that are read at once. */
const AT_ONCE = 20;

export function BoardColumn(props: BoardColumnProps) {
  const { view, by, group, count, facts, moves, isMovable, focused, onMenu, onCreate } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const title = useId();
  const name = view.collection.collection;
  const field = by.field.field;
  const { setNodeRef, isOver } = useDroppable({ id: group.id });
  const here = { [field]: group.value === null ? { _null: true } : { _eq: group.value } };
  const query = {
    ...queryOf(view.asked, allOf(view.asked.filter, here)),
    fields: fieldsToRead(view, facts, [field]),
    limit: AT_ONCE,
  };
  const list = useInfiniteQuery({
    queryKey: ['items', name, 'board', query],
    queryFn: ({ pageParam, signal }) =>
      client.items(name).list({ ...query, page: pageParam }, { signal }),
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length < AT_ONCE ? undefined : all.length + 1),
    placeholderData: keepPreviousData,
  });
  const keyOfItem = (item: Item) => keyOf(view.fields, item);
  const items = itemsOfGroup(group.id, list.data?.pages.flat() ?? [], moves, keyOfItem);
  return (
    <Box
      component="section"
      aria-labelledby={title}
      ref={setNodeRef}
      sx={{
        ...{ width: 288, flexShrink: 0, display: 'flex', flexDirection: 'column', borderRadius: 1 },
        ...{ maxHeight: 'max(420px, calc(100vh - 260px))', border: 1 },
        bgcolor: isOver ? 'action.selected' : 'action.hover',
        borderColor: isOver ? 'primary.main' : 'divider',
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, px: 1.5, py: 1, minHeight: 48 }}>
        <Typography id={title} variant="h3" component="h2" noWrap title={group.text}>
          {group.text}
        </Typography>
        <Chip
          size="small"
          label={formatNumber(count, locale)}
          aria-label={translate('list.items', { smart_count: count })}
          role="img"
        />
        <Box sx={{ flex: 1 }} />
        {onCreate !== null && (
          <IconButton
            size="small"
            aria-label={translate('views.createIn', { name: group.text })}
            onClick={onCreate}
          >
            <Icon name="add" fontSize="small" />
          </IconButton>
        )}
      </Box>
      <Box sx={{ overflowY: 'auto', px: 1, pb: 1, flex: 1 }}>
        {list.isError ? (
          <Failure error={list.error} retry={() => list.refetch()} />
        ) : list.isPending ? (
          <Loading />
        ) : items.length === 0 ? (
          <Typography variant="body2" color="textSecondary" sx={{ px: 0.5, py: 2 }}>
            {translate('views.emptyColumn')}
          </Typography>
        ) : (
          <Box
            component="ul"
            aria-labelledby={title}
            sx={{ m: 0, p: 0, display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}
          >
            {items.map((item) => {
              const key = keyOfItem(item);
              return (
                <BoardCard
                  key={key ?? JSON.stringify(item)}
                  view={view}
                  facts={facts}
                  item={item}
                  from={group.id}
                  itemKey={key}
                  isMovable={isMovable && key !== null}
                  takesFocus={key !== null && key === focused}
                  onMenu={onMenu}
                />
              );
            })}
          </Box>
        )}
        {list.hasNextPage && (
          <Button
            fullWidth
            size="small"
            sx={{ mt: 1 }}
            loading={list.isFetchingNextPage}
            onClick={() => list.fetchNextPage()}
          >
            {translate('views.more', { name: group.text })}
          </Button>
        )}
      </Box>
    </Box>
  );
}
