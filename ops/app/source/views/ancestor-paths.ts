/** Paths from an item of a tree to those above it. */
import { isItem } from '../data/values.ts';

/** The fields of an item and of the items above it, as paths. */
export function pathsUp(key: string, parent: string, levels: number): readonly string[] {
  return Array.from({ length: levels }, (_, level) => `${`${parent}.`.repeat(level)}${key}`);
}

/** The keys of an item and of those above it, as far as they were read. */
export function keysUp(item: unknown, key: string, parent: string): readonly string[] {
  const keys: string[] = [];
  for (let one = item; isItem(one); one = one[parent]) keys.push(String(one[key]));
  return keys;
}
