/** Translates PostgreSQL's errors during schema changes. Only administrators see them. */
import pg from 'pg';
import { EVERYTHING, isTransient, translateFailure, wordsOf } from '#core/database/failure.ts';
import { invalidPayload, ServiceError, unavailable } from '#core/errors/service-error.ts';

const LOCK_NOT_AVAILABLE = '55P03';

/** SQLSTATEs (PostgreSQL, appendix A) for something that exists already. */
const DUPLICATES: ReadonlySet<string> = new Set(['42701', '42P07', '42710', '42P06']);

/**
 * Classes whose message says what is not possible: unsupported features, dependent objects, limits,
 * states of objects, and wrong definitions.
 */
const IMPOSSIBLE: ReadonlySet<string> = new Set(['0A', '2B', '42', '54', '55']);

/** The ServiceError for an error; one that another attempt may not meet is returned unchanged. */
export function schemaFailure(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const sqlstate = error.code ?? '';
  if (sqlstate === LOCK_NOT_AVAILABLE) {
    const reason = 'Another session holds something that the change needs for too long.';
    return unavailable('database', reason, { cause: error });
  }
  if (isTransient(error)) return error;
  const details = { reason: wordsOf(error.message, error.detail) };
  if (sqlstate === '23502') {
    const { table, column } = error;
    const place = { collection: table ?? null, field: column ?? null };
    return new ServiceError('CONTAINS_NULL_VALUES', { ...place, ...details }, { cause: error });
  }
  if (DUPLICATES.has(sqlstate) || sqlstate.startsWith('22')) {
    return invalidPayload(details.reason);
  }
  if (IMPOSSIBLE.has(sqlstate.slice(0, 2))) {
    return new ServiceError('UNPROCESSABLE_ENTITY', details, { cause: error });
  }
  return translateFailure(error, EVERYTHING);
}
