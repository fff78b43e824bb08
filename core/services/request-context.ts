/**
 * The current catalog and the caller's permissions for a request. If the catalog turns out to be
 * older than the database, the request runs again.
 */
import pg from 'pg';
import { failureView } from '#core/access/error-visibility.ts';
import type { Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import type { Visitor } from '#core/accounts/identity/session.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { isMisread, translateFailure } from '#core/database/failure.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { QueryBounds } from '#core/query/query.ts';
import type { ReadTarget } from '#core/read/sql/compile.ts';
import type { Item } from '#core/write/payload.ts';
import type { Envelope } from './envelope.ts';

/**
 * SQLSTATE codes of errors that an outdated catalog, or a statement prepared with it, can cause.
 * They disappear with the current catalog (PostgreSQL, appendix A).
 */
const STALE_CATALOG = new Set<string>([
  // Undefined table, schema, column, type or constraint; a column that is generated now.
  ...[
    SQLSTATE.undefinedTable,
    SQLSTATE.invalidSchemaName,
    SQLSTATE.undefinedColumn,
    SQLSTATE.undefinedObject,
    SQLSTATE.invalidColumnReference,
    SQLSTATE.generatedAlways,
  ],
  // A plan whose result type has changed; a prepared statement that no longer exists.
  ...[SQLSTATE.featureNotSupported, SQLSTATE.invalidSqlStatementName],
]);

/**
 * Types do not fit: the operator, function or cast does not exist or is ambiguous; a collation,
 * type or grouping cannot be determined. Either a column has changed its type, or the query is
 * wrong: only a fresh catalog distinguishes the two.
 */
const MISFIT = new Set<string>([
  SQLSTATE.undefinedFunction,
  SQLSTATE.ambiguousFunction,
  SQLSTATE.datatypeMismatch,
  SQLSTATE.cannotCoerce,
  SQLSTATE.indeterminateDatatype,
  SQLSTATE.ambiguousParameter,
  SQLSTATE.collationMismatch,
  SQLSTATE.indeterminateCollation,
  SQLSTATE.groupingError,
  SQLSTATE.wrongObjectType,
]);

/** Codes of queries that PostgreSQL cannot run with any catalog. */
const UNANSWERABLE = new Set<string>([
  ...MISFIT,
  SQLSTATE.featureNotSupported,
  SQLSTATE.syntaxError,
  SQLSTATE.undefinedObject,
  SQLSTATE.invalidColumnReference,
]);

/**
 * Whether PostgreSQL cannot run the statement although the catalog is known to be current. For a
 * read that is every error of class 42, except a missing privilege of Sluice's own role: a query
 * must not look like a failure of the service.
 */
function isUnanswerable({ code = '' }: pg.DatabaseError, writing: boolean): boolean {
  if (UNANSWERABLE.has(code)) return true;
  return !writing && code.startsWith('42') && code !== SQLSTATE.insufficientPrivilege;
}

/** PostgreSQL's internal error for an object that vanished between two reads of its catalogs. */
const VANISHED = /^(could not open relation with OID|cache lookup failed for)/;

/** Maximum attempts while the schema changes during each of them. */
const MOST_ATTEMPTS = 5;

/**
 * Whether the catalog may be outdated: `behind` retries, `doubtful` retries only if the catalog has
 * changed.
 */
function suspicion(error: pg.DatabaseError): 'behind' | 'doubtful' | null {
  const { code = '', message } = error;
  if (MISFIT.has(code)) return 'doubtful';
  const isBehind =
    STALE_CATALOG.has(code) || (code === SQLSTATE.internalError && VANISHED.test(message));
  return isBehind ? 'behind' : null;
}

/** The collection and the caller of a request. */
export interface RequestTarget {
  readonly caller: Caller;
  readonly collection: string;
  /** The origin of the request, for history. */
  readonly visitor?: Visitor;
  /** The id of the request, for jobs that it needs. */
  readonly requestId?: string;
  /** The key is that of the caller's own row, so the caller need not be allowed to read it. */
  readonly ownKey?: boolean;
  /** The envelope around the data; by default there is no envelope. */
  readonly envelope?: Envelope;
  /** Bypass the response cache. */
  readonly fresh?: boolean;
  /** Reject unknown members of payloads. */
  readonly strict?: boolean;
  /** The caller has confirmed changes of its own user with its password. */
  readonly confirmed?: boolean;
  /** Members that the server adds to the items of a write, in the same order. */
  readonly given?: readonly Item[];
}

/** A target with the catalog and the permissions that apply to it. */
export interface ItemContext extends ReadTarget {
  readonly rights: Rights;
}

/** The source of permissions. */
export interface RightsSource {
  rightsOf(caller: Caller): Promise<Rights>;
}

export interface ContextOptions {
  readonly catalog: CatalogSource;
  readonly access: RightsSource;
  readonly bounds: QueryBounds;
}

export class ContextSource {
  readonly #options: ContextOptions;

  constructor(options: ContextOptions) {
    this.#options = options;
  }

  /** The current catalog and permissions. */
  async of(target: RequestTarget): Promise<ItemContext> {
    const { access, catalog, bounds } = this.#options;
    const { caller, collection } = target;
    const rights = await access.rightsOf(caller);
    return {
      catalog: catalog.current(),
      rights,
      grants: rights.reading,
      caller,
      bounds,
      collection,
    };
  }

  /**
   * Runs with the current catalog, and again with a fresh one when that turns out to be outdated,
   * at most five times. A type error with an unchanged catalog is the fault of the query and is not
   * retried.
   * @param writing whether it changes items, for the message of its failure
   * @throws ServiceError SERVICE_UNAVAILABLE when the catalog changes each time; INVALID_QUERY for
   * a query that PostgreSQL cannot run
   */
  async with<T>(
    target: RequestTarget,
    work: (context: ItemContext) => Promise<T>,
    writing = false,
  ): Promise<T> {
    let sight: ItemContext | null = null;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const context = await this.of(target);
        sight = context;
        try {
          return await work(context);
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) throw error;
          const suspected = suspicion(error);
          if (suspected === null) throw unanswerable(error, writing);
          const now = await this.#options.catalog.refresh();
          const again = attempt === 1 && suspected === 'behind';
          if (now === context.catalog && !again) throw unanswerable(error, writing);
          if (attempt === MOST_ATTEMPTS) throw overtaken(error);
        }
      }
    } catch (error) {
      if (sight === null) throw translateFailure(error);
      throw translateFailure(error, failureView(sight, writing));
    }
  }
}

function unanswerable(error: pg.DatabaseError, writing: boolean): Error {
  // An error about a value is translated elsewhere.
  if (isMisread(error) || !isUnanswerable(error, writing)) return error;
  const why = MISFIT.has(error.code ?? '')
    ? reason('operation_misfits_types')
    : reason('query_unanswerable');
  return new ServiceError('INVALID_QUERY', { reason: why }, { cause: error });
}

function overtaken(cause: pg.DatabaseError): Error {
  return unavailable('schema', reason('schema_changed_during_attempts'), { cause });
}

/** Whether a service is responsible for a collection. */
export type CollectionFilter = (collection: Collection) => boolean;

/** Collections of the user's own tables. */
export const servesItems: CollectionFilter = (collection) => !collection.system;
