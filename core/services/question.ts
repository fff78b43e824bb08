/**
 * Remembers the statements of questions: the same text asked of the same collection with the same
 * rights compiles to the same statement for as long as the catalog stays.
 */
import { LRUCache } from 'lru-cache';
import type { Grants } from '#core/access/grant.ts';
import type { Catalog } from '#core/catalog/catalog.ts';
import type { Compiled } from '#core/query/compile/read.ts';
import type { Query } from '#core/query/query.ts';

/** A query as it came: parsed only when its statement is not known yet. */
export interface Question {
  /** Equal texts ask the same; null when that cannot be told. */
  readonly text: string | null;
  /** @throws ServiceError INVALID_QUERY */
  query(): Query;
}

/** A question that is parsed already. */
export function questionOf(query: Query): Question {
  return { text: null, query: () => query };
}

/** Statements remembered for each set of rights. */
const MAX_STATEMENTS = 2_000;
/** Longest question that is worth remembering, in characters. */
const MAX_TEXT = 4_000;

/** What was compiled for a question; a list may turn out to be a stream. */
export interface Prepared {
  readonly kind: 'page' | 'stream' | 'stream with meta' | 'item';
  readonly statement: Compiled;
}

export class StatementCache {
  #catalog: Catalog | null = null;
  #byGrants = new WeakMap<Grants, LRUCache<string, Prepared>>();

  /**
   * The statement of a question, compiled now if it is not known.
   * @param place what is asked: equal places and texts have equal statements
   */
  get(
    catalog: Catalog,
    grants: Grants,
    key: { readonly place: string; readonly question: Question },
    compile: (query: Query) => Prepared,
  ): Prepared {
    if (this.#catalog !== catalog) {
      this.#catalog = catalog;
      this.#byGrants = new WeakMap();
    }
    const { place, question } = key;
    if (question.text === null || question.text.length > MAX_TEXT) return compile(question.query());
    let known = this.#byGrants.get(grants);
    if (known === undefined) {
      known = new LRUCache({ max: MAX_STATEMENTS });
      this.#byGrants.set(grants, known);
    }
    const name = `${place}?${question.text}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const prepared = compile(question.query());
    if (prepared.statement.reusable) known.set(name, prepared);
    return prepared;
  }
}
