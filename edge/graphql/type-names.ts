/**
 * Names of types: no two have the same one. A type of items has the name of its collection. What is made
 * of a collection has its name and an ending, and further underscores where that is a name already.
 */
import { FIXED_NAMES } from './shared-types.ts';

/** What is asked about the collections that a caller may know. */
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

  /** @param before other types that have the same ending and come first */
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

  /** @param of which part; none: the whole */
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

/** The functions whose results have the same types. */
export type AggregatePart = 'count' | 'fields' | 'sums' | 'extremes';
