/**
 * The unique keys of a collection, and the one that matches the rows of a file with their items.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { type Collection, type ColumnField, isColumn } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';

/**
 * The column lists of the primary key, the unique constraints and the unique indexes that cover
 * every row and contain no expressions.
 */
export function uniqueKeys(table: TableDescriptor): string[][] {
  const lists = new Map<string, string[]>();
  const add = (columns: readonly (string | null)[]) => {
    const names = columns.filter((name) => name !== null);
    if (names.length === columns.length && names.length > 0)
      lists.set(JSON.stringify(names.toSorted()), names);
  };
  add(table.primaryKey ?? []);
  for (const unique of table.uniques) add(unique.columns);
  for (const { unique, partial, valid, columns } of table.indexes) {
    if (unique && !partial && valid) add(columns);
  }
  return [...lists.values()];
}

function sameNames(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((name) => others.includes(name));
}

/**
 * The fields of a unique key of the collection, in any order.
 * @throws {ServiceError} INVALID_QUERY, which lists the unique keys whose fields are all known here
 */
export function matchKey(
  { table, fields, name }: Collection,
  match: readonly string[],
): readonly ColumnField[] {
  const known = (table === null ? [] : uniqueKeys(table)).flatMap((key) => {
    const found = key.map((field) => fields.get(field)).filter(isColumn);
    return found.length === key.length ? [found] : [];
  });
  const found = known.find((key) =>
    sameNames(
      key.map((field) => field.name),
      match,
    ),
  );
  if (found !== undefined) return found;
  const names = known.map((key) => key.map((field) => field.name).join(','));
  const keys = names.length === 0 ? 'none' : names.join('; ');
  const why = reason('no_such_unique_key', { match: JSON.stringify(match.join(',')), keys });
  throw invalidQuery(why, { collection: name, parameter: 'match' });
}
