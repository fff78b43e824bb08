/** Interprets PostgreSQL's error for a row: code, field, value, line. */
import pg from 'pg';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import {
  blamesValue,
  type FailureView,
  isTransient,
  translateFailure,
} from '#core/database/failure.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import { displayReason, displayValue, type RowFault } from '../file/row-fault.ts';

/**
 * Classes of SQLSTATE that do not concern a row: connection, features, transaction states, missing
 * objects and privileges, resources, operators, and the server itself.
 */
const OTHER_CLASSES = new Set(
  ['08', '0A', '25', '26', '28', '3B', '3D', '3F', '40', '42', '53', '54', '55', '57', '58'].concat(
    ['F0', 'XX'],
  ),
);

/** Classes of unknown, too long or missing names, which values may also cause. */
const READING = new Set(['0A', '3F', '42', '54']);

/**
 * Whether the error concerns a row, not the server or the program. An error that names a column of
 * a line occurred while its value was read, whatever the class: some types parse a syntax or names.
 */
export function isRowError(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError) || isTransient(error)) return false;
  if (error.code === undefined) return false;
  const group = error.code.slice(0, 2);
  const isRead = READING.has(group) && typeof copyContext(error)?.field === 'string';
  return isRead || !OTHER_CLASSES.has(group) || blamesValue(error);
}

/** The error concerns a constraint; the staging table can find its rows. */
export function isConstraintError(error: unknown): boolean {
  return isRowError(error) && error.code?.startsWith('23') === true;
}

interface Context {
  readonly line: number;
  readonly field: string | null;
  readonly value: string | null;
}

/** Parses `COPY name, line 7, column price: "x"`, in any language. */
export function copyContext(error: pg.DatabaseError): Context | null {
  const match = /^COPY [^\n]*?, \S+ (\d+)(?:, \S+ ([^\n:]+)(?:: "([\s\S]*)")?)?/.exec(
    error.where ?? '',
  );
  if (match?.[1] === undefined) return null;
  return { line: Number(match[1]), field: match[2] ?? null, value: match[3] ?? null };
}

const REASONS: Readonly<Record<string, Reason>> = {
  [SQLSTATE.notNullViolation]: reason('value_missing_without_default'),
  [SQLSTATE.foreignKeyViolation]: reason('no_item_with_this_key'),
  [SQLSTATE.uniqueViolation]: reason('value_taken'),
};
const REFUSED = reason('database_refuses_row');

/** The database's message, for callers that may see it. */
function toldWords({ message }: pg.DatabaseError, { words }: FailureView) {
  return words ? { reason: reason('database_says', { message }) } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The row that PostgreSQL rejected. */
export interface RefusedRow {
  readonly row: number | null;
  /** Field and value of the file, if known. */
  readonly field?: string | null;
  readonly value?: string | null;
}

/** The fault of a rejected row, as the sender of the file may see it. */
export function rowErrorFault(
  error: pg.DatabaseError,
  view: FailureView,
  { row, field = null, value = null }: RefusedRow,
): RowFault {
  const translated = translateFailure(error, view);
  const { code, details } =
    translated instanceof ServiceError
      ? translated
      : new ServiceError('FAILED_VALIDATION', toldWords(error, view));
  return {
    row,
    field: field ?? textOf(details.field),
    value: displayValue(value ?? textOf(details.value)),
    code,
    reason: displayReason(REASONS[error.code ?? ''] ?? details.reason ?? REFUSED),
  };
}
