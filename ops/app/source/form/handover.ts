/** What was typed while a new item was being saved: the form of the item that was made goes on with it. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Item } from '../data/schema-types.ts';

interface Handover {
  /** Of the item. */
  readonly path: string;
  readonly changes: Item;
}

const NOTHING: Item = {};
/** Among what was read: whoever signs out leaves nothing to the next one. */
const KEY = ['handover'];

export function handOver(queryClient: QueryClient, path: string, changes: Item): void {
  queryClient.setQueryData<Handover>(KEY, { path, changes });
}

/** The changes that the form of an item begins with; what no form has begun with at once is forgotten. */
export function useHandover(path: string): Item {
  const queryClient = useQueryClient();
  const [changes] = useState(() => {
    const handed = queryClient.getQueryData<Handover>(KEY);
    return handed?.path === path ? handed.changes : NOTHING;
  });
  useEffect(() => {
    queryClient.removeQueries({ queryKey: KEY });
  }, [queryClient]);
  return changes;
}
