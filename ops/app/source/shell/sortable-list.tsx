/** Lets the entries of a list be moved by dragging, or by keyboard: space picks one up, arrows move it. */
import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import type { ReactNode } from 'react';
import { useTranslate } from '../translation/use-translate.ts';

export interface SortableListProps {
  /** The keys of the entries, in their order. */
  readonly keys: readonly string[];
  readonly onMove: (from: string, to: string) => void;
  readonly children: ReactNode;
}

export function SortableList({ keys, onMove, children }: SortableListProps) {
  const translate = useTranslate();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const drop = ({ active, over }: DragEndEvent) => {
    if (over === null || over.id === active.id) return;
    onMove(String(active.id), String(over.id));
  };
  const tell = ({ active, over }: Pick<DragEndEvent, 'active' | 'over'>) =>
    translate('list.moveOver', { key: active.id, place: keys.indexOf(String(over?.id)) + 1 });
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{
        screenReaderInstructions: { draggable: translate('list.moveHelp') },
        announcements: {
          onDragStart: ({ active }) => translate('list.moveBegun', { key: active.id }),
          onDragOver: tell,
          onDragEnd: tell,
          onDragCancel: () => translate('list.moveCancelled'),
        },
      }}
    >
      <SortableContext items={[...keys]} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}
