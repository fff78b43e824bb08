/**
 * Remembers the statements of questions: the same text asked of the same collection with the same
 * rights compiles to the same statement for as long as the catalog stays. What differs from caller
 * to caller is filled in each time.
 */
import { LRUCache } from 'lru-cache';
import type { Caller, Grants } from '#core/access/grants.ts';
import type { Catalog } from '#core/catalog/catalog.ts';
import { knownOf } from '#core/query/plan/variable.ts';
import type { Query } from '#core/query/query.ts';
import { bindTo, type Compiled } from '#core/query/sql/compile.ts';

/** A query as it came: parsed only when its statement is not known yet. */
export interface UnparsedQuery {
  /** Equal texts ask the same; null when that cannot be told. */
  readonly text: string | null;
  /** @throws ServiceError INVALID_QUERY */
  query(): Query;
}

/** A question that is parsed already. */
export function parsedQuery(query: Query): UnparsedQuery {
  return { text: null, query: () => query };
}

/** Statements remembered in one process, and the characters of all of them together. */
const MAX_STATEMENTS = 5_000;
const MAX_CHARACTERS = 8_388_608;
/** What a statement keeps beside its text, in characters. */
const OVERHEAD = 1_000;
/** Longest question that is worth remembering, in characters. */
const MAX_TEXT = 4_000;

/** What was compiled for a question, and what kind of statement that turned out to be. */
export interface Prepared<K> {
  readonly kind: K;
  readonly statement: Compiled;
}

/** Who asks what: equal places and texts of callers with the same rights have equal statements. */
export interface CompileRequest {
  readonly place: string;
  readonly question: UnparsedQuery;
  readonly caller: Caller;
}

export class StatementCache<K> {
  #catalog: Catalog | null = null;
  // Rights are objects, the keys of the cache are texts.
  #numbers = new WeakMap<Grants, number>();
  #count = 0;
  readonly #known = new LRUCache<string, Prepared<K>>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ statement }) => statement.text.length + OVERHEAD,
  });

  /** The statement of a question for the caller who asks it, compiled now if it is not known. */
  get(
    catalog: Catalog,
    grants: Grants,
    { place, question, caller }: CompileRequest,
    compile: (query: Query) => Prepared<K>,
  ): Prepared<K> {
    if (this.#catalog !== catalog) {
      this.#catalog = catalog;
      this.#known.clear();
    }
    if (question.text === null || question.text.length > MAX_TEXT) return compile(question.query());
    // A name may hold any sign, so its length parts it from the text.
    const name = `${this.#numberOf(grants)} ${knownOf(caller)} ${place.length} ${place}?${question.text}`;
    const found = this.#known.get(name);
    if (found !== undefined) return { ...found, statement: bindTo(found.statement, caller) };
    const prepared = compile(question.query());
    if (prepared.statement.reusable) this.#known.set(name, prepared);
    return prepared;
  }

  #numberOf(grants: Grants): number {
    const known = this.#numbers.get(grants);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#numbers.set(grants, this.#count);
    return this.#count;
  }
}
