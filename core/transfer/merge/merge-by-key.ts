/**
 * Merges the staging table into the target by a unique key. Rows with an existing key are updated
 * when they differ, and all other rows are inserted, as the mode allows. Other transactions can
 * write to the table meanwhile.
 */
import pg from 'pg';
import { empty, identifier, join, type Sql, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { RowRange } from '../copy/bisect-rows.ts';
import { insertedValues, sameKey, updatedValues } from '../copy/merge-expressions.ts';
import { isAbsent, STAGING, type Staged, stagingColumn } from '../copy/staging-table.ts';
import type { FileColumn } from '../file/file-column.ts';
import type { ImportConnection } from '../target/import-connection.ts';
import type { ImportTarget } from '../target/import-target.ts';
import { DEFAULT_JOINS, joinInKeyOrder } from './join-order.ts';

/** Rows have a key that must not be in the file: for example, an update without an item. */
export class InvalidKeys extends Error {}

/** The result for the staged rows. */
export interface MergeCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Rows that a trigger discarded. */
  readonly skipped: number;
}

/** The source of the file's rows. */
export interface MergeSource {
  /** A relation with the columns of the staging table. */
  readonly name: Sql;
  /** The beginning of the WITH clause that defines it. */
  readonly made: Sql;
}

const STAGED: MergeSource = { name: STAGING, made: empty };

/** Types whose `=` distinguishes all values that a reader can distinguish. */
const PLAIN_EQUALITY = new Set(
  [
    'int2',
    'int4',
    'int8',
    'text',
    'varchar',
    'bool',
    'date',
    'time',
    'timestamp',
    'timestamptz',
  ].concat(['uuid', 'bytea']),
);

function within(range: RowRange | undefined): Sql {
  if (range === undefined) return sql`TRUE`;
  return sql`s."row" BETWEEN ${range.first} AND ${range.last}`;
}

/** Removes all rows but the last of each key. @returns how many were removed */
export async function removeDuplicates(
  connection: ImportConnection,
  target: ImportTarget,
  columns: readonly FileColumn[],
): Promise<number> {
  const names = new Set(target.key.map((field) => field.name));
  const places = columns.flatMap(({ name }, place) => (names.has(name) ? [place] : []));
  if (target.mode === 'insert' || places.length < names.size) return 0;
  const key = places.map((place) => sql`s.${stagingColumn(place)}`);
  const same = places.map((place) => sql`s.${stagingColumn(place)} = d.${stagingColumn(place)}`);
  // A key with a null is not a key: the database generates it, or rejects the row.
  const { rowCount } = await connection.run(sql`DELETE FROM ${STAGING} s USING (
      SELECT ${join(key)}, max(s."row") AS "last" FROM ${STAGING} s
      GROUP BY ${join(key)} HAVING count(*) > 1) d
    WHERE ${join(same, ' AND ')} AND s."row" < d."last"`);
  return rowCount ?? 0;
}

/** The column of the target `t` differs from a value. */
function changed({ table }: ImportTarget, name: string, value: Sql): Sql {
  const type = table.columns.find((column) => column.name === name)?.typeName ?? '';
  const ours = sql`t.${identifier(name)}`;
  // Comparing binary images works for types without equality, and distinguishes 1.0 from 1.00.
  return PLAIN_EQUALITY.has(type)
    ? sql`${ours} IS DISTINCT FROM ${value}`
    : sql`ROW(${ours})::record *<> ROW(${value})::record`;
}

/** The condition that a staged row differs from the target's in a column. */
function differs(target: ImportTarget, staged: Staged, name: string, value: Sql): Sql {
  const place = staged.columns.findIndex((column) => column.name === name);
  const made = target.made.update.values.has(name);
  if (made || place < 0) return changed(target, name, value);
  const differing = changed(target, name, sql`s.${stagingColumn(place)}`);
  return staged.lacking.has(place) ? sql`(NOT ${isAbsent(place)} AND ${differing})` : differing;
}

/** How rows that differ are updated; null when the file contains only keys. */
function updateParts(
  target: ImportTarget,
  staged: Staged,
): { settings: Sql; differing: Sql } | null {
  const kept = new Set([...target.key.map((field) => field.name), ...target.fixed]);
  const values = updatedValues(target, staged).filter(({ name }) => !kept.has(name));
  if (values.length === 0) return null;
  const settings = values.map(({ name, value }) => sql`${identifier(name)} = ${value}`);
  const changes = values.map(({ name, value }) => differs(target, staged, name, value));
  return { settings: join(settings), differing: join(changes, ' OR ') };
}

/** The statement that updates differing rows; null when the file contains only keys. */
function updateStatement({ target, staged, range, source = STAGED }: Merge, same: Sql): Sql | null {
  const parts = updateParts(target, staged);
  if (parts === null) return null;
  return sql`UPDATE ${target.name} t SET ${parts.settings} FROM ${source.name} s
    WHERE ${same} AND ${within(range)} AND (${parts.differing})`;
}

/** The rows that {@link updateStatement} changes, before it. */
function rowsBefore({ target, staged, range, source = STAGED }: Merge, same: Sql | null): Sql {
  const parts = same === null ? null : updateParts(target, staged);
  const isChanged = parts === null ? sql`FALSE` : sql`${same} AND (${parts.differing})`;
  return sql`SELECT ${target.kept?.before ?? empty} FROM ${target.name} t, ${source.name} s
    WHERE ${isChanged} AND ${within(range)}`;
}

/** The parts that a merge has in addition if its changes are kept. */
interface KeepingParts {
  /** What a written row returns. */
  readonly returning: Sql;
  readonly oldReturned: Sql;
  readonly noRow: Sql;
  /** CTEs before and after the changes. */
  readonly before: Sql;
  readonly after: Sql;
}

function keepingParts(work: Merge, same: Sql | null): KeepingParts {
  const { kept } = work.target;
  if (kept === null) {
    const nothing = { oldReturned: empty, before: empty, after: empty };
    return { ...nothing, returning: sql`1`, noRow: NO_ROW };
  }
  const { oldReturning, returning, oldReturned, noRow } = kept;
  const before = oldReturning ? empty : sql`"before" AS MATERIALIZED (${rowsBefore(work, same)}), `;
  const updated = oldReturning
    ? sql`SELECT FALSE AS "isNew", u."key", u."hash", u."old" FROM "updated" u`
    : sql`SELECT FALSE AS "isNew", u."key", u."hash", b."old" FROM "updated" u JOIN "before" b USING ("key")`;
  const after = sql`, "kept" AS (${kept.keep(sql`(${updated}
    UNION ALL SELECT TRUE, i."key", i."hash", NULL FROM "inserted" i)`)})`;
  return { returning, oldReturned, noRow, before, after };
}

/** The columns of new rows, and their values. */
function insertParts(target: ImportTarget, staged: Staged): { names: Sql; values: Sql } {
  const inserted = insertedValues(target, staged);
  return {
    names: join(inserted.map(({ name }) => identifier(name))),
    values: join(inserted.map(({ value }) => value)),
  };
}

/** The statement that inserts new rows, after the updates have freed their unique values. */
function insertStatement(work: Merge, same: Sql | null): Sql {
  const { target, staged, range, source = STAGED } = work;
  const { names, values } = insertParts(target, staged);
  const isNew =
    same === null ? sql`TRUE` : sql`NOT EXISTS (SELECT FROM ${target.name} t WHERE ${same})`;
  return sql`INSERT INTO ${target.name} AS t (${names}) SELECT ${values}
    FROM ${source.name} s WHERE ${isNew} AND ${within(range)}
      AND (SELECT count(*) FROM "updated") IS NOT NULL`;
}

export interface Merge {
  readonly connection: ImportConnection;
  readonly target: ImportTarget;
  readonly staged: Staged;
  /** Only these rows; by default all. */
  readonly range?: RowRange;
  /** The number of rows. */
  readonly rows: number;
  /** Their source; by default the staging table. */
  readonly source?: MergeSource;
}

const NO_ROW = sql`SELECT 1 WHERE FALSE`;

/** The number of rows of a source that is part of the statement. */
function total(source: MergeSource): Sql {
  return source === STAGED ? sql`NULL` : sql`(SELECT count(*) FROM ${source.name})`;
}

/**
 * Both parts in one statement, so that they have the same snapshot. A row that another transaction
 * commits between them would otherwise be neither updated nor inserted.
 */
function mergeStatement(work: Merge, same: Sql | null): Sql {
  const { target, range, source = STAGED } = work;
  const update = same === null ? null : updateStatement(work, same);
  const insert = target.mode === 'update' ? null : insertStatement(work, same);
  // Only a trigger can discard rows; without one, unwritten rows are identical.
  const matched =
    same !== null && (target.table.userTriggers || insert === null)
      ? sql`(SELECT count(*) FROM ${target.name} t JOIN ${source.name} s ON ${same} AND ${within(range)})`
      : sql`NULL`;
  const { before, returning, oldReturned, noRow, after } = keepingParts(work, same);
  return sql`WITH ${source.made}${before}"updated" AS (${update === null ? noRow : sql`${update} RETURNING ${returning}${oldReturned}`}),
    "inserted" AS (${insert === null ? noRow : sql`${insert} RETURNING ${returning}`})${after}
    SELECT (SELECT count(*) FROM "updated") AS "updated",
      (SELECT count(*) FROM "inserted") AS "inserted", ${matched} AS "matched",
      ${total(source)} AS "total"`;
}

/**
 * Both parts as one MERGE, which joins only once and stores no rows for counting. It inserts rows
 * before the updates have freed all unique values. Null where it cannot yield all counts.
 */
function quickStatement(work: Merge, same: Sql | null): Sql | null {
  const { target, staged, source = STAGED } = work;
  const { mergeReturning, mode, table, name, kept } = target;
  if (kept !== null && !kept.oldReturning) return null;
  if (same === null || !mergeReturning || mode !== 'upsert' || table.userTriggers) return null;
  const update = updateParts(target, staged);
  const { names, values } = insertParts(target, staged);
  const updating =
    update === null
      ? empty
      : sql`WHEN MATCHED AND (${update.differing}) THEN UPDATE SET ${update.settings}`;
  return sql`WITH ${source.made}"merged" AS (
      MERGE INTO ${name} t USING ${source.name} s ON ${same} ${updating}
      WHEN NOT MATCHED THEN INSERT (${names}) VALUES (${values})
      RETURNING merge_action() = 'INSERT' AS "isNew"${kept === null ? empty : sql`, ${kept.returning}, ${kept.oldMerged}`})
    ${kept === null ? empty : sql`, "kept" AS (${kept.keep(sql`"merged"`)})`}
    ${quickCounts(kept !== null)}, NULL AS "matched",
      ${total(source)} AS "total" FROM ${kept === null ? sql`"merged"` : sql`"kept"`}`;
}

/** The counts of a quick statement; rows that are kept are read once. */
function quickCounts(isKept: boolean): Sql {
  if (isKept) {
    return sql`SELECT coalesce(sum("rows") FILTER (WHERE NOT is_new), 0) AS "updated",
      coalesce(sum("rows") FILTER (WHERE is_new), 0) AS "inserted"`;
  }
  return sql`SELECT count(*) FILTER (WHERE NOT "isNew") AS "updated",
      count(*) FILTER (WHERE "isNew") AS "inserted"`;
}

/** Merges with the quick statement where possible, else with the general one. */
export function mergeOf(work: Merge, isQuick: boolean): Sql {
  const same = sameKey(work.target, work.staged.columns);
  return (isQuick ? quickStatement(work, same) : null) ?? mergeStatement(work, same);
}

/** The counts in the result of {@link mergeOf}. */
export function mergeCounts(
  { target, staged, rows }: Merge,
  answer: Readonly<Record<string, unknown>> | undefined,
): MergeCounts {
  const same = sameKey(target, staged.columns);
  const updated = Number(answer?.updated ?? 0);
  const inserted = Number(answer?.inserted ?? 0);
  const found = same === null ? 0 : Number(answer?.matched ?? rows - inserted);
  if (target.mode === 'update' && found < rows) throw new InvalidKeys();
  return { inserted, updated, unchanged: found - updated, skipped: rows - found - inserted };
}

/** Merges; a key that another transaction inserts concurrently causes a unique violation. */
export async function mergeOnce(work: Merge, isQuick = false): Promise<MergeCounts> {
  const [answer] = (await work.connection.run(mergeOf(work, isQuick))).rows;
  const counts = mergeCounts(work, answer);
  await work.connection.run(sql`SET CONSTRAINTS ALL IMMEDIATE`);
  return counts;
}

/**
 * Merges. A row of the file that another transaction inserts concurrently causes a key collision.
 * With the quick statement, swapped unique values also collide. Then the merge is rolled back and
 * repeated with the table locked against other writers.
 */
export async function merge(work: Merge): Promise<MergeCounts> {
  const { connection, target, staged } = work;
  const same = sameKey(target, staged.columns);
  await connection.run(sql`SAVEPOINT merge`);
  const isOrdered = same !== null && (await joinInKeyOrder(connection, target));
  try {
    const counts = await mergeOnce(work, true);
    if (isOrdered) await connection.run(DEFAULT_JOINS);
    return counts;
  } catch (error) {
    const conflict = error instanceof pg.DatabaseError && error.code === SQLSTATE.uniqueViolation;
    if (same === null || !conflict) throw error;
  }
  await connection.run(sql`ROLLBACK TO SAVEPOINT merge`);
  await connection.run(sql`LOCK TABLE ${target.name} IN SHARE ROW EXCLUSIVE MODE`);
  return await mergeOnce(work);
}
