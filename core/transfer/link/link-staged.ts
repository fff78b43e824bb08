/**
 * Replaces the values of staged references by the keys of the items that have them: one statement
 * finds the items of a column, and one writes the staging table again for all columns.
 */

import type { ServiceError } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { STAGING, type Staged, stagingColumn } from '../copy/staging-table.ts';
import { type FileColumn, plainColumn } from '../file/file-column.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { Reference } from '../target/reference.ts';
import { createItems } from './create-items.ts';
import { createFound, foundTable } from './find-items.ts';
import { ItemWrites } from './item-writes.ts';
import { notCreated, notFound } from './link-fault.ts';

/** The staging table before the values were replaced. */
const READ = identifier('pg_temp', 'sluice_read');

/** A staged column of references. */
interface LinkColumn {
  readonly place: number;
  readonly reference: Reference;
}

/** Whether any column has references that are not keys. */
export function hasReferences(columns: readonly FileColumn[]): boolean {
  return columns.some(({ reference }) => reference !== undefined);
}

/** Creates the missing items. @returns the errors of values for which that is not possible */
async function createMissing(
  run: ImportRun,
  writes: ItemWrites,
  { place, reference }: LinkColumn,
): Promise<ReadonlyMap<string, ServiceError>> {
  const { connection } = run;
  const table = foundTable(place);
  const { rows } = await connection.run(
    sql`SELECT f."value"::text AS "value" FROM ${table} f WHERE f."items" = 0 ORDER BY 1`,
  );
  const values = rows.map(({ value }) => String(value));
  const { keys, refused } = await createItems(run, writes, { reference, values });
  await connection.run(sql`UPDATE ${table} f SET "items" = 1,
      "key" = u."key"::${bareType(reference.key.column)}
    FROM unnest(${[...keys.keys()]}::text[], ${[...keys.values()]}::text[]) AS u("value", "key")
    WHERE f."value"::text = u."value"`);
  return refused;
}

/** The rows whose values do not find exactly one item, up to the limit. */
async function faultsOf(
  run: ImportRun,
  { place, reference }: LinkColumn,
  { refused, limit }: { refused: ReadonlyMap<string, ServiceError>; limit: number },
): Promise<RowFault[]> {
  const isFine = reference.missing === 'null' ? sql`f."items" > 1` : sql`f."items" <> 1`;
  const { rows } =
    await run.connection.run(sql`SELECT s."row", f."value"::text AS "value", f."items"
    FROM ${STAGING} s JOIN ${foundTable(place)} f ON f."value" = s.${stagingColumn(place)}
    WHERE ${isFine} ORDER BY s."row" LIMIT ${raw(String(limit))}`);
  return rows.map(({ row, value, items }) => {
    const sought = { row: Number(row), value: String(value) };
    const error = refused.get(sought.value);
    return error === undefined
      ? notFound(reference, sought, Number(items))
      : notCreated(reference, sought, error);
  });
}

/** Writes the staging table again, with keys instead of values. */
function rewrite(staged: Staged, links: readonly LinkColumn[]): readonly Sql[] {
  const linked = new Map(links.map((link) => [link.place, link]));
  const columns = staged.columns.map(({ link }, place) => {
    const name = stagingColumn(place);
    if (link === undefined || !linked.has(place)) return sql`s.${name}`;
    const key = sql`${identifier(`f${place}`)}."key"`;
    return sql`CAST(${key} AS ${bareType(link.column)}) AS ${name}`;
  });
  const joins = links.map(({ place }) => {
    const alias = identifier(`f${place}`);
    return sql` LEFT JOIN ${foundTable(place)} ${alias}
      ON ${alias}."value" = s.${stagingColumn(place)} AND ${alias}."items" = 1`;
  });
  return [
    sql`ALTER TABLE ${STAGING} RENAME TO sluice_read`,
    sql`CREATE TEMPORARY TABLE sluice_import ON COMMIT DROP AS
      SELECT s."row", ${join(columns)}, s."absent" FROM ${READ} s ${join(joins, ' ')}`,
    sql`DROP TABLE ${READ}`,
  ];
}

/** Handles the faulty rows that a function finds, up to a limit. */
export type FaultHandler = (find: (limit: number) => Promise<readonly RowFault[]>) => Promise<void>;

/**
 * Finds the items that the staged rows refer to.
 * @param handle is called for each column
 * @returns the staged rows with keys; a row without an item has null
 */
export async function linkStaged(
  run: ImportRun,
  staged: Staged,
  handle: FaultHandler,
): Promise<Staged> {
  const links = staged.columns.flatMap(({ reference }, place): LinkColumn[] =>
    reference === undefined ? [] : [{ place, reference }],
  );
  if (links.length === 0) return staged;
  const { connection } = run;
  const writes = new ItemWrites(run);
  await connection.run(sql`ANALYZE ${STAGING}`);
  for (const link of links) {
    const { place, reference } = link;
    const name = stagingColumn(place);
    const values = sql`(SELECT DISTINCT s.${name} AS "value" FROM ${STAGING} s
      WHERE s.${name} IS NOT NULL)`;
    await connection.run(createFound(run, reference, { place, values }));
    await connection.run(sql`ANALYZE ${foundTable(place)}`);
    const isCreating = reference.missing === 'create';
    const refused = isCreating ? await createMissing(run, writes, link) : new Map();
    await handle((limit) => faultsOf(run, link, { refused, limit }));
  }
  await connection.runAll(rewrite(staged, links));
  const columns = staged.columns.map(plainColumn);
  return { ...staged, columns, distinct: false };
}
