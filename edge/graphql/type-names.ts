/**
 * Unique names of types. An item type has the name of its collection. A derived type has that name
 * with a suffix, and additional underscores where that name is in use.
 */
import { FIXED_NAMES } from './shared-types.ts';

/** Information about the collections that are visible to a caller. */
export interface KnownCollections {
  has(collection: string): boolean;
  /** Whether a field leads to items of several collections. */
  isUnion(collection: string, field: string): boolean;
}

export class TypeNames {
  readonly #known: KnownCollections;

  constructor(known: KnownCollections) {
    this.#known = known;
  }

  /** @param before preceding types with the same suffix */
  #free(base: string, before = 0): string {
    let name = base;
    for (let left = before; ; name += '_') {
      if (FIXED_NAMES.has(name) || this.#known.has(name)) continue;
      if (left === 0) return name;
      left -= 1;
    }
  }

  item(collection: string): string {
    return FIXED_NAMES.has(collection) ? this.#free(collection) : collection;
  }

  filter(collection: string): string {
    return this.#free(`${collection}_filter`);
  }

  /** The collection `a_quantifier` has a filter of the same name. */
  quantified(collection: string): string {
    const base = `${collection}_quantifier`;
    return this.#free(`${base}_filter`, this.#known.has(base) ? 1 : 0);
  }

  payload(collection: string, action: 'create' | 'update'): string {
    return this.#free(`${action}_${collection}_input`);
  }

  /** @param of the part; undefined for the whole */
  aggregated(collection: string, of?: AggregatePart): string {
    return this.#free(`${collection}_aggregated${of === undefined ? '' : `_${of}`}`);
  }

  changes(collection: string): string {
    return this.#free(`${collection}_mutated`);
  }

  /** Types of the same name have the same members. */
  functions(collection: string, field: string): string {
    return this.#free(`${collection}_${field}_func`);
  }

  /** The field `b_c` of `a` and the field `c` of `a_b` have the same name. */
  union(collection: string, field: string): string {
    const base = `${collection}_${field}`;
    let before = 0;
    for (let at = base.indexOf('_'); at >= 0 && at < collection.length; ) {
      if (this.#known.isUnion(base.slice(0, at), base.slice(at + 1))) before += 1;
      at = base.indexOf('_', at + 1);
    }
    return this.#free(`${base}_union`, before);
  }
}

/** Groups of functions whose results have the same types. */
export type AggregatePart = 'count' | 'fields' | 'sums' | 'extremes';
