/**
 * Counts the parts of a query during parsing, so that an excessive query is rejected early. One
 * counter serves all levels of a query.
 */

import type { QueryLimits } from '#core/base/config/query-limits.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { type BoundedPart, requireWithin, STORED_LIMITS } from '../limits.ts';

/** Operators whose value is a list, also when written as comma-separated text. */
const LIST_OPERATORS: ReadonlySet<string> = new Set(['_in', '_nin', '_between', '_nbetween']);

function commasIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) count += 1;
  return count;
}

/** The parts that are counted and summed here. */
type Counted = Exclude<BoundedPart, 'binds' | 'search'>;

export class ElementCounter {
  readonly #limits: QueryLimits & { readonly fields: number; readonly levels: number };
  readonly #counts: Record<Counted, number> = {
    ...{ conditions: 0, listValues: 0, sortTerms: 0, groups: 0, fields: 0, levels: 0, joins: 0 },
  };

  #depth = 0;

  constructor(limits: QueryLimits, maxFields: number) {
    this.#limits = { ...limits, fields: maxFields, levels: maxFields };
  }

  /** A counter for a stored rule. */
  static ofStored(): ElementCounter {
    return new ElementCounter(STORED_LIMITS, Number.POSITIVE_INFINITY);
  }

  /** @throws ServiceError INVALID_QUERY when the total exceeds the limit */
  add(part: Counted, count = 1): void {
    this.#counts[part] += count;
    requireWithin(part, this.#counts[part], this.#limits[part]);
  }

  /** @throws ServiceError INVALID_QUERY for a search term that is too long */
  search(term: string): void {
    requireWithin('search', term.length, this.#limits.search);
  }

  /** Runs work one level deeper. */
  nested<T>(work: () => T): T {
    this.#depth += 1;
    const { nesting: limit } = this.#limits;
    if (this.#depth > limit) {
      const why = reason('filter_nested_too_deep', { limit });
      throw invalidQuery(why, { limit, variable: 'QUERY_MAX_NESTING' });
    }
    const result = work();
    this.#depth -= 1;
    return result;
  }

  /** Counts a condition and its operands. */
  condition(operator: string, value: unknown): void {
    this.add('conditions');
    if (typeof value === 'string' && LIST_OPERATORS.has(operator)) {
      this.add('listValues', commasIn(value) + 1);
    } else if (typeof value === 'object' && value !== null) this.#values(value);
  }

  /** A variable with a path causes a lookup, like a condition. */
  #values(value: object): void {
    const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    this.add('listValues', values.length);
    for (const entry of values) {
      if (typeof entry === 'string') {
        if (entry.startsWith('$') && entry.includes('.')) this.add('conditions');
      } else if (typeof entry === 'object' && entry !== null) {
        this.nested(() => this.#values(entry));
      }
    }
  }
}
