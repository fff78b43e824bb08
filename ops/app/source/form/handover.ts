/** What was typed while a new item was being saved: the form of the item that was made goes on with it. */
import { useEffect, useState } from 'react';
import type { Item } from '../data/schema-types.ts';

const NOTHING: Item = {};
/** By the path of the item. */
const handed = new Map<string, Item>();

export function handOver(path: string, changes: Item): void {
  handed.set(path, changes);
}

/** The changes that the form of an item begins with. */
export function useHandover(path: string): Item {
  const [changes] = useState(() => handed.get(path) ?? NOTHING);
  useEffect(() => {
    handed.delete(path);
  }, [path]);
  return changes;
}
