/** The items above an item of a tree, so that nothing is moved below itself. */
import { client } from '../data/client.ts';
import { keyFromText } from '../data/item-key.ts';
import { keysUp, pathsUp } from './ancestor-paths.ts';

/** Levels that are read at once. */
const LEVELS = 8;

/** Whether an item is another one, or stands above it. */
export async function isAbove(
  collection: string,
  { key, parent }: { readonly key: string; readonly parent: string },
  above: string,
  item: string,
): Promise<boolean> {
  const seen = new Set<string>();
  for (let next = item; !seen.has(next); ) {
    const fields = pathsUp(key, parent, LEVELS);
    const read = await client.items(collection).get(keyFromText(next), { fields });
    const keys = keysUp(read, key, parent).map(encodeURIComponent);
    if (keys.includes(above)) return true;
    const last = keys.at(-1);
    if (keys.length < LEVELS || last === undefined) return false;
    seen.add(next);
    next = last;
  }
  return false;
}
