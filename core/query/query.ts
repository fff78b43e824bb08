/**
 * A question, as both APIs put it: parsed and checked for form, not yet for meaning. Names are
 * still text; only the compiler, which has the catalog and the caller's grants, knows what exists.
 */
import type { Operator } from './operator.ts';

/** A condition, with the place where it was written for error messages. */
export type Filter =
  | {
      readonly kind: 'group';
      readonly connective: 'and' | 'or';
      readonly filters: readonly Filter[];
    }
  | {
      readonly kind: 'field';
      readonly key: string;
      readonly filter: Filter;
      readonly place: string;
    }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly value: unknown;
      readonly place: string;
    };

export interface SortTerm {
  readonly field: string;
  readonly descending: boolean;
}

export interface Query {
  /** Field paths in the order asked; `*` stands for all fields of the level. */
  readonly fields: readonly string[];
  readonly filter: Filter | null;
  /** Empty: the collection's own order. */
  readonly sort: readonly SortTerm[];
  /** Null: all items. */
  readonly limit: number | null;
  readonly offset: number;
}

/** The bounds that the configuration sets for queries. */
export interface QueryBounds {
  readonly limitDefault: number;
  /** Undefined: no highest limit. */
  readonly limitMax: number | undefined;
}
