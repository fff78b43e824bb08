/** Lets items be moved to the places that they keep. */
import { arrayMove } from '@dnd-kit/sortable';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { client } from '../data/client.ts';
import { keyFromText } from '../data/item-key.ts';
import type { Item } from '../data/schema-types.ts';
import { notifyFailure } from '../shell/notify.ts';
import { SortableList } from '../shell/sortable-list.tsx';
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
  const move = useMutation({
    mutationFn: async ({ from, to }: Move) => {
      await client.utils.sort(collection, keyFromText(from), keyFromText(to));
      // Pending until the new order is here, so that nothing jumps back.
      await queryClient.invalidateQueries({ queryKey: ['items', collection] });
    },
    onError: (error) => notifyFailure(error, translate),
  });
  const keys = items.map((item) => keyOf(item) ?? '');
  const placeOf = (key: string) => keys.indexOf(key);
  const moving = move.isPending ? move.variables : null;
  const shown =
    moving === null || placeOf(moving.from) < 0 || placeOf(moving.to) < 0
      ? items
      : arrayMove([...items], placeOf(moving.from), placeOf(moving.to));
  return (
    <SortableList keys={keys} onMove={(from, to) => move.mutate({ from, to })}>
      {children(shown)}
    </SortableList>
  );
}
