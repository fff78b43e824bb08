/**
 * Removes the inserted rows, and writes the former values of the overwritten ones. Rows that the
 * database refuses are found by bisection, and stay.
 */
import pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import { bisectRows, type RefusedRow, type RowRange } from '../copy/bisect-rows.ts';
import { rowHash } from '../target/kept-changes.ts';
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

/** All rows that do not stay, those of a range, or those that have not changed since. */
type ChosenRows = RowRange | 'all' | 'unchanged';

const NO_ROW = sql`SELECT 1 WHERE FALSE`;

/** Both in one statement: removed rows free unique values, and foreign keys are checked at its end. */
function statement({ name, key, columns, kept }: UndoRun, rows: ChosenRows): Sql {
  const isSame = sameItem(key, 't', 'u');
  // Rows that stay are known, unless those that are unchanged are found here.
  const found =
    rows === 'unchanged' ? sql`${isSame} AND ${rowHash('t', columns)} = u."hash"` : isSame;
  const isOf = ({ first, last }: RowRange) => sql`u."row" BETWEEN ${first} AND ${last}`;
  const within = rows === 'all' || rows === 'unchanged' ? sql`TRUE` : isOf(rows);
  const chosen = rows === 'unchanged' ? within : sql`${isTaken('u')} AND ${within}`;
  const removal = sql`DELETE FROM ${name} t USING ${KEPT_ROWS} u
    WHERE ${found} AND u."isNew" AND ${chosen} RETURNING 1`;
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
    FROM (SELECT ${join(keys)}, u."hash", CAST(u."old" AS ${FORMER_ROW}) AS "former"
      FROM ${KEPT_ROWS} u WHERE NOT u."isNew" AND ${chosen} OFFSET 0) u
    WHERE ${found} AND (SELECT count(*) FROM "removed") IS NOT NULL RETURNING 1`;
  const hasUpdates = kept.updated > 0 && written.length > 0;
  return sql`WITH "removed" AS (${kept.inserted > 0 ? removal : NO_ROW}),
    "restored" AS (${hasUpdates ? restoring : NO_ROW})
    SELECT (SELECT count(*) FROM "removed")::float8 AS "removed",
      (SELECT count(*) FROM "restored")::float8 AS "restored"`;
}

type Counts = Pick<WrittenBack, 'removed' | 'restored'>;

/** Writes rows back; returns the error when the database refuses them. */
async function attempt(run: UndoRun, rows: ChosenRows): Promise<Counts | pg.DatabaseError> {
  const { connection } = run;
  await connection.run(sql`SAVEPOINT part`);
  try {
    const { rows: counted } = await connection.run(statement(run, rows));
    await connection.run(sql`SET CONSTRAINTS ALL IMMEDIATE`);
    const [counts] = counted;
    return { removed: Number(counts?.removed), restored: Number(counts?.restored) };
  } catch (error) {
    if (!isRowError(error)) throw error;
    await connection.run(sql`ROLLBACK TO SAVEPOINT part`);
    return error;
  }
}

/**
 * Writes all rows back if none has changed since and the database accepts them, which takes half
 * the time; null, and writes nothing, otherwise.
 */
export async function writeAllBack(run: UndoRun): Promise<WrittenBack | null> {
  const counts = await attempt(run, 'unchanged');
  if (counts instanceof pg.DatabaseError) return null;
  const { inserted, updated } = run.kept;
  if (counts.removed === inserted && counts.restored === updated) return { ...counts, refused: [] };
  await run.connection.run(sql`ROLLBACK TO SAVEPOINT part`);
  return null;
}

/** Writes the rows back that do not stay. */
export async function writeBack(run: UndoRun): Promise<WrittenBack> {
  const { connection } = run;
  const all = await attempt(run, 'all');
  if (!(all instanceof pg.DatabaseError)) return { ...all, refused: [] };
  let removed = 0;
  let restored = 0;
  const attemptRange = async (range: RowRange): Promise<pg.DatabaseError | null> => {
    const counts = await attempt(run, range);
    if (counts instanceof pg.DatabaseError) return counts;
    removed += counts.removed;
    restored += counts.restored;
    return null;
  };
  let single = 0;
  const counted = async (range: RowRange) => {
    const failure = await attemptRange(range);
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
      const failure = await attemptRange({ first: row, last: row });
      if (failure !== null) still.push({ row, failure });
    }
    refused = still;
  }
  return { removed, restored, refused };
}
