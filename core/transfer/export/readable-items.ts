/**
 * Parses items for formats whose libraries write few levels of lists and objects. What is nested deeper
 * stays JSON: as a text, or as it was written.
 */

import { JsonNumber, JsonSource, parseLevels } from '#core/base/json/exact-json.ts';
import { isDeeper } from '#core/base/json/text-end.ts';

type Texts = AsyncIterable<readonly string[]>;
type Items = AsyncGenerator<readonly unknown[]>;

/** Documents that requests write have up to a thousand levels; SQL writes more. */
const LEVELS = 64;

/** A value with doubles as numbers, and with texts for what was not parsed. */
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

/** Items with their numbers as they were written. */
export async function* exactItems(items: Texts): Items {
  for await (const batch of items) yield batch.map((text) => parseLevels(text, LEVELS));
}
