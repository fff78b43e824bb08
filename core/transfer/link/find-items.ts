/**
 * Finds the items that have some values in a field, with one statement for all values. Items that
 * the sender may not read, or whose value is hidden from the sender, are missing.
 */

import { bareType } from '#core/database/column-type.ts';
import { identifier, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import type { Filter } from '#core/query/query.ts';
import { readableRows } from '#core/read/sql/table-rows.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { Reference } from '../target/reference.ts';

/** The condition that the sender sees a value of the field. */
function hasValue({ name }: ColumnField): Filter {
  const operation = { kind: 'operation', operator: '_nnull', value: true, place: name } as const;
  return { kind: 'field', key: name, filter: operation, place: name };
}

/** The values and keys of the items that the sender may read, as `"by"` and `"key"`. */
function itemsOf({ options }: ImportRun, { collection, by, key }: Reference): Sql {
  const { caller, rights, bounds } = options.sender;
  const grants = rights.reading;
  const types = sql`NULL::${bareType(by.column)} AS "by", NULL::${bareType(key.column)} AS "key"`;
  if (grants.of(collection.name) === null) return sql`(SELECT ${types} WHERE FALSE)`;
  const { catalog } = options;
  const target = { catalog, grants, caller, bounds, collection: collection.name };
  const rows = readableRows(target, { filter: hasValue(by), sort: [] });
  const found = rows.column(key.column.name);
  return sql`(SELECT ${rows.column(by.column.name)} AS "by", ${found} AS "key"
    FROM ${rows.from}${rows.where([sql`${found} IS NOT NULL`])})`;
}

/**
 * A query with a row for each value: `"value"`, the `"key"` of an item that has it, and in
 * `"items"` the number of such items.
 * @param values a row source with a column `"value"` of distinct values
 */
export function foundItems(run: ImportRun, reference: Reference, values: Sql): Sql {
  return sql`SELECT v."value", (array_agg(o."key"))[1] AS "key", count(o."key") AS "items"
    FROM ${values} v LEFT JOIN ${itemsOf(run, reference)} o ON o."by" = v."value"
    GROUP BY v."value"`;
}

/** Some texts as a row source of values of a field. */
export function valuesOf({ column }: ColumnField, texts: readonly string[]): Sql {
  const type = bareType(column);
  return sql`(SELECT DISTINCT u."text"::${type} AS "value"
    FROM unnest(${texts}::text[]) AS u("text"))`;
}

/** The table of the values of one column that were looked up. */
export function foundTable(place: number): Sql {
  return identifier('pg_temp', `sluice_found_${place}`);
}

/** Creates that table from a row source of values. */
export function createFound(
  run: ImportRun,
  reference: Reference,
  { place, values }: { readonly place: number; readonly values: Sql },
): Sql {
  return sql`CREATE TEMPORARY TABLE ${raw(`sluice_found_${place}`)} ON COMMIT DROP AS
    ${foundItems(run, reference, values)}`;
}
