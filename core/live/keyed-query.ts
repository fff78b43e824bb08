/**
 * A query whose result contains the key of each item. The key precedes all fields in the JSON text
 * of the item, and is removed before the item is sent.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Query } from '#core/query/query.ts';
import { itemText } from '#core/write/history/history.ts';

/** A name that no field can have. */
const nameOf = (part: number) => `?${part}`;

/**
 * The query with the key added.
 * @throws ServiceError INVALID_QUERY for a query that does not return items
 */
export function keyedQuery({ primaryKey }: Collection, query: Query): Query {
  if (query.aggregate.length > 0 || query.groupBy.length > 0) {
    throw invalidQuery(reason('subscription_of_aggregates'));
  }
  const names = primaryKey.map((_, part) => nameOf(part));
  const fields = primaryKey.map(({ name }, part) => [nameOf(part), name] as const);
  return {
    ...query,
    fields: [...names.map((name) => [name]), ...query.fields],
    alias: new Map([...query.alias, ...fields]),
    forms: new Map([...(query.forms ?? []), ...names.map((name) => [name, 'text'] as const)]),
  };
}

/** An item and its key in the format of a path. */
export interface KeyedItem {
  readonly key: string;
  /** The JSON of the item as requested. */
  readonly text: string;
}

/** The end of the JSON string literal that begins at a position. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** Removes the key from the text of an item; null when the caller has no permission to read it. */
export function keyedItem({ primaryKey }: Collection, text: string): KeyedItem | null {
  const key: string[] = [];
  let place = 1;
  for (const part of primaryKey.keys()) {
    place += JSON.stringify(nameOf(part)).length + 1;
    if (text[place] !== '"') return null;
    const end = endOfString(text, place);
    key.push(JSON.parse(text.slice(place, end)));
    place = text[end] === ',' ? end + 1 : end;
  }
  return { key: itemText(key), text: `{${text.slice(place)}` };
}
