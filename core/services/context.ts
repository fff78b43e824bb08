/**
 * What a request for items meets: the catalog of the moment and what the caller may do. A request
 * that turns out to have met a catalog behind the database is carried out again.
 */
import pg from 'pg';
import { failureView } from '#core/access/failure-view.ts';
import type { Caller } from '#core/access/grant.ts';
import type { Rights } from '#core/access/right.ts';
import type { Collection } from '#core/catalog/catalog.ts';
import type { CatalogSource } from '#core/catalog/source.ts';
import { translateFailure } from '#core/database/failure.ts';
import { forbidden, unavailable } from '#core/errors/service-error.ts';
import type { Visitor } from '#core/identity/session.ts';
import type { ReadTarget } from '#core/query/compile/read.ts';
import type { QueryBounds } from '#core/query/query.ts';

/**
 * The catalog, or what was prepared by it, was behind the database: these errors vanish once it has
 * caught up (PostgreSQL, appendix A).
 */
const STALE_CATALOG = new Set([
  // Table, schema, column, type, function or operator, constraint to go by: there is none.
  ...['42P01', '3F000', '42703', '42704', '42883', '42P10'],
  // A type of another kind; a column that is generated now.
  ...['42804', '42846', '428C9'],
  // A plan whose result has another type; a prepared statement that is gone.
  ...['0A000', '26000'],
]);

/** PostgreSQL's inner error for what went away between two looks at its catalogs. */
const VANISHED = /^(could not open relation with OID|cache lookup failed for)/;

/** Carrying a request out, at most, while the schema changes under it each time. */
const MOST_ATTEMPTS = 5;

function isOutdated(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code = '', message } = error;
  return STALE_CATALOG.has(code) || (code === 'XX000' && VANISHED.test(message));
}

/** Which collection, and on whose behalf. */
export interface Target {
  readonly caller: Caller;
  readonly collection: string;
  /** Where the request comes from, for history. */
  readonly visitor?: Visitor;
  /** Read anew, whatever is kept. */
  readonly fresh?: boolean;
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
   * more, and as long as it has changed again meanwhile.
   * @param writing whether it changes items, for what is told of its failure
   * @throws ServiceError SERVICE_UNAVAILABLE when it does so each time
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
          if (!isOutdated(error)) throw error;
          const now = await this.#options.catalog.refresh();
          if (attempt > 1 && now === context.catalog) throw error;
          if (attempt === MOST_ATTEMPTS) throw overtaken(error);
        }
      }
    } catch (error) {
      if (sight === null) throw translateFailure(error);
      throw translateFailure(error, failureView(sight, writing));
    }
  }
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
