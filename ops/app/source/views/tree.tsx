/** A tree: the items of a collection below those that they refer to, moved below others. */
import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../data/client.ts';
import { keyFields, keyFromText, keyOf } from '../data/item-key.ts';
import { useRights } from '../data/queries.ts';
import { may, mayField } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { isItem } from '../data/values.ts';
import { notify, notifyFailure } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { isAbove } from './ancestors.ts';
import { FieldChoice, ViewOptions } from './field-choice.tsx';
import { chosenField } from './layout.ts';
import { MoveDialog } from './move-dialog.tsx';
import { type Arriving, TreeLevel } from './tree-level.tsx';
import { useNewItem } from './use-new-item.ts';
import { allOf, factsOf, nameOf, type ViewProps } from './view.ts';

/** Where an item is dropped that moves to the top; no key is empty. */
const TOP = '';

/** The place for items that move to the top, while one is dragged. */
function TopPlace() {
  const translate = useTranslate();
  const { setNodeRef, isOver } = useDroppable({ id: TOP });
  return (
    <Paper
      ref={setNodeRef}
      variant="outlined"
      sx={{
        ...{ p: 1, mb: 1, textAlign: 'center', borderStyle: 'dashed', color: 'text.secondary' },
        bgcolor: isOver ? 'action.selected' : 'background.paper',
      }}
    >
      {translate('views.moveToTop')}
    </Paper>
  );
}

export default function Tree(view: ViewProps) {
  const { collection, fields, candidates, options, onOptions, asked } = view;
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const rights = useRights();
  const name = collection.collection;
  const create = useNewItem(name);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [dragged, setDragged] = useState<Item | null>(null);
  /** The item that was moved by keyboard, and below which one; its button takes the focus there. */
  const [arriving, setArriving] = useState<Arriving | null>(null);
  const [asking, setAsking] = useState<Item | null>(null);
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 250, tolerance: 8 } }),
  );
  const by = chosenField(candidates, options.parentField);
  if (by === undefined) return null;
  const parent = by.field.field;
  const [key = ''] = keyFields(fields);
  const isMovable = by.field.meta?.readonly !== true && mayField(rights, name, 'update', parent);
  /** Moves an item below the one with a key; null for the top. */
  const move = async (item: Item, to: string | null) => {
    const moved = keyOf(fields, item);
    if (moved === null) return;
    const called = nameOf(view, item);
    try {
      if (to !== null && (await isAbove(name, { key, parent }, moved, to))) {
        notify('views.cycle', { messageArgs: { name: called }, type: 'error' });
        setArriving(null);
        return;
      }
      const value = to === null ? null : keyFromText(to);
      await client.items(name).update(keyFromText(moved), { [parent]: value }, { fields: [key] });
      if (to !== null) setExpanded((all) => new Set(all).add(to));
      const text = to === null ? 'views.movedToTop' : 'views.movedBelow';
      notify(text, { messageArgs: { name: called }, type: 'success' });
      await queryClient.invalidateQueries({ queryKey: ['items', name] });
    } catch (error) {
      notifyFailure(error, translate);
      setArriving(null);
    }
  };
  const drop = ({ over }: DragEndEvent) => {
    const to = over === null ? null : String(over.id);
    if (dragged !== null && to !== null && to !== keyOf(fields, dragged)) {
      void move(dragged, to === TOP ? null : to);
    }
    setDragged(null);
  };
  const toggle = (one: string) => {
    const next = new Set(expanded);
    if (!next.delete(one)) next.add(one);
    setExpanded(next);
  };
  const branches = {
    ...{ view, key, parent, isMovable, expanded, arriving },
    facts: factsOf(view, [parent]),
    mayCreate: may(rights, name, 'create') && mayField(rights, name, 'create', parent),
    onToggle: toggle,
    onMove: setAsking,
    onArrived: () => setArriving(null),
    onCreate: (above: unknown) => create({ [parent]: above }),
  };
  return (
    <>
      <ViewOptions>
        <FieldChoice
          label={translate('views.parentField')}
          candidates={candidates}
          value={by}
          onChange={(parentField) => onOptions({ ...options, parentField })}
        />
        {!asked.isWhole && (
          <Typography variant="body2" color="textSecondary" role="status">
            {translate('views.treeHelp')}
          </Typography>
        )}
      </ViewOptions>
      <DndContext
        sensors={sensors}
        collisionDetection={pointerWithin}
        onDragStart={({ active }) => {
          const item = active.data.current?.item;
          setDragged(isItem(item) ? item : null);
        }}
        onDragEnd={drop}
        onDragCancel={() => setDragged(null)}
      >
        {dragged !== null && <TopPlace />}
        <Paper variant="outlined" sx={{ p: { xs: 0.5, sm: 1 } }}>
          <TreeLevel
            branches={branches}
            filter={
              asked.isWhole ? allOf(asked.filter, { [parent]: { _null: true } }) : asked.filter
            }
            search={asked.search}
            label={view.title}
          />
        </Paper>
        <DragOverlay dropAnimation={null}>
          {dragged !== null && (
            <Paper elevation={6} sx={{ p: 1, fontWeight: 600, cursor: 'grabbing' }}>
              {nameOf(view, dragged)}
            </Paper>
          )}
        </DragOverlay>
      </DndContext>
      {asking !== null && (
        <MoveDialog
          collection={name}
          name={nameOf(view, asking)}
          parent={asking[parent]}
          onClose={() => setAsking(null)}
          onMove={(to) => {
            const item = asking;
            setAsking(null);
            setArriving({ key: keyOf(fields, item) ?? '', below: to ?? null });
            void move(
              item,
              to === null || to === undefined ? null : encodeURIComponent(String(to)),
            );
          }}
        />
      )}
    </>
  );
}
