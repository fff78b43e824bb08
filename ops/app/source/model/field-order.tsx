/** Lets the fields of a form, or of one of its groups, be moved by dragging or by keyboard. */
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
import { useTranslate } from '../translation/use-translate.ts';
import type { ReactNode } from 'react';

export interface FieldOrderProps {
  readonly names: readonly string[];
  readonly onMove: (from: number, to: number) => void;
  readonly children: ReactNode;
}

export function FieldOrder({ names, onMove, children }: FieldOrderProps) {
  const translate = useTranslate();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const drop = ({ active, over }: DragEndEvent) => {
    if (over === null || over.id === active.id) return;
    onMove(names.indexOf(String(active.id)), names.indexOf(String(over.id)));
  };
  const at = (id: unknown) => names.indexOf(String(id)) + 1;
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={drop}
      accessibility={{
        screenReaderInstructions: { draggable: translate('list.moveHelp') },
        announcements: {
          onDragStart: ({ active }) => translate('list.moveBegun', { key: active.id }),
          onDragOver: ({ active, over }) =>
            translate('list.moveOver', { key: active.id, place: at(over?.id) }),
          onDragEnd: ({ active, over }) =>
            translate('list.moveOver', { key: active.id, place: at(over?.id) }),
          onDragCancel: () => translate('list.moveCancelled'),
        },
      }}
    >
      <SortableContext items={[...names]} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}
