/**
 * Caches compiled statements by query text, collection and permissions, until the catalog changes.
 * Placeholders are filled for each execution.
 */

import { LRUCache } from 'lru-cache';
import type { Caller, Grants } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { oncePer } from '#core/base/once-per.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { Query } from '#core/query/query.ts';
import { variableAvailability } from '#core/read/plan/variable.ts';
import { bindToCaller, type Compiled } from '#core/read/sql/compile.ts';
import { compileQueue } from './compile-queue.ts';

/** A query as it arrived; it is parsed only when its statement is not cached. */
export interface UnparsedQuery {
  /** Equal texts are equal queries; null when they cannot be compared by text. */
  readonly text: string | null;
  /** @throws ServiceError INVALID_QUERY */
  query(): Query;
}

/** A parsed query. */
export function parsedQuery(query: Query): UnparsedQuery {
  return { text: null, query: () => query };
}

/** Maximum number of cached statements in a process, and of their characters in total. */
const MAX_STATEMENTS = 5_000;
const MAX_CHARACTERS = 8_388_608;
/** Memory of a statement besides its text, in characters. */
const OVERHEAD = 1_000;
/** Longest query text that is cached, in characters. */
const MAX_TEXT = 4_000;

/** The compiled statement of a query, and its kind. */
export interface CachedStatement<K> {
  readonly kind: K;
  readonly statement: Compiled;
}

type Compile<K> = (query: Query) => CachedStatement<K>;

/** The cache key of a query: equal for equal queries of callers with the same permissions. */
export interface CompileRequest {
  readonly place: string;
  readonly question: UnparsedQuery;
  readonly caller: Caller;
}

export class StatementCache<K> {
  #catalog: Catalog | null = null;
  // Permissions are objects, but the keys of the cache are texts.
  readonly #numberOf = oncePer((_: Grants) => {
    this.#count += 1;
    return this.#count;
  });
  #count = 0;
  readonly #known = new LRUCache<string, CachedStatement<K>>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ statement }) => statement.text.length + OVERHEAD,
  });

  /** The statement of a query for a caller; compiled when it is not cached. */
  get(
    catalog: Catalog,
    grants: Grants,
    request: CompileRequest,
    compile: Compile<K>,
  ): CachedStatement<K> {
    const name = this.#nameOf(catalog, grants, request);
    return this.#find(name, request) ?? this.#compiled(name, request, compile);
  }

  /** The same; a statement that is not cached waits in the compile queue. */
  async getQueued(
    catalog: Catalog,
    grants: Grants,
    request: CompileRequest,
    compile: Compile<K>,
  ): Promise<CachedStatement<K>> {
    const name = this.#nameOf(catalog, grants, request);
    const found = this.#find(name, request);
    if (found !== null) return found;
    return await compileQueue.run(quotaKeyOf(request.caller), () => {
      // Another request may have compiled it meanwhile.
      return this.get(catalog, grants, request, compile);
    });
  }

  /** The key in the cache; null for a query that is not cached. */
  #nameOf(
    catalog: Catalog,
    grants: Grants,
    { place, question, caller }: CompileRequest,
  ): string | null {
    if (this.#catalog !== catalog) {
      this.#catalog = catalog;
      this.#known.clear();
    }
    if (question.text === null || question.text.length > MAX_TEXT) return null;
    // A name can contain any character, so its length comes first.
    return `${this.#numberOf(grants)} ${variableAvailability(caller)} ${place.length} ${place}?${question.text}`;
  }

  #find(name: string | null, { caller }: CompileRequest): CachedStatement<K> | null {
    const found = name === null ? undefined : this.#known.get(name);
    return found === undefined
      ? null
      : { ...found, statement: bindToCaller(found.statement, caller) };
  }

  #compiled(
    name: string | null,
    { question }: CompileRequest,
    compile: Compile<K>,
  ): CachedStatement<K> {
    const prepared = compile(question.query());
    if (name !== null && prepared.statement.reusable) this.#known.set(name, prepared);
    return prepared;
  }
}
