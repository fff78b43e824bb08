/**
 * Finds the rows of the staging table that violate a constraint of the target: for each constraint,
 * it queries the rows that would not satisfy it after the merge.
 */
import pg from 'pg';
import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { empty, identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { ForeignKeyDescriptor } from '#core/model/catalog/descriptor.ts';
import { isAbsent, STAGING, type Staged, stagingColumn } from '../copy/staging-table.ts';
import { displayValue, type RowFault } from '../file/row-fault.ts';
import type { ImportOptions } from '../run/import-options.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { ImportTarget } from '../target/import-target.ts';
import { uniqueKeys } from '../target/match-key.ts';
import { restrictedLinks } from './restricted-links.ts';
import {
  ROW_NUMBER,
  resultingRows,
  rowNumberOf,
  type StagedRows,
  stagedRowsOf,
} from './staged-rows.ts';
import { canSeeValues, forbiddenRowFault, visibleFieldNames } from './visible-faults.ts';

/** A query on the staging table that returns "row" and "value". */
interface Question {
  /** SQLSTATE of the constraint violation. */
  readonly sqlstate: string;
  readonly code: ErrorCode;
  /** Its columns. */
  readonly columns: readonly string[];
  readonly reason: Reason;
  /** Rows lack a value; "value" is the kind of the fault, which is visible for every field. */
  readonly isMissing?: boolean;
  /** It discloses that no item has a key, which may be hidden from the sender. */
  readonly isUnmatched?: boolean;
  readonly statement: Sql;
}

function textOf(columns: readonly string[]): Sql {
  return sql`concat_ws(',', ${join(columns.map((name) => sql`f.${identifier(name)}::text`))})`;
}

function unmatched(target: ImportTarget, same: Sql): Sql {
  return sql`NOT EXISTS (SELECT FROM ${target.name} t WHERE ${same})`;
}

function notNullQuestions(subject: StagedRows): Question[] {
  const { target, same } = subject;
  const judged = new Set(emptyKeyQuestions(subject).flatMap(({ columns }) => columns));
  return [...target.required].flatMap((field) => {
    if (judged.has(field)) return [];
    const place = rowNumberOf(subject, field);
    const column = target.table.columns.find(({ name }) => name === field);
    if (column === undefined || column.generatedExpression !== null) return [];
    const made = target.made.create.values.get(field);
    const hasDefault = target.defaults.has(field) || made !== undefined;
    if (place < 0 && hasDefault) return [];
    const isNull = place < 0 ? sql`TRUE` : sql`s.${stagingColumn(place)} IS NULL`;
    const isNew =
      same === null ? sql`TRUE` : sql`${target.mode !== 'update'} AND ${unmatched(target, same)}`;
    const given = place < 0 ? sql`FALSE` : sql`NOT ${isAbsent(place)}`;
    const isReplaced = made !== undefined && made.for !== 'lacking';
    const present = isReplaced ? sql`(${given} AND NOT (${isNew}))` : given;
    const missing = hasDefault ? present : sql`(${present} OR ${isNew})`;
    return {
      sqlstate: SQLSTATE.notNullViolation,
      code: 'FAILED_VALIDATION',
      columns: [field],
      reason: reason('value_missing_without_default'),
      isMissing: true,
      statement: sql`SELECT s."row", CASE WHEN ${present} THEN 'nnull' ELSE 'required' END AS "value"
        FROM ${STAGING} s WHERE ${isNull} AND ${missing}`,
    } as const;
  });
}

function checkQuestions(subject: StagedRows): Question[] {
  const after = resultingRows(subject);
  return subject.target.checks.map(({ name, condition, columns }) => ({
    sqlstate: SQLSTATE.checkViolation,
    code: 'FAILED_VALIDATION',
    columns,
    reason:
      subject.options.fields === undefined
        ? reason('check_does_not_hold', { name: JSON.stringify(name) })
        : reason('database_condition_broken'),
    statement: sql`SELECT ${ROW_NUMBER} AS "row", ${columns.length === 0 ? sql`NULL` : textOf(columns)}
      AS "value" FROM ${after} f WHERE (${condition}) IS FALSE`,
  }));
}

/** The columns can contain values from the file or from a default. */
function concerned(subject: StagedRows, columns: readonly string[]): boolean {
  const { defaults, made } = subject.target;
  return columns.some(
    (name) =>
      rowNumberOf(subject, name) >= 0 ||
      defaults.has(name) ||
      made.create.values.has(name) ||
      made.update.values.has(name),
  );
}

function pairs(
  left: string,
  ours: readonly string[],
  right: string,
  theirs: readonly string[],
): Sql {
  const parts = ours.map(
    (name, index) => sql`${identifier(left, name)} = ${identifier(right, theirs[index] ?? name)}`,
  );
  return join(parts, ' AND ');
}

function complete(columns: readonly string[]): Sql {
  return join(
    columns.map((name) => sql`f.${identifier(name)} IS NOT NULL`),
    ' AND ',
  );
}

function foreignKeyQuestion(subject: StagedRows, key: ForeignKeyDescriptor): Question {
  const { table } = subject.target;
  const after = resultingRows(subject);
  const own = key.targetSchema === table.schema && key.targetTable === table.name;
  const link = pairs('f', key.columns, 'r', key.targetColumns);
  // A row of the same file can be the target.
  const inFile = own ? sql`AND NOT EXISTS (SELECT FROM ${after} r WHERE ${link})` : empty;
  return {
    sqlstate: SQLSTATE.foreignKeyViolation,
    code: 'INVALID_FOREIGN_KEY',
    columns: key.columns,
    reason:
      subject.options.fields === undefined
        ? reason('no_such_item_in', { collection: JSON.stringify(key.targetTable) })
        : reason('no_item_with_this_key'),
    statement: sql`SELECT ${ROW_NUMBER} AS "row", ${textOf(key.columns)} AS "value" FROM ${after} f
      WHERE ${complete(key.columns)} AND NOT EXISTS (
        SELECT FROM ${identifier(key.targetSchema, key.targetTable)} r WHERE ${link}) ${inFile}`,
  };
}

/** Column lists of the unique keys except the one that matches rows with items. */
function uniqueLists({ target: { table, key }, same }: StagedRows): string[][] {
  const matched = new Set(key.map(({ name }) => name));
  return uniqueKeys(table).filter(
    (columns) =>
      same === null ||
      columns.length !== matched.size ||
      !columns.every((name) => matched.has(name)),
  );
}

function uniqueQuestions(subject: StagedRows, columns: readonly string[]): Question[] {
  const { target, same } = subject;
  const after = resultingRows(subject);
  const shared = {
    sqlstate: SQLSTATE.uniqueViolation,
    code: 'RECORD_NOT_UNIQUE',
    columns,
  } as const;
  const list = join(columns.map((name) => sql`f.${identifier(name)}`));
  // A row that the file also contains will have the file's value.
  const key = target.key.map(
    ({ name }) => sql`o.${identifier(name)} = s.${stagingColumn(rowNumberOf(subject, name))}`,
  );
  const kept =
    same === null
      ? empty
      : sql`AND NOT EXISTS (SELECT FROM ${STAGING} s WHERE ${join(key, ' AND ')})`;
  return [
    {
      ...shared,
      reason: reason('value_taken'),
      statement: sql`SELECT ${ROW_NUMBER} AS "row", ${textOf(columns)} AS "value" FROM ${after} f
        WHERE EXISTS (SELECT FROM ${target.name} o
          WHERE ${pairs('o', columns, 'f', columns)} ${kept})`,
    },
    {
      ...shared,
      reason: reason('value_taken_in_file'),
      statement: sql`SELECT "row", "value" FROM (
          SELECT ${ROW_NUMBER} AS "row", ${textOf(columns)} AS "value",
            row_number() OVER (PARTITION BY ${list} ORDER BY ${ROW_NUMBER}) AS "place"
          FROM ${after} f WHERE ${complete(columns)}) p
        WHERE "place" > 1`,
    },
  ];
}

/** Rows with a new key although only the database may generate it. */
function numberedKeyQuestions({ target, staged, same }: StagedRows): Question[] {
  // There, these rows match no item to update.
  if (target.mode === 'update') return [];
  return target.key.flatMap(({ name, column }) => {
    const place = staged.columns.findIndex((entry) => entry.name === name);
    if (column.identity !== 'always' || place < 0 || same === null) return [];
    const value = sql`s.${stagingColumn(place)}`;
    return {
      sqlstate: SQLSTATE.generatedAlways,
      code: 'FAILED_VALIDATION',
      columns: [name],
      reason: reason('no_item_and_numbered_by_database'),
      isUnmatched: true,
      statement: sql`SELECT s."row", ${value}::text AS "value" FROM ${STAGING} s
        WHERE ${value} IS NOT NULL AND ${unmatched(target, same)}`,
    } as const;
  });
}

/** Rows without a value in the key that must match their items. */
function emptyKeyQuestions({ target, staged, same }: StagedRows): Question[] {
  const isFound = target.mode === 'update' || target.mirrors || target.fixed.size > 0;
  if (same === null || !isFound) return [];
  return target.key.map(({ name }) => ({
    sqlstate: SQLSTATE.notNullViolation,
    code: 'NOT_NULL_VIOLATION',
    columns: [name],
    reason: reason('row_without_match_value'),
    statement: sql`SELECT s."row", NULL AS "value" FROM ${STAGING} s
      WHERE s.${stagingColumn(rowNumberOf({ staged }, name))} IS NULL`,
  }));
}

/** Rows without a matching item, in an import that only updates. */
function unmatchedQuestions({ target, staged, same }: StagedRows): Question[] {
  if (same === null || target.mode !== 'update') return [];
  const columns = target.key.map(({ name }) => name);
  const values = columns.map((name) => sql`s.${stagingColumn(rowNumberOf({ staged }, name))}`);
  const complete = values.map((value) => sql`${value} IS NOT NULL`);
  const texts = values.map((value) => sql`${value}::text`);
  return [
    {
      sqlstate: 'P0002',
      code: 'FAILED_VALIDATION',
      columns,
      reason: reason('no_item_to_update'),
      isUnmatched: true,
      statement: sql`SELECT s."row", concat_ws(',', ${join(texts)}) AS "value"
        FROM ${STAGING} s WHERE ${join(complete, ' AND ')} AND ${unmatched(target, same)}`,
    },
  ];
}

function faultOf(
  options: ImportOptions,
  { code, columns, reason: why, isMissing = false, isUnmatched = false }: Question,
  row: number,
  value: unknown,
): RowFault {
  if (isUnmatched && !canSeeValues(options, columns)) return forbiddenRowFault(row);
  if (isMissing) {
    const details = { path: [], type: value };
    return { row, field: columns.join(','), value: null, code, reason: why, details };
  }
  const isShown = typeof value === 'string' && canSeeValues(options, columns);
  const field = visibleFieldNames(options, columns);
  return { row, field, value: isShown ? displayValue(value) : null, code, reason: why };
}

async function ask(
  { connection, options }: ImportRun,
  question: Question,
  limit: number,
): Promise<RowFault[]> {
  await connection.run(sql`SAVEPOINT question`);
  try {
    const { rows } = await connection.run(
      sql`SELECT q."row", q."value" FROM (${question.statement}) q
        ORDER BY q."row" LIMIT ${raw(String(limit))}`,
    );
    return rows.map(({ row, value }) => faultOf(options, question, Number(row), value));
  } catch (error) {
    // This check is optional; without its result the original failure is reported.
    if (!(error instanceof pg.DatabaseError)) throw error;
    return [];
  } finally {
    if (!connection.signal.aborted) await connection.run(sql`ROLLBACK TO SAVEPOINT question`);
  }
}

async function askAll(
  run: ImportRun,
  questions: readonly Question[],
  limit: number,
): Promise<RowFault[]> {
  const faults: RowFault[] = [];
  for (const question of questions) {
    if (faults.length >= limit) break;
    faults.push(...(await ask(run, question, limit - faults.length)));
  }
  return faults;
}

/** Faulty keys that a merge would accept: new ones of identity columns, and those with a null. */
function badKeyQuestions(subject: StagedRows): Question[] {
  return [...numberedKeyQuestions(subject), ...emptyKeyQuestions(subject)];
}

/** The rows whose key must be rejected before the merge, up to `limit`. */
export async function findInvalidKeys(
  run: ImportRun,
  staged: Staged,
  limit: number,
): Promise<RowFault[]> {
  return await askAll(run, badKeyQuestions(stagedRowsOf(run, staged)), limit);
}

/**
 * All rows that violate a constraint, or whose key does not fit the mode, up to `limit`.
 * @param sqlstate the failure that PostgreSQL reported; where triggers change rows, only
 *   constraints of that kind are checked, because the staged rows are not the final ones
 */
export async function findFaultyRows(
  run: ImportRun,
  staged: Staged,
  { limit, sqlstate: reported }: { limit: number; sqlstate: string | undefined },
): Promise<RowFault[]> {
  const { target } = run;
  const subject = stagedRowsOf(run, staged);
  // These links were checked already, including missing items.
  const restricted = new Set(
    restrictedLinks(run, staged.columns).map(({ foreignKey }) => foreignKey.name),
  );
  const isReported = ({ sqlstate }: Question) =>
    !target.table.userTriggers || sqlstate === reported;
  const missing = notNullQuestions(subject).filter(isReported);
  const constraints = [
    ...checkQuestions(subject),
    ...target.table.foreignKeys
      .filter((key) => !restricted.has(key.name) && concerned(subject, key.columns))
      .map((key) => foreignKeyQuestion(subject, key)),
    ...uniqueLists(subject)
      .filter((columns) => concerned(subject, columns))
      .flatMap((columns) => uniqueQuestions(subject, columns)),
  ].filter(isReported);
  const keys = [...badKeyQuestions(subject), ...unmatchedQuestions(subject)];
  const incomplete = await askAll(run, [...keys, ...missing], limit);
  // Rows that cannot be written anyway need no constraint fault.
  const told = new Set(incomplete.map(({ row }) => row));
  const broken = incomplete.length < limit ? await askAll(run, constraints, limit) : [];
  return [...incomplete, ...broken.filter(({ row }) => !told.has(row))].slice(0, limit);
}
