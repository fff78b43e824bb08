/**
 * Translates a PostgreSQL failure for a caller: the error code of the catalogue, if any, and the
 * details that may be disclosed. Every failure whose message or names are returned to a caller
 * passes {@link translateFailure}.
 */
import pg from 'pg';
import type { ErrorCode } from '#core/base/errors/catalogue.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import {
  type ErrorDetails,
  forbidden,
  invalidQuery,
  ServiceError,
  ServiceErrors,
  unavailable,
} from '#core/base/errors/service-error.ts';
import { BrokenConnectionError, MessageTooLargeError } from './client.ts';
import { constraintColumns, foreignKeyOf, keyDetail } from './constraint.ts';
import { SQLSTATE } from './sqlstate.ts';
import type { ForeignKeyDescriptor, TableDescriptor } from './table-descriptor.ts';

/** A table that is visible to a caller. */
export interface SeenTable {
  readonly collection: string;
  readonly table: TableDescriptor;
  /** The field of a column, and whether its values may be disclosed; null when it is hidden. */
  fieldOf(column: string): { readonly name: string; readonly values: boolean } | null;
}

/** The details that may be disclosed to a caller. */
export interface FailureView {
  /** The database's own messages, with the names of constraints, types and other objects. */
  readonly words: boolean;
  /** The failure is that of a write: bad values are in the payload, not in the query. */
  readonly writing: boolean;
  /** Null when the table is hidden from the caller. */
  tableOf(schema: string, name: string): SeenTable | null;
}

/** The caller is unknown, so no name is disclosed. */
const NOTHING: FailureView = { words: false, writing: false, tableOf: () => null };

/** For callers that alter the schema. */
export const EVERYTHING: FailureView = { words: true, writing: true, tableOf: () => null };

/** SQLSTATE of a constraint or value error → code (PostgreSQL, appendix A). */
const CODE_OF_SQLSTATE: Readonly<Record<string, ErrorCode>> = {
  [SQLSTATE.uniqueViolation]: 'RECORD_NOT_UNIQUE',
  [SQLSTATE.notNullViolation]: 'NOT_NULL_VIOLATION',
  [SQLSTATE.foreignKeyViolation]: 'INVALID_FOREIGN_KEY',
  [SQLSTATE.restrictViolation]: 'INVALID_FOREIGN_KEY',
  [SQLSTATE.checkViolation]: 'FAILED_VALIDATION',
  [SQLSTATE.exclusionViolation]: 'RECORD_NOT_UNIQUE',
  [SQLSTATE.numericValueOutOfRange]: 'VALUE_OUT_OF_RANGE',
  [SQLSTATE.stringDataRightTruncation]: 'VALUE_TOO_LONG',
  // The CHECK OPTION of a view.
  [SQLSTATE.withCheckOptionViolation]: 'FAILED_VALIDATION',
};

/** Other violations, and errors that functions and triggers raise. */
const RAISED = /^(?:23|P0|45)/;

/** Failures after which the same work can be retried unchanged. */
const RETRYABLE = new Set<string>([
  ...[
    SQLSTATE.serializationFailure,
    SQLSTATE.deadlockDetected,
    SQLSTATE.lockNotAvailable,
    SQLSTATE.adminShutdown,
    SQLSTATE.crashShutdown,
    SQLSTATE.cannotConnectNow,
    SQLSTATE.tooManyConnections,
    SQLSTATE.configurationLimitExceeded,
  ],
  // The session waited too long for this process.
  ...[SQLSTATE.idleInTransactionSessionTimeout, SQLSTATE.idleSessionTimeout],
]);

/** Whether the error is the server's or the connection's, and a retry may help. */
export function isTransient(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return RETRYABLE.has(code) || code.startsWith('08');
  }
  return isConnectionFailure(error);
}

/**
 * Whether the session ended during a statement, or could not be opened, because of the server or
 * the network. It is unknown whether its transaction is committed.
 */
export function isLostSession(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.severity !== 'ERROR' && isTransient(error);
  return error instanceof BrokenConnectionError || isConnectionFailure(error);
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);

function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BrokenConnectionError) return !(error instanceof MessageTooLargeError);
  if ('code' in error && CONNECTION_CODES.has(String(error.code))) return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionFailure);
  return /connection terminated|timeout expired|query read timeout|timeout exceeded when trying to connect|connection ended|client was closed|not queryable|connection error/i.test(
    error.message,
  );
}

/**
 * Rejections by a row-level policy or a view's CHECK OPTION come from this routine; missing
 * privileges do not.
 */
const CHECK_OPTION_ROUTINE = 'ExecWithCheckOptions';

/** Whether a value or a row caused the failure, so that the same row fails again. */
export function blamesValue(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code = '', routine } = error;
  if (code === SQLSTATE.insufficientPrivilege) return routine === CHECK_OPTION_ROUTINE;
  // The data read back is too large, which does not depend on the written values.
  if (ownBound(error) !== undefined) return false;
  return code.startsWith('22') || code === SQLSTATE.withCheckOptionViolation || RAISED.test(code);
}

/** PostgreSQL's own message as sentences. */
export function wordsOf(message: string, detail?: string): Reason {
  const sentences = [message, ...(detail?.split('\n') ?? [])].map((text) =>
    text.endsWith('.') ? text : `${text}.`,
  );
  return reason('database_message', { message: sentences.join(' ') });
}

/** The disclosed place where a row violates a constraint. */
type Broken = {
  readonly collection: string | null;
  readonly field: string | null;
  readonly value?: string;
};

const NOT_SHOWN: Broken = { collection: null, field: null };

/** A table that is not in the catalog, such as a partition, with PostgreSQL's own names. */
function unknownTable(error: pg.DatabaseError, view: FailureView): Broken {
  if (!view.words) return NOT_SHOWN;
  const key = keyDetail(error);
  return {
    collection: error.table ?? null,
    field: error.column ?? key?.columns ?? null,
    ...(key === null ? {} : { value: key.values }),
  };
}

/** The fields of the columns, unless one of them is hidden. */
function broken(seen: SeenTable, columns: readonly string[], values: string | undefined): Broken {
  const fields = columns.map((column) => seen.fieldOf(column));
  const known = fields.filter((field) => field !== null);
  if (known.length < columns.length || columns.length === 0) {
    return { collection: seen.collection, field: null };
  }
  return {
    collection: seen.collection,
    field: known.map(({ name }) => name).join(','),
    ...(values !== undefined && known.every((field) => field.values) ? { value: values } : {}),
  };
}

/** Whether the referenced row, not the referring row, violates a foreign key. */
function isReferredTo(error: pg.DatabaseError, key: ForeignKeyDescriptor | null): boolean {
  if (error.code === SQLSTATE.restrictViolation) return true;
  const columns = keyDetail(error)?.columns;
  const own = key?.columns.join(', ');
  const theirs = key?.targetColumns.join(', ');
  if (own !== theirs && columns === theirs) return true;
  if (own !== theirs && columns === own) return false;
  return /still referenced/.test(error.detail ?? error.message);
}

function foreignKeyDetails(error: pg.DatabaseError, view: FailureView): ErrorDetails {
  const seen = view.tableOf(error.schema ?? '', error.table ?? '');
  const key = seen === null ? null : foreignKeyOf(error, seen.table);
  const values = keyDetail(error)?.values;
  const target = key === null ? null : view.tableOf(key.targetSchema, key.targetTable);
  // A key with a hidden column is hidden itself, and so is its target.
  const isKnown = key?.columns.every((column) => seen?.fieldOf(column)) ?? false;
  if (isReferredTo(error, key)) {
    const referring = isKnown && seen !== null ? seen.collection : null;
    const place =
      target === null || key === null
        ? unknownTable(error, view)
        : broken(target, key.targetColumns, values);
    return {
      ...place,
      ...(referring === null ? {} : { referring }),
      reason:
        referring === null
          ? reason('still_referred_to')
          : reason('still_referred_to_by', { collection: referring }),
    };
  }
  const why =
    isKnown && target !== null
      ? reason('no_item_of_collection_with_key', { collection: target.collection })
      : reason('no_item_with_key');
  const place =
    seen === null || key === null ? unknownTable(error, view) : broken(seen, key.columns, values);
  return { ...place, reason: why };
}

/** Violations of check conditions. */
const CONDITIONS = new Set<string>([SQLSTATE.checkViolation, SQLSTATE.withCheckOptionViolation]);

function reasonOf(error: pg.DatabaseError, view: FailureView): Reason {
  // The detail contains all values of the row.
  if (view.words) return wordsOf(error.message);
  return CONDITIONS.has(error.code ?? '')
    ? reason('database_condition_broken')
    : reason('item_refused_by_database');
}

function constraintDetails(error: pg.DatabaseError, view: FailureView): ErrorDetails {
  const { code } = error;
  if (code === SQLSTATE.foreignKeyViolation || code === SQLSTATE.restrictViolation)
    return foreignKeyDetails(error, view);
  const seen = view.tableOf(error.schema ?? '', error.table ?? '');
  if (seen === null) return unknownTable(error, view);
  return broken(seen, constraintColumns(error, seen.table), keyDetail(error)?.values);
}

function constraintError(error: pg.DatabaseError, code: ErrorCode, view: FailureView): Error {
  const { constraint, dataType } = error;
  const inside = {
    ...(constraint === undefined ? {} : { constraint }),
    ...(dataType === undefined ? {} : { type: dataType }),
  };
  const details = {
    ...constraintDetails(error, view),
    ...(code === 'FAILED_VALIDATION' ? { reason: reasonOf(error, view) } : {}),
    ...(view.words ? inside : {}),
  };
  return new ServiceError(code, details, { cause: error });
}

/** The error for a value that does not fit its type and that no earlier check could detect. */
function misfit(error: pg.DatabaseError, view: FailureView): Error {
  const why = view.words ? wordsOf(error.message) : reason('value_misfits_field_type');
  if (!view.writing) return invalidQuery(why);
  return new ServiceError('FAILED_VALIDATION', { ...NOT_SHOWN, reason: why }, { cause: error });
}

/**
 * Syntax and name errors: missing schemas, tables, columns, types, functions, and ambiguous ones.
 */
const MISREAD = new Set<string>([
  SQLSTATE.invalidSchemaName,
  SQLSTATE.syntaxError,
  SQLSTATE.invalidName,
  SQLSTATE.nameTooLong,
  SQLSTATE.undefinedColumn,
  SQLSTATE.undefinedObject,
  SQLSTATE.ambiguousFunction,
  SQLSTATE.undefinedFunction,
  SQLSTATE.undefinedTable,
]);
/**
 * Source files in which PostgreSQL parses names, JSON paths and text search words; unknown or too
 * long ones fail there.
 */
const READER = /^(?:namespace|jsonpath\w*|to_tsany|ts\w+)\.[cly]$/;

/**
 * Source files in which extensions parse their values: `hstore_io.c` before PostgreSQL 16, PostGIS.
 */
const INPUT_SOURCE = /_io\.c$|^lwgeom_/;

/**
 * Whether a value does not fit its type: class 22. Some types report bad values with error classes
 * of statements, because `hstore` has a syntax and `regconfig` names an object. Such an error has
 * no position in the statement or in a function.
 */
export function isMisread(error: pg.DatabaseError): boolean {
  const { code = '', position, internalPosition, where, file = '' } = error;
  // Extensions may report bad input with the code for internal errors.
  if (code.startsWith('22') || (code === SQLSTATE.internalError && INPUT_SOURCE.test(file)))
    return true;
  const isPlaced = [position, internalPosition, where].some((place) => place !== undefined);
  if (isPlaced) return false;
  return (
    MISREAD.has(code) ||
    (READER.test(file) &&
      (code === SQLSTATE.featureNotSupported || code === SQLSTATE.programLimitExceeded))
  );
}

/** The error message of statements whose rows grow too large; a failed cast quotes it. */
const OWN_BOUND = /"sluice: (PAGE|LARGE|[A-Z_]+ \d+) \d+"/;

function ownBound(error: unknown): string | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== SQLSTATE.invalidTextRepresentation)
    return undefined;
  return OWN_BOUND.exec(error.message)?.[1];
}

/** A page has rows too large for one text: they can be read one by one. */
export function isLargePage(error: unknown): boolean {
  return ownBound(error) === 'PAGE';
}

/** A write cannot return its item in the same statement: another statement can read it. */
export function isLargeWrite(error: unknown): boolean {
  return ownBound(error) === 'LARGE';
}

/** The limited quantity of each variable, and workarounds. */
const OWN_BOUNDS: Readonly<Record<string, string>> = {
  QUERY_MAX_NESTED_ITEMS:
    'items in the lists inside the items (QUERY_MAX_NESTED_ITEMS). Ask for fewer levels or items, or set lower limits under "deep".',
  ANSWER_MAX_SIZE:
    'bytes of values in one item, or in an answer that is not read item by item (ANSWER_MAX_SIZE). Ask for fewer fields or aliases, leave out the largest values, or set lower limits under "deep".',
};

/**
 * Translates a failure to the error for the caller. Other errors are returned unchanged and result
 * in a 500.
 * @param view the details that may be disclosed; by default none
 */
export function translateFailure(error: unknown, view: FailureView = NOTHING): unknown {
  if (error instanceof ServiceError || error instanceof ServiceErrors) return error;
  if (error instanceof MessageTooLargeError) {
    const { limit } = error;
    const why = reason('answer_too_large', { limit });
    return new ServiceError('CONTENT_TOO_LARGE', { limit, reason: why }, { cause: error });
  }
  if (!(error instanceof pg.DatabaseError)) {
    return isConnectionFailure(error)
      ? unavailable('database', reason('database_unreachable'), { cause: error })
      : error;
  }
  const bound = ownBound(error);
  if (bound !== undefined) {
    const [variable = '', limit = ''] = bound.split(' ');
    const why = reason('statement_too_large', {
      limit,
      bounds: OWN_BOUNDS[variable] ?? variable,
    });
    return invalidQuery(why, { limit: Number(limit), variable });
  }
  const sqlstate = error.code ?? '';
  const raised = view.writing && RAISED.test(sqlstate) ? 'FAILED_VALIDATION' : undefined;
  const code = CODE_OF_SQLSTATE[sqlstate] ?? raised;
  if (code !== undefined) return constraintError(error, code, view);
  if (sqlstate === SQLSTATE.insufficientPrivilege && blamesValue(error)) {
    return forbidden(view.words ? wordsOf(error.message) : undefined);
  }
  if (sqlstate === SQLSTATE.queryCanceled) {
    return unavailable('database', reason('statement_too_slow'), {
      cause: error,
    });
  }
  // Classes 53 and 55: a resource or a precondition is missing, such as the data of an unpopulated
  // view.
  if (isTransient(error) || sqlstate.startsWith('53') || sqlstate.startsWith('55')) {
    return unavailable('database', reason('database_cannot_do_this_now'), { cause: error });
  }
  return isMisread(error) ? misfit(error, view) : error;
}
