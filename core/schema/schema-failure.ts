/** Translates PostgreSQL's errors during schema changes. Only administrators see them. */
import pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { EVERYTHING, isTransient, translateFailure, wordsOf } from '#core/database/failure.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';

/** SQLSTATEs (PostgreSQL, appendix A) for objects that already exist. */
const DUPLICATES: ReadonlySet<string> = new Set([
  SQLSTATE.duplicateColumn,
  SQLSTATE.duplicateTable,
  SQLSTATE.duplicateObject,
  SQLSTATE.duplicateSchema,
]);

/**
 * Classes whose message explains why a change is not possible: unsupported features, dependent
 * objects, limits, states of objects, and wrong definitions.
 */
const IMPOSSIBLE: ReadonlySet<string> = new Set(['0A', '2B', '42', '54', '55']);

/** The ServiceError for an error; an error that a retry may avoid is returned unchanged. */
export function schemaFailure(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const sqlstate = error.code ?? '';
  if (sqlstate === SQLSTATE.lockNotAvailable) {
    return unavailable('database', reason('change_blocked_by_session'), { cause: error });
  }
  if (isTransient(error)) return error;
  const why = wordsOf(error.message, error.detail);
  if (sqlstate === SQLSTATE.notNullViolation) {
    const { table, column } = error;
    const place = { collection: table ?? null, field: column ?? null };
    return new ServiceError('CONTAINS_NULL_VALUES', { ...place, reason: why }, { cause: error });
  }
  if (DUPLICATES.has(sqlstate) || sqlstate.startsWith('22')) {
    return invalidPayload(why);
  }
  if (IMPOSSIBLE.has(sqlstate.slice(0, 2))) {
    return new ServiceError('UNPROCESSABLE_ENTITY', { reason: why }, { cause: error });
  }
  return translateFailure(error, EVERYTHING);
}
