/**
 * A query whose answer tells the key of each item: it stands before everything else in the text of
 * the item, and is taken off before anybody gets that.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { textEnd } from '#core/base/json/text-end.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { Query } from '#core/query/query.ts';
import { itemText } from '#core/write/history/history.ts';

/** No field has such a name. */
const nameOf = (part: number) => `?${part}`;

/**
 * The query that asks for the key as well.
 * @throws ServiceError INVALID_QUERY for one that does not ask for items
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

/** An item and its key as in a path. */
export interface KeyedItem {
  readonly key: string;
  /** The JSON of the item as it was asked for. */
  readonly text: string;
}

/** Takes the key off the text of an item; null when the caller may not see it. */
export function keyedItem({ primaryKey }: Collection, text: string): KeyedItem | null {
  const key: string[] = [];
  let place = 1;
  for (const part of primaryKey.keys()) {
    place += JSON.stringify(nameOf(part)).length + 1;
    if (text[place] !== '"') return null;
    const end = textEnd(text, place);
    key.push(JSON.parse(text.slice(place, end)));
    place = text[end] === ',' ? end + 1 : end;
  }
  return { key: itemText(key), text: `{${text.slice(place)}` };
}
