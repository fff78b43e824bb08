/**
 * Finds the staged rows that refer to items which the sender of the file may not read, with one
 * statement per foreign key. Hidden and missing items are rejected alike.
 */

import { reason } from '#core/base/errors/reason.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { ForeignKeyDescriptor } from '#core/model/catalog/descriptor.ts';
import type { End } from '#core/model/catalog/relation.ts';
import { readableRows } from '#core/read/sql/table-rows.ts';
import { isAbsent, STAGING, type Staged, stagingColumn } from '../copy/staging-table.ts';
import type { FileColumn } from '../file/file-column.ts';
import { displayValue, type RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import { ROW_NUMBER, resultingRows, stagedRowsOf } from './staged-rows.ts';
import { canSeeValues, visibleFieldNames } from './visible-faults.ts';

/** A foreign key to a collection of which the sender may read only some items, or no items. */
export interface RestrictedLink {
  readonly foreignKey: ForeignKeyDescriptor;
  readonly one: End;
}

/**
 * The restricted foreign keys of a file's columns.
 * @param every also those to collections of which the sender may read all items
 */
export function restrictedLinks(
  { options, target }: ImportRun,
  columns: readonly FileColumn[],
  every = false,
): readonly RestrictedLink[] {
  const { sender, catalog } = options;
  if (sender.rights.admin) return [];
  const names = new Set(columns.map(({ name }) => name));
  const relations = [...(catalog.relations.get(target.collection.name)?.values() ?? [])];
  return relations.flatMap((relation) => {
    if (relation.kind !== 'm2o' || relation.foreignKey === null) return [];
    const { foreignKey, one } = relation;
    if (!foreignKey.columns.some((name) => names.has(name))) return [];
    const isOpen = sender.rights.of(one.collection, 'read').some(({ rule }) => rule === null);
    return isOpen && !every ? [] : [{ foreignKey, one }];
  });
}

/** The rows of the file that name a column of the key, with their resulting key. */
function linkingRows(run: ImportRun, staged: Staged, names: readonly string[]): Sql {
  const places = names.map((name) => staged.columns.findIndex((column) => column.name === name));
  const isLacking = places.some((place) => place < 0 || staged.lacking.has(place));
  if (names.length === 1 || !isLacking) {
    // A missing value is null there.
    const values = names.map(
      (name, part) => sql`s.${stagingColumn(places[part] ?? 0)} AS ${identifier(name)}`,
    );
    return sql`(SELECT s."row" AS ${ROW_NUMBER}, ${join(values)} FROM ${STAGING} s)`;
  }
  const given = places.filter((place) => place >= 0).map((place) => sql`NOT ${isAbsent(place)}`);
  return sql`(SELECT a.* FROM ${resultingRows(stagedRowsOf(run, staged))} a
    JOIN ${STAGING} s ON s."row" = a.${ROW_NUMBER} WHERE ${join(given, ' OR ')})`;
}

/** The condition that the sender may read the item that the row `f` refers to. */
function isReadable({ options }: ImportRun, { foreignKey, one }: RestrictedLink): Sql {
  const { caller, rights, bounds } = options.sender;
  const grants = rights.reading;
  if (grants.of(one.collection) === null) return sql`FALSE`;
  const { catalog } = options;
  const table = readableRows({ catalog, grants, caller, bounds, collection: one.collection });
  const match = one.columns.map(
    (name, part) =>
      sql`${table.column(name)} = ${identifier('f', foreignKey.columns[part] ?? name)}`,
  );
  return sql`EXISTS (SELECT FROM ${table.from}${table.where(match)})`;
}

async function faultsOf(
  run: ImportRun,
  staged: Staged,
  link: RestrictedLink,
  limit: number,
): Promise<RowFault[]> {
  const names = link.foreignKey.columns;
  const values = names.map((name) => identifier('f', name));
  const texts = values.map((value) => sql`${value}::text`);
  const complete = values.map((value) => sql`${value} IS NOT NULL`);
  const { rows } = await run.connection.run(sql`
    SELECT f.${ROW_NUMBER} AS "row", concat_ws(',', ${join(texts)}) AS "value"
    FROM ${linkingRows(run, staged, names)} f
    WHERE ${join(complete, ' AND ')} AND NOT ${isReadable(run, link)}
    ORDER BY f.${ROW_NUMBER} LIMIT ${raw(String(limit))}`);
  const field = visibleFieldNames(run.options, names);
  const isShown = canSeeValues(run.options, names);
  return rows.map(({ row, value }) => ({
    row: Number(row),
    field,
    value: isShown && typeof value === 'string' ? displayValue(value) : null,
    code: 'INVALID_FOREIGN_KEY',
    reason: reason('no_item_with_this_key'),
  }));
}

/**
 * The rows that refer to items which the sender may not read, up to `limit` faults.
 * @param every as for {@link restrictedLinks}: then missing items are found in all of them
 */
export async function findRestrictedLinks(
  run: ImportRun,
  staged: Staged,
  { limit, every = false }: { readonly limit: number; readonly every?: boolean },
): Promise<RowFault[]> {
  const faults: RowFault[] = [];
  for (const link of restrictedLinks(run, staged.columns, every)) {
    if (faults.length >= limit) break;
    faults.push(...(await faultsOf(run, staged, link, limit - faults.length)));
  }
  return faults;
}
