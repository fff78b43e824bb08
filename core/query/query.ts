/**
 * A question, as both APIs put it: parsed and checked for form, not yet for meaning. Names are
 * still text; only the compiler, which has the catalog and the caller's grants, knows what exists.
 */

import type { QueryLimits } from '#core/base/config/query-limits.ts';
import type { AggregateFunction } from './aggregate.ts';
import type { Operator } from './operator.ts';

/** The segments of a dotted path; a function or a scope is part of its segment. */
export type Path = readonly string[];

/** A plain value of an item, as a column of a table. */
export interface ItemColumn {
  readonly path: Path;
  /** It is a document: a text in it is not the same as what the text says. */
  readonly isDocument: boolean;
}

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
      readonly kind: 'quantifier';
      readonly quantifier: 'some' | 'none';
      readonly filter: Filter;
      readonly place: string;
    }
  | {
      /** Conditions inside a document: fields there are paths such as `color.parts[0]`. */
      readonly kind: 'document';
      readonly filter: Filter;
      readonly place: string;
    }
  | {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly value: unknown;
      readonly place: string;
      /** It was written where everything is text: spellings stand for values of other types. */
      readonly spelled?: boolean;
    };

/** Holds for nothing: what stands in the place of a stored condition that cannot be read. */
export const NEVER: Filter = Object.freeze({
  kind: 'group',
  connective: 'or',
  filters: Object.freeze([]),
});

export interface SortTerm {
  readonly path: Path;
  readonly descending: boolean;
}

/** One aggregate over one field; `*` counts rows. */
export interface AggregateTerm {
  readonly aggregate: AggregateFunction;
  readonly field: string;
}

/** How a value is written otherwise than in REST: a key as a text, an exact number as a number. */
export type ValueForm = 'text' | 'number';

/** What is asked of the items of one level: of the collection, or of a relation inside it. */
export interface Level {
  /** In the order asked; `*` stands for all fields of the level. */
  readonly fields: readonly Path[];
  readonly filter: Filter | null;
  readonly search: string | null;
  /** Empty: the level's own order. */
  readonly sort: readonly SortTerm[];
  /** Null: all items. */
  readonly limit: number | null;
  readonly offset: number;
  /** Further names for fields, each with the field it stands for. */
  readonly alias: ReadonlyMap<string, string>;
  readonly aggregate: readonly AggregateTerm[];
  readonly groupBy: readonly string[];
  /** What is asked of relations, by their field or alias. */
  readonly deep: ReadonlyMap<string, Level>;
  /** The values that are written in a form of their own, by their keys in the answer. */
  readonly forms?: ReadonlyMap<string, ValueForm>;
  /** Texts that are the same in every item, by their keys. */
  readonly constants?: ReadonlyMap<string, string>;
  /** Objects of further values of the same item, by their keys; of a level their fields count. */
  readonly objects?: ReadonlyMap<string, Level>;
}

export const META_NAMES = ['total_count', 'filter_count', 'estimated_count'] as const;
export type MetaName = (typeof META_NAMES)[number];

export interface Query extends Level {
  readonly meta: readonly MetaName[];
  /** Whether wildcards may go back over the relation that was just followed. */
  readonly backlink: boolean;
}

/** The bounds that the configuration sets for queries. */
export interface QueryBounds {
  readonly limitDefault: number;
  /** Undefined: no highest limit. */
  readonly limitMax: number | undefined;
  /** Most relations that a path may go through. */
  readonly maxDepth: number;
  /** Most steps of a path into a document. */
  readonly maxJsonDepth: number;
  /** Most selected fields and aliases of one request. */
  readonly maxFields: number;
  /** Of its other parts; {@link DEFAULT_LIMITS} when not given. */
  readonly limits?: QueryLimits;
}
