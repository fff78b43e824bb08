/**
 * What a failure of PostgreSQL means to a caller: the code of the catalogue, if any, and what may be
 * told beside it. Every failure whose words or names reach a caller passes {@link translateFailure}.
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

/** A table as a caller sees it. */
export interface SeenTable {
  readonly collection: string;
  readonly table: TableDescriptor;
  /** The field behind a column, and whether its values may be told; null when it is hidden. */
  fieldOf(column: string): { readonly name: string; readonly values: boolean } | null;
}

/** What a caller may be told. */
export interface FailureView {
  /** The words of the database itself, with the names of constraints, types and the like. */
  readonly words: boolean;
  /** The failure is that of a write: bad values stand in the payload, not in the query. */
  readonly writing: boolean;
  /** Null when the caller may not know of the table. */
  tableOf(schema: string, name: string): SeenTable | null;
}

/** Nothing is known of the caller, so no name is told. */
const NOTHING: FailureView = { words: false, writing: false, tableOf: () => null };

/** For those who alter the schema. */
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
  // The condition of a view.
  [SQLSTATE.withCheckOptionViolation]: 'FAILED_VALIDATION',
};

/** Other violations, and what functions and triggers raise. */
const RAISED = /^(?:23|P0|45)/;

/** Failures after which the same work may simply be tried again. */
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
  // The session waited for this process for too long.
  ...[SQLSTATE.idleInTransactionSessionTimeout, SQLSTATE.idleSessionTimeout],
]);

/** The error is the server's or the connection's, and trying again may help. */
export function isTransient(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return RETRYABLE.has(code) || code.startsWith('08');
  }
  return isConnectionFailure(error);
}

/**
 * The session ended under a statement, or could not begin: that is the server's or the network's doing.
 * Whether its transaction is committed is unknown.
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

/** What a row-level policy or the condition of a view refuses comes from here; missing grants not. */
const CHECK_OPTION_ROUTINE = 'ExecWithCheckOptions';

/** The failure is that of a value or a row, and the same row fails again. */
export function blamesValue(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code = '', routine } = error;
  if (code === SQLSTATE.insufficientPrivilege) return routine === CHECK_OPTION_ROUTINE;
  // What was asked back is too large, whatever was written.
  if (ownBound(error) !== undefined) return false;
  return code.startsWith('22') || code === SQLSTATE.withCheckOptionViolation || RAISED.test(code);
}

/** PostgreSQL's own words as sentences. */
export function wordsOf(message: string, detail?: string): Reason {
  const sentences = [message, ...(detail?.split('\n') ?? [])].map((text) =>
    text.endsWith('.') ? text : `${text}.`,
  );
  return reason('database_message', { message: sentences.join(' ') });
}

/** What is told of the place where a row breaks something. */
type Broken = {
  readonly collection: string | null;
  readonly field: string | null;
  readonly value?: string;
};

const NOT_SHOWN: Broken = { collection: null, field: null };

/** A table that the catalog does not know, such as a partition, in PostgreSQL's own names. */
function unknownTable(error: pg.DatabaseError, view: FailureView): Broken {
  if (!view.words) return NOT_SHOWN;
  const key = keyDetail(error);
  return {
    collection: error.table ?? null,
    field: error.column ?? key?.columns ?? null,
    ...(key === null ? {} : { value: key.values }),
  };
}

/** The columns together, provided that none of them is hidden. */
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

/** Whether a foreign key is broken from the side of the row that is referred to. */
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
  // A key of hidden columns is hidden itself, and with it what it refers to.
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

/** Violations of conditions. */
const CONDITIONS = new Set<string>([SQLSTATE.checkViolation, SQLSTATE.withCheckOptionViolation]);

function reasonOf(error: pg.DatabaseError, view: FailureView): Reason {
  // The detail holds all values of the row.
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

/** A value that does not fit its type and that no earlier check could see. */
function misfit(error: pg.DatabaseError, view: FailureView): Error {
  const why = view.words ? wordsOf(error.message) : reason('value_misfits_field_type');
  if (!view.writing) return invalidQuery(why);
  return new ServiceError('FAILED_VALIDATION', { ...NOT_SHOWN, reason: why }, { cause: error });
}

/** Syntax and names; missing schemas, tables, columns, types, functions, and ambiguous ones. */
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
/** Where PostgreSQL reads names, paths in JSON and words of texts; some it does not know, or not so long. */
const READER = /^(?:namespace|jsonpath\w*|to_tsany|ts\w+)\.[cly]$/;

/** Where extensions read their values: `hstore_io.c` before PostgreSQL 16, PostGIS. */
const INPUT_SOURCE = /_io\.c$|^lwgeom_/;

/**
 * A value that is none of its type: class 22. Some types read their values with errors of a
 * statement's own classes, because `hstore` has a syntax and `regconfig` names an object; such an
 * error tells of no place in the statement, nor in a function such as a trigger's.
 */
export function isMisread(error: pg.DatabaseError): boolean {
  const { code = '', position, internalPosition, where, file = '' } = error;
  // Extensions may tell of bad input by the code for what should never happen.
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

/** What statements fail with themselves, when their rows grow too large; a cast puts it in quotes. */
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

/** A write cannot answer with its item in the same statement: it can be read by another one. */
export function isLargeWrite(error: unknown): boolean {
  return ownBound(error) === 'LARGE';
}

/** What a variable bounds, and ways out. */
const OWN_BOUNDS: Readonly<Record<string, string>> = {
  QUERY_MAX_NESTED_ITEMS:
    'items in the lists inside the items (QUERY_MAX_NESTED_ITEMS). Ask for fewer levels or items, or set lower limits under "deep".',
  ANSWER_MAX_SIZE:
    'bytes of values in one item, or in an answer that is not read item by item (ANSWER_MAX_SIZE). Ask for fewer fields or aliases, leave out the largest values, or set lower limits under "deep".',
};

/**
 * Translates a failure into the error that the caller gets. What is not recognised is returned
 * unchanged and ends as a 500.
 * @param view what the caller may be told; nothing, unless it is given
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
  // Classes 53 and 55: it lacks what it needs, as a view does that has never been filled.
  if (isTransient(error) || sqlstate.startsWith('53') || sqlstate.startsWith('55')) {
    return unavailable('database', reason('database_cannot_do_this_now'), { cause: error });
  }
  return isMisread(error) ? misfit(error, view) : error;
}
