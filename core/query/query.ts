/**
 * A query of either API: parsed and checked for form, not yet for meaning. Names are still text;
 * only the compiler, which has the catalog and the caller's permissions, resolves them.
 */

import type { QueryLimits } from '#core/base/config/query-limits.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import type { AggregateFunction } from './aggregate.ts';
import type { Operator } from './operator.ts';

/** The segments of a dotted path; a function or a scope is part of its segment. */
export type Path = readonly string[];

/** A plain value of an item, as a column of a table. */
export interface ItemColumn {
  readonly path: Path;
  /** Whether it is a document, in which a text differs from a plain text. */
  readonly isDocument: boolean;
  /** The column of the database that has its values; absent for computed and masked ones. */
  readonly column?: ColumnDescriptor;
}

/** A condition, with its place in the query for error messages. */
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
      /** It comes from a URL, where texts represent values of other types. */
      readonly spelled?: boolean;
    };

/** A filter that never holds: it replaces a stored condition that cannot be read. */
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

/** A format that differs from REST: a key as text, an exact number as a number. */
export type ValueForm = 'text' | 'number';

/** The query of the items of one level: of the collection, or of a relation inside it. */
export interface Level {
  /** In requested order; `*` means all fields of the level. */
  readonly fields: readonly Path[];
  readonly filter: Filter | null;
  readonly search: string | null;
  /** Empty: the level's own order. */
  readonly sort: readonly SortTerm[];
  /** Null: all items. */
  readonly limit: number | null;
  readonly offset: number;
  /** Further names for fields, each with the field that it refers to. */
  readonly alias: ReadonlyMap<string, string>;
  readonly aggregate: readonly AggregateTerm[];
  readonly groupBy: readonly string[];
  /** The queries of relations, by their field or alias. */
  readonly deep: ReadonlyMap<string, Level>;
  /** The values with their own format, by their keys in the result. */
  readonly forms?: ReadonlyMap<string, ValueForm>;
  /** Texts that are the same in every item, by their keys. */
  readonly constants?: ReadonlyMap<string, string>;
  /**
   * Objects of further values of the same item, by their keys; only the fields of these levels are
   * used.
   */
  readonly objects?: ReadonlyMap<string, Level>;
}

export const META_NAMES = ['total_count', 'filter_count', 'estimated_count'] as const;
export type MetaName = (typeof META_NAMES)[number];

export interface Query extends Level {
  readonly meta: readonly MetaName[];
  /** Whether wildcards may follow a relation back to the previous level. */
  readonly backlink: boolean;
}

/** The configured limits of queries. */
export interface QueryBounds {
  readonly limitDefault: number;
  /** Undefined: no maximum limit. */
  readonly limitMax: number | undefined;
  /** The maximum number of relations in a path. */
  readonly maxDepth: number;
  /** The maximum number of steps in a document path. */
  readonly maxJsonDepth: number;
  /** The maximum number of selected fields and aliases of one request. */
  readonly maxFields: number;
  /** The limits of its other parts; {@link DEFAULT_LIMITS} by default. */
  readonly limits?: QueryLimits;
}
