/** What a failure of PostgreSQL means to a caller: which code of the catalogue, if any. */
import pg from 'pg';
import type { ErrorCode } from '#core/errors/catalogue.ts';
import {
  invalidQuery,
  ServiceError,
  ServiceErrors,
  unavailable,
} from '#core/errors/service-error.ts';
import { BrokenConnectionError, MessageTooLargeError } from './client.ts';

/** SQLSTATE of a constraint or value error → code (PostgreSQL, appendix A). */
export const CODE_OF_SQLSTATE: Readonly<Record<string, ErrorCode>> = {
  '23505': 'RECORD_NOT_UNIQUE',
  '23502': 'NOT_NULL_VIOLATION',
  '23503': 'INVALID_FOREIGN_KEY',
  '23514': 'FAILED_VALIDATION',
  '23P01': 'RECORD_NOT_UNIQUE',
  '22003': 'VALUE_OUT_OF_RANGE',
  '22001': 'VALUE_TOO_LONG',
};

/** Failures after which the same work may simply be tried again. */
const RETRYABLE = new Set(['40001', '40P01', '55P03', '57P01', '57P02', '57P03', '53300', '53400']);

/** The error is the server's or the connection's, and trying again may help. */
export function isTransient(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return RETRYABLE.has(code) || code.startsWith('08');
  }
  return isConnectionFailure(error);
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'ENOENT',
]);

function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BrokenConnectionError) return !(error instanceof MessageTooLargeError);
  if ('code' in error && CONNECTION_CODES.has(String(error.code))) return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionFailure);
  return /connection terminated|timeout exceeded when trying to connect|connection ended|client was closed|not queryable|connection error/i.test(
    error.message,
  );
}

/** `Key (a, b)=(1, 2) …` in the detail of a key violation. */
function keyOf(detail: string | undefined): { fields: string[]; value: string } | null {
  const match = /^Key \((.+?)\)=\((.*?)\)(?: |$)/s.exec(detail ?? '');
  if (match?.[1] === undefined || match[2] === undefined) return null;
  const fields = match[1].split(', ').map((name) => name.replace(/^"(.*)"$/s, '$1'));
  return { fields, value: match[2] };
}

function constraintError(error: pg.DatabaseError, code: ErrorCode): ServiceError {
  const key = keyOf(error.detail);
  const field = error.column ?? (key === null ? null : key.fields.join(','));
  const details = {
    collection: error.table ?? null,
    field,
    ...(key === null ? {} : { value: key.value }),
    ...(error.constraint === undefined ? {} : { constraint: error.constraint }),
  };
  return new ServiceError(code, details, { cause: error });
}

/**
 * Translates a failure into the error that the caller gets. What is not recognised is returned
 * unchanged and ends as a 500.
 */
export function translateFailure(error: unknown): unknown {
  if (error instanceof ServiceError || error instanceof ServiceErrors) return error;
  if (error instanceof MessageTooLargeError) {
    const { limit } = error;
    const reason = `The database's answer is larger than ${limit} bytes. Ask for fewer items or fields at a time, or leave out the largest values.`;
    return new ServiceError('CONTENT_TOO_LARGE', { limit, reason }, { cause: error });
  }
  if (!(error instanceof pg.DatabaseError)) {
    return isConnectionFailure(error)
      ? unavailable('database', 'The database cannot be reached or is too busy.', { cause: error })
      : error;
  }
  const sqlstate = error.code ?? '';
  const code = CODE_OF_SQLSTATE[sqlstate];
  if (code !== undefined) return constraintError(error, code);
  if (sqlstate === '57014') {
    return unavailable('database', 'The statement took longer than QUERY_TIMEOUT allows.', {
      cause: error,
    });
  }
  // Classes 53 and 55: it lacks what it needs, as a view does that has never been filled.
  if (isTransient(error) || sqlstate.startsWith('53') || sqlstate.startsWith('55')) {
    return unavailable('database', 'The database cannot do this right now.', { cause: error });
  }
  // Class 22: a value that does not fit its type and that no earlier check could see.
  if (sqlstate.startsWith('22')) return invalidQuery('A value does not fit the type of its field.');
  return error;
}
