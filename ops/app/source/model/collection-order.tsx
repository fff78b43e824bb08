/**
 * Lets collections be moved by dragging or by keyboard: up and down to another place, towards the end of
 * the line into the group above, towards its start out of the group.
 */
import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  type DragMoveEvent,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  MeasuringStrategy,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { useTheme } from '@mui/material/styles';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslate } from '../translation/use-translate.ts';
import type { CollectionRow } from './collection-rows.ts';
import { folded, type Place, type Target, targetAt } from './collection-sequence.ts';

/** How far the rows of a group stand in, in pixels. */
export const INDENT = 24;

const MEASURING = { droppable: { strategy: MeasuringStrategy.Always } };

export interface CollectionOrderProps {
  readonly rows: readonly CollectionRow[];
  readonly onMove: (name: string, place: Place) => void;
  /** @param shown the rows as they stand while one of them is dragged */
  readonly children: (shown: readonly CollectionRow[]) => ReactNode;
}

type Drag = Pick<DragMoveEvent, 'active' | 'over' | 'delta'>;

export function CollectionOrder({ rows, onMove, children }: CollectionOrderProps) {
  const translate = useTranslate();
  const inwards = useTheme().direction === 'rtl' ? -1 : 1;
  const [dragged, setDragged] = useState<string | null>(null);
  const [depth, setDepth] = useState(0);
  // What is told is where it is; the keyboard goes one step further from there, not from where it wished to be.
  const last = useRef<{ readonly target: Target; readonly wish: number } | null>(null);
  const visible = dragged === null ? rows : folded(rows, dragged);
  const rowOf = (name: unknown) => rows.find(({ collection }) => collection.collection === name);
  const targetOf = ({ active, over, delta }: Drag): Target | null => {
    const row = rowOf(active.id);
    if (row === undefined || over === null) return null;
    const name = row.collection.collection;
    const wish = row.depth + Math.round((delta.x * inwards) / INDENT);
    const target = targetAt(folded(rows, name), name, String(over.id), wish);
    last.current = target && { target, wish };
    return target;
  };
  const coordinates: KeyboardCoordinateGetter = (event, context) => {
    const { x, y } = context.currentCoordinates;
    const steps = { ArrowRight: inwards, ArrowLeft: -inwards }[event.code];
    if (steps === undefined) {
      const next = sortableKeyboardCoordinates(event, context);
      return next && { ...next, x };
    }
    event.preventDefault();
    if (last.current === null) return;
    const { target, wish } = last.current;
    const next = target.depth + steps;
    if (next < target.least || next > target.most) return;
    return { x: x + (next - wish) * INDENT * inwards, y };
  };
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: coordinates }),
  );
  const follow = (drag: Drag) => {
    const target = targetOf(drag);
    if (target !== null) setDepth(target.depth);
  };
  const drop = (drag: DragEndEvent) => {
    const target = targetOf(drag);
    setDragged(null);
    if (target !== null) onMove(String(drag.active.id), target);
  };
  const tell = ({ active }: Pick<Drag, 'active'>) => {
    if (last.current === null) return;
    const { group, place } = last.current.target;
    const told = { name: rowOf(active.id)?.name, place: place + 1 };
    return group === null
      ? translate('model.moveOver', told)
      : translate('model.moveOverIn', { ...told, group: rowOf(group)?.name });
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      measuring={MEASURING}
      onDragStart={({ active }) => {
        const row = rowOf(active.id);
        if (row === undefined) return;
        last.current = null;
        setDepth(row.depth);
        setDragged(row.collection.collection);
      }}
      onDragMove={follow}
      onDragOver={follow}
      onDragEnd={drop}
      onDragCancel={() => setDragged(null)}
      accessibility={{
        screenReaderInstructions: { draggable: translate('model.moveHelp') },
        announcements: {
          onDragStart: ({ active }) =>
            translate('model.moveBegun', { name: rowOf(active.id)?.name }),
          onDragMove: tell,
          onDragOver: tell,
          onDragEnd: tell,
          onDragCancel: ({ active }) =>
            translate('model.moveCancelled', { name: rowOf(active.id)?.name }),
        },
      }}
    >
      <SortableContext
        items={visible.map(({ collection }) => collection.collection)}
        strategy={verticalListSortingStrategy}
      >
        {children(
          visible.map((row) => (row.collection.collection === dragged ? { ...row, depth } : row)),
        )}
      </SortableContext>
    </DndContext>
  );
}
