/** Interprets PostgreSQL's error for a row: code, field, value, line. */
import pg from 'pg';
import {
  blamesValue,
  type FailureView,
  isTransient,
  translateFailure,
} from '#core/database/failure.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { type RowFault, shown, shownReason } from '../file/row-fault.ts';

/**
 * Classes of SQLSTATE that do not concern a row: connection, features, transaction states, missing
 * objects and rights, resources, operators, and the server itself.
 */
const OTHER_CLASSES = new Set(
  ['08', '0A', '25', '26', '28', '3B', '3D', '3F', '40', '42', '53', '54', '55', '57', '58'].concat(
    ['F0', 'XX'],
  ),
);

/** Classes of what is unknown, too long or not there, for values as well. */
const READING = new Set(['0A', '3F', '42', '54']);

/**
 * The error concerns a row, not the server or the program. What names a column of a line failed as
 * that value was read, whatever the class: some types read a syntax or names.
 */
export function blamesRow(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError) || isTransient(error)) return false;
  if (error.code === undefined) return false;
  const group = error.code.slice(0, 2);
  const isRead = READING.has(group) && typeof copyContext(error)?.field === 'string';
  return isRead || !OTHER_CLASSES.has(group) || blamesValue(error);
}

/** The error concerns a constraint; the staging table can find its rows. */
export function blamesConstraint(error: unknown): boolean {
  return blamesRow(error) && error.code?.startsWith('23') === true;
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

const REASONS: Readonly<Record<string, string>> = {
  '23502': 'The field takes no null and has no default.',
  '23503': 'There is no item with this key.',
  '23505': 'Another item has this value already.',
};

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The row that PostgreSQL refused. */
export interface RefusedRow {
  readonly row: number | null;
  /** Field and value of the file, if known. */
  readonly field?: string | null;
  readonly value?: string | null;
}

/** The fault of a refused row, as the sender of the file may see it. */
export function refusalFault(
  error: pg.DatabaseError,
  view: FailureView,
  { row, field = null, value = null }: RefusedRow,
): RowFault {
  const translated = translateFailure(error, view);
  const { code, details } =
    translated instanceof ServiceError
      ? translated
      : new ServiceError('FAILED_VALIDATION', view.words ? { reason: error.message } : {});
  return {
    row,
    field: field ?? textOf(details.field),
    value: shown(value ?? textOf(details.value)),
    code,
    reason: shownReason(
      REASONS[error.code ?? ''] ?? textOf(details.reason) ?? 'The database refuses the row.',
    ),
  };
}
