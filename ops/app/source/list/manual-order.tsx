/** Lets items be moved by dragging, or by keyboard: space picks one up, arrows move it. */
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
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../data/client.ts';
import { tellFailure } from '../data/failure.ts';
import { keyFromText } from '../data/item-key.ts';
import type { Item } from '../data/schema-types.ts';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';

export interface ManualOrderProps {
  readonly collection: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | null;
  /** Draws the items in the order that they will have. */
  readonly children: (items: readonly Item[]) => ReactNode;
}

interface Move {
  readonly from: string;
  readonly to: string;
}

export function ManualOrder({ collection, items, keyOf, children }: ManualOrderProps) {
  const translate = useTranslate();
  const queryClient = useQueryClient();
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const move = useMutation({
    mutationFn: async ({ from, to }: Move) => {
      await client.utils.sort(collection, keyFromText(from), keyFromText(to));
      // Pending until the new order is here, so that nothing jumps back.
      await queryClient.invalidateQueries({ queryKey: ['items', collection] });
    },
    onError: (error) => {
      const { text, detail } = tellFailure(error, translate);
      notify(`${translate(text)} ${detail ?? ''}`.trim(), { type: 'error' });
    },
  });
  const keys = items.map((item) => keyOf(item) ?? '');
  const drop = ({ active, over }: DragEndEvent) => {
    if (over === null || over.id === active.id) return;
    move.mutate({ from: String(active.id), to: String(over.id) });
  };
  const placeOf = (key: string) => keys.indexOf(key);
  const moving = move.isPending ? move.variables : null;
  const shown =
    moving === null || placeOf(moving.from) < 0 || placeOf(moving.to) < 0
      ? items
      : arrayMove([...items], placeOf(moving.from), placeOf(moving.to));
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
            translate('list.moveOver', { key: active.id, place: placeOf(String(over?.id)) + 1 }),
          onDragEnd: ({ active, over }) =>
            translate('list.moveOver', { key: active.id, place: placeOf(String(over?.id)) + 1 }),
          onDragCancel: () => translate('list.moveCancelled'),
        },
      }}
    >
      <SortableContext items={keys} strategy={verticalListSortingStrategy}>
        {children(shown)}
      </SortableContext>
    </DndContext>
  );
}
