/**
 * What a request for items meets: the current catalog and what the caller may do. A request
 * that turns out to have met a catalog behind the database is carried out again.
 */
import pg from 'pg';
import { failureView } from '#core/access/failure-view.ts';
import type { Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import type { Collection } from '#core/catalog/catalog.ts';
import type { CatalogSource } from '#core/catalog/catalog-source.ts';
import { isMisread, translateFailure } from '#core/database/failure.ts';
import { forbidden, ServiceError, unavailable } from '#core/errors/service-error.ts';
import type { Visitor } from '#core/identity/session.ts';
import type { QueryBounds } from '#core/query/query.ts';
import type { ReadTarget } from '#core/query/sql/compile.ts';
import type { Envelope } from './envelope.ts';

/**
 * What the catalog told of is not there, or what was prepared by it: it was behind the database, and
 * these errors vanish once it has caught up (PostgreSQL, appendix A).
 */
const STALE_CATALOG = new Set([
  // Table, schema, column, type, constraint to go by: there is none. A column is generated now.
  ...['42P01', '3F000', '42703', '42704', '42P10', '428C9'],
  // A plan whose result has another type; a prepared statement that is gone.
  ...['0A000', '26000'],
]);

/**
 * Types do not fit together: no such operator or function, or several; no such cast; a collation, a
 * type or a grouping that cannot be told. Either a column has changed its type, or the question asks
 * for what there is not: only the catalog, looked at anew, tells which.
 */
const MISFIT = new Set(
  ['42883', '42725', '42804', '42846', '42P18', '42P08', '42P21', '42P22', '42803', '42809'].concat(
    ['42P38', '428C4'],
  ),
);

/** Codes of what PostgreSQL cannot do for a question, whatever the catalog. */
const UNANSWERABLE = new Set([...MISFIT, '0A000', '42601', '42704', '42P10']);

/**
 * Whether PostgreSQL cannot answer, by a catalog that is known to be right. Of a read all of class 42
 * means that, but for a grant that the service's own role lacks: a question is never a failure of the
 * service.
 */
function isUnanswerable({ code = '' }: pg.DatabaseError, writing: boolean): boolean {
  if (UNANSWERABLE.has(code)) return true;
  return !writing && code.startsWith('42') && code !== '42501';
}

/** PostgreSQL's inner error for what went away between two looks at its catalogs. */
const VANISHED = /^(could not open relation with OID|cache lookup failed for)/;

/** Carrying a request out, at most, while the schema changes under it each time. */
const MOST_ATTEMPTS = 5;

/** Whether the catalog may have been behind: surely enough to try again, or only if it has moved. */
function suspicion(error: pg.DatabaseError): 'behind' | 'doubtful' | null {
  const { code = '', message } = error;
  if (MISFIT.has(code)) return 'doubtful';
  const isBehind = STALE_CATALOG.has(code) || (code === 'XX000' && VANISHED.test(message));
  return isBehind ? 'behind' : null;
}

/** Which collection, and on whose behalf. */
export interface Target {
  readonly caller: Caller;
  readonly collection: string;
  /** Where the request comes from, for history. */
  readonly visitor?: Visitor;
  /** The key is that of the caller's own row, and need not be readable. */
  readonly ownKey?: boolean;
  /** What is put around what is read; nothing when not given. */
  readonly envelope?: Envelope;
  /** Read anew, whatever is kept. */
  readonly fresh?: boolean;
  /** Members of payloads that nobody knows are refused. */
  readonly strict?: boolean;
}

/** A target together with the catalog and the rights that count for it. */
export interface ItemContext extends ReadTarget {
  readonly rights: Rights;
}

/** Where rights come from. */
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

  /** The catalog and the rights that count right now. */
  async of(target: Target): Promise<ItemContext> {
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
   * Runs with the current catalog, and again with a fresh one if that turns out to be stale: once
   * more, and as long as it has changed again meanwhile. What does not fit together by the types of
   * a catalog that has not moved is the question's own fault, and not tried again.
   * @param writing whether it changes items, for what is told of its failure
   * @throws ServiceError SERVICE_UNAVAILABLE when it changes each time; INVALID_QUERY for what
   *   PostgreSQL cannot answer
   */
  async with<T>(
    target: Target,
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
  // What blames a value is told by whoever translates failures.
  if (isMisread(error) || !isUnanswerable(error, writing)) return error;
  const reason = MISFIT.has(error.code ?? '')
    ? 'PostgreSQL has no such operation for the types of these fields.'
    : 'PostgreSQL cannot answer this question.';
  return new ServiceError('INVALID_QUERY', { reason }, { cause: error });
}

function overtaken(cause: pg.DatabaseError): Error {
  return unavailable('schema', 'The schema changed each time this was tried.', { cause });
}

/** The error of a collection that does not exist, or not for this caller. */
export function noCollection(name: string): Error {
  return forbidden(`You have no permission to access collection "${name}" or it does not exist.`);
}

/** Whether a collection is among those that a service answers for. */
export type Serves = (collection: Collection) => boolean;

/** Collections of the user's own tables. */
export const servesItems: Serves = (collection) => !collection.system;
