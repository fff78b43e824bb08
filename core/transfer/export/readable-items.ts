/**
 * Parses items for formats whose libraries support only a few levels of lists and objects. Deeper
 * values stay JSON: as text, or as written.
 */

import { JsonNumber, JsonSource, parseLevels } from '#core/base/json/exact-json.ts';
import { isDeeper } from '#core/base/json/text-end.ts';

type Texts = AsyncIterable<readonly string[]>;
type Items = AsyncGenerator<readonly unknown[]>;

/** Requests can write documents with up to a thousand levels; SQL can write more. */
const LEVELS = 64;

/** A value with doubles as numbers, and with unparsed parts as text. */
function plain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.source);
  if (value instanceof JsonSource) return value.source;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}

function readable(text: string): unknown {
  return isDeeper(text, LEVELS) ? plain(parseLevels(text, LEVELS)) : JSON.parse(text);
}

/** Items with doubles as numbers. */
export async function* parsedItems(items: Texts): Items {
  for await (const batch of items) yield batch.map(readable);
}

/** Items with their numbers as written. */
export async function* exactItems(items: Texts): Items {
  for await (const batch of items) yield batch.map((text) => parseLevels(text, LEVELS));
}
