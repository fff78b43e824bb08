/** A board: the items of a collection in columns by the values of a field, moved from one to another. */
import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import Box from '@mui/material/Box';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, useId, useMemo, useState } from 'react';
import { client } from '../data/client.ts';
import { keyFields, keyFromText, keyOf } from '../data/item-key.ts';
import { useFields, useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { formatNumber } from '../display/format.ts';
import { fillTemplate, templatePaths } from '../display/template.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { useMenu } from '../shell/use-menu.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { BoardColumn } from './board-column.tsx';
import { FieldChoice, ViewOptions } from './field-choice.tsx';
import {
  countOf,
  type Group,
  groupsOf,
  idOf,
  MOST_GROUPS,
  type Move,
  readCounts,
} from './groups.ts';
import { chosenField } from './layout.ts';
import { useNewItem } from './use-new-item.ts';
import { factsOf, nameOf, queryOf, type ViewProps } from './view.ts';

/** The items of the collection that the field of a board refers to; null for another field. */
function useRelatedGroups(view: ViewProps, related: string | null) {
  const fields = useFields(related ?? '');
  const [key = ''] = keyFields(fields);
  const template = view.templates.get(related ?? '') ?? '';
  const paths = [...new Set([key, ...templatePaths(template)])];
  const list = useQuery({
    queryKey: ['items', related, 'board-columns', paths],
    queryFn: ({ signal }) =>
      client.items(related ?? '').page({ fields: paths, limit: MOST_GROUPS }, { signal }),
    enabled: related !== null && key !== '',
  });
  const groups = list.data?.data.map((item): Group => {
    const value = item[key];
    return { id: idOf(value), value, text: fillTemplate(template, item) || String(value) };
  });
  return {
    groups: related === null ? null : (groups ?? []),
    isPending: related !== null && list.isPending,
    error: list.error,
  };
}

/** An item that is being moved, and the group that it is in. */
interface Taken {
  readonly item: Item;
  readonly from: string;
}

/** Moves items to other groups, each by one change; what is refused goes back. */
function useMoves(view: ViewProps, field: string, groups: readonly Group[]) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const name = view.collection.collection;
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const move = async ({ item, from }: Taken, to: Group) => {
    const key = keyOf(view.fields, item);
    if (key === null || from === to.id || moves.some((other) => other.key === key)) return;
    const begun: Move = { item, key, from, to: to.id };
    setMoves((all) => [...all, begun]);
    try {
      await client.items(name).update(keyFromText(key), { [field]: to.value }, { fields: [field] });
      const messageArgs = { name: nameOf(view, item), column: to.text };
      notify('views.moved', { messageArgs, type: 'success' });
      // Kept until the columns are read again, so that nothing jumps back.
      await queryClient.invalidateQueries({ queryKey: ['items', name] });
    } catch (error) {
      notifyFailure(error, translate);
    } finally {
      setMoves((all) => all.filter((other) => other !== begun));
    }
  };
  return {
    moves,
    move: (taken: Taken, id: string) => {
      const to = groups.find((group) => group.id === id);
      if (to !== undefined) void move(taken, to);
    },
  };
}

function takenOf(data: Item | undefined): Taken | null {
  const item = data?.item;
  return isItem(item) ? { item, from: String(data?.from) } : null;
}

export default function Board(view: ViewProps) {
  const { collection, candidates, options, onOptions, asked } = view;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const rights = useRights();
  const name = collection.collection;
  const menu = useMenu();
  const opener = useId();
  const [opened, setOpened] = useState<Taken | null>(null);
  const [dragged, setDragged] = useState<Taken | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
  );
  const by = chosenField(candidates, options.groupField);
  const field = by?.field.field ?? '';
  const create = useNewItem(name);
  const related = useRelatedGroups(view, by?.relation?.kind === 'm2o' ? by.relation.related : null);
  const query = { ...queryOf({ ...asked, sort: [] }, asked.filter), groupBy: [field] };
  const counted = useQuery({
    queryKey: ['items', name, 'board-counts', query],
    queryFn: ({ signal }) =>
      client
        .items(name)
        .aggregate({ ...query, aggregate: { count: '*' }, limit: MOST_GROUPS * 10 }, { signal }),
    placeholderData: keepPreviousData,
    enabled: field !== '',
  });
  const counts = useMemo(() => readCounts(counted.data ?? [], field), [counted.data, field]);
  const words = {
    none: translate('views.noValue'),
    yes: translate('list.yes'),
    no: translate('list.no'),
  };
  const groups = by === undefined ? [] : groupsOf(by.field, counts, related.groups, words);
  const shown = groups.slice(0, MOST_GROUPS);
  const { moves, move } = useMoves(view, field, groups);
  if (by === undefined) return null;
  const failed = counted.error ?? related.error;
  if (failed !== null) return <Failure error={failed} retry={() => counted.refetch()} />;
  if (counted.isPending || related.isPending) return <Loading />;
  const facts = factsOf(view, [field]);
  const isWritable = by.field.meta?.readonly !== true && by.field.schema?.is_generated !== true;
  const isMovable = isWritable && mayField(rights, name, 'update', field);
  const mayCreate = may(rights, name, 'create');
  const drop = ({ over }: DragEndEvent) => {
    if (over !== null && dragged !== null) move(dragged, String(over.id));
    setDragged(null);
  };
  return (
    <>
      <ViewOptions>
        <FieldChoice
          label={translate('views.groupField')}
          candidates={candidates}
          value={by}
          onChange={(groupField) => onOptions({ ...options, groupField })}
        />
        {groups.length > shown.length && (
          <Typography variant="body2" color="textSecondary" role="status">
            {translate('views.someColumns', {
              shown: formatNumber(shown.length, locale),
              count: formatNumber(groups.length, locale),
            })}
          </Typography>
        )}
      </ViewOptions>
      <DndContext
        sensors={sensors}
        collisionDetection={pointerWithin}
        onDragStart={({ active }) => {
          setFocused(null);
          setDragged(takenOf(active.data.current));
        }}
        onDragEnd={drop}
        onDragCancel={() => setDragged(null)}
      >
        <Box
          role="region"
          tabIndex={0}
          aria-label={view.title}
          sx={{ display: 'flex', alignItems: 'flex-start', gap: 1.5, overflowX: 'auto', pb: 1 }}
        >
          {shown.map((group) => (
            <BoardColumn
              key={group.id}
              view={view}
              by={by}
              group={group}
              count={countOf(group.id, counts, moves)}
              facts={facts}
              moves={moves}
              isMovable={isMovable}
              focused={focused}
              onMenu={(event: MouseEvent<HTMLElement>, item) => {
                setOpened({ item, from: group.id });
                setFocused(null);
                menu.open(event);
              }}
              onCreate={mayCreate ? () => create({ [field]: group.value }) : null}
            />
          ))}
        </Box>
        <DragOverlay dropAnimation={null}>
          {dragged !== null && (
            <Paper elevation={6} sx={{ p: 1.25, fontWeight: 600, cursor: 'grabbing' }}>
              {nameOf(view, dragged.item)}
            </Paper>
          )}
        </DragOverlay>
      </DndContext>
      <Menu
        anchorEl={menu.anchor}
        open={menu.anchor !== null}
        onClose={menu.close}
        slotProps={{
          list: { 'aria-labelledby': opener },
          paper: { sx: { maxWidth: 'min(32rem, 90vw)' } },
        }}
      >
        <MenuItem disabled id={opener}>
          {translate('views.moveTo')}
        </MenuItem>
        {groups
          .filter(({ id }) => id !== opened?.from)
          .map((group) => (
            <MenuItem
              key={group.id}
              sx={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}
              onClick={() =>
                menu.choose(() => {
                  if (opened === null) return;
                  setFocused(keyOf(view.fields, opened.item));
                  move(opened, group.id);
                })
              }
            >
              {group.text}
            </MenuItem>
          ))}
      </Menu>
    </>
  );
}
