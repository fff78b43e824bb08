/**
 * Removes the inserted rows, and writes the former values of the overwritten ones. Rows that the
 * database refuses are found by bisection, and stay.
 */
import type pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import { bisectRows, type RefusedRow, type RowRange } from '../copy/bisect-rows.ts';
import { isRowError } from '../validate/database-error.ts';
import { FORMER_ROW, isTaken, KEPT_ROWS, keyColumn, sameItem, type UndoRun } from './undo-run.ts';

/** Finding more refused rows one by one would take too long. */
const REFUSED_MAX = 1_000;

export interface WrittenBack {
  readonly removed: number;
  readonly restored: number;
  /** Rows that the database refuses. */
  readonly refused: readonly RefusedRow<pg.DatabaseError>[];
}

const NO_ROW = sql`SELECT 1 WHERE FALSE`;

/** Both in one statement: removed rows free unique values, and foreign keys are checked at its end. */
function statement({ name, key, columns, kept }: UndoRun, range: RowRange | null): Sql {
  const within = range === null ? sql`TRUE` : sql`u."row" BETWEEN ${range.first} AND ${range.last}`;
  const removal = sql`DELETE FROM ${name} t USING ${KEPT_ROWS} u
    WHERE ${sameItem(key, 't', 'u')} AND u."isNew" AND ${isTaken('u')} AND ${within} RETURNING 1`;
  const fixed = new Set(key.map((part) => part.name));
  const written = columns.filter(
    (column) => !fixed.has(column.name) && column.identity !== 'always',
  );
  const settings = written.map(
    (column) => sql`${identifier(column.name)} = (u."former").${identifier(column.name)}`,
  );
  const keys = key.map((_, place) => sql`u.${keyColumn(place)}`);
  // Each text is read once, not once for each column.
  const restoring = sql`UPDATE ${name} t SET ${join(settings)}
    FROM (SELECT ${join(keys)}, CAST(u."old" AS ${FORMER_ROW}) AS "former" FROM ${KEPT_ROWS} u
      WHERE NOT u."isNew" AND ${isTaken('u')} AND ${within} OFFSET 0) u
    WHERE ${sameItem(key, 't', 'u')} AND (SELECT count(*) FROM "removed") IS NOT NULL RETURNING 1`;
  const hasUpdates = kept.updated > 0 && written.length > 0;
  return sql`WITH "removed" AS (${kept.inserted > 0 ? removal : NO_ROW}),
    "restored" AS (${hasUpdates ? restoring : NO_ROW})
    SELECT (SELECT count(*) FROM "removed")::float8 AS "removed",
      (SELECT count(*) FROM "restored")::float8 AS "restored"`;
}

/** Writes the rows back that do not stay. */
export async function writeBack(run: UndoRun): Promise<WrittenBack> {
  const { connection } = run;
  let removed = 0;
  let restored = 0;
  const attempt = async (range: RowRange | null): Promise<pg.DatabaseError | null> => {
    await connection.run(sql`SAVEPOINT part`);
    try {
      const { rows } = await connection.run(statement(run, range));
      await connection.run(sql`SET CONSTRAINTS ALL IMMEDIATE`);
      await connection.run(sql`RELEASE SAVEPOINT part`);
      removed += Number(rows[0]?.removed ?? 0);
      restored += Number(rows[0]?.restored ?? 0);
      return null;
    } catch (error) {
      if (!isRowError(error)) throw error;
      await connection.run(sql`ROLLBACK TO SAVEPOINT part`);
      return error;
    }
  };
  if ((await attempt(null)) === null) return { removed, restored, refused: [] };
  let single = 0;
  const counted = async (range: RowRange) => {
    const failure = await attempt(range);
    if (failure !== null && range.first === range.last) single += 1;
    if (single <= REFUSED_MAX) return failure;
    const why = reason('undo_too_many_refused', { limit: REFUSED_MAX });
    throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: why }, { cause: failure });
  };
  let refused = await bisectRows(connection, counted, KEPT_ROWS);
  // A row may depend on a later one.
  for (let tried = Number.POSITIVE_INFINITY; refused.length < tried; ) {
    tried = refused.length;
    const still: typeof refused = [];
    for (const { row } of refused) {
      const failure = await attempt({ first: row, last: row });
      if (failure !== null) still.push({ row, failure });
    }
    refused = still;
  }
  return { removed, restored, refused };
}
