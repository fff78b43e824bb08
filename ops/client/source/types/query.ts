/** Queries: what lists and items are asked for. */
import type { LooseQuery } from '../query.ts';
import type { Aggregate, Group } from './aggregate.ts';
import type { Filter, ScopedName } from './filter.ts';
import type { FieldName, FieldOf, IsLoose, RelationName } from './schema.ts';
import type { Sort } from './sort.ts';

type Target<S, C, K> = K extends `${string}:${infer To}`
  ? To
  : FieldOf<S, C, K> extends { readonly to: infer To }
    ? To
    : never;

/** Any text; editors still offer the names beside it. */
type Other = string & Record<never, never>;

/** What `fields` may hold: names, paths, functions, and objects for what is behind relations. */
export type Field<S, C> =
  | '*'
  | FieldName<S, C>
  | Other
  | { readonly [K in RelationName<S, C> | ScopedName<S, C>]?: readonly Field<S, Target<S, C, K>>[] }
  | {
      readonly [alias: string]: readonly unknown[] | { readonly [of: string]: readonly unknown[] };
    };

/** What `deep` may say of the items behind a relation. */
export interface DeepLevel<S, C> {
  readonly _fields?: readonly Field<S, C>[] | undefined;
  readonly _filter?: Filter<S, C> | undefined;
  readonly _search?: string | undefined;
  readonly _sort?: Sort<S, C> | undefined;
  readonly _limit?: number | undefined;
  readonly _offset?: number | undefined;
  readonly _page?: number | undefined;
  readonly _alias?: Alias<S, C> | undefined;
  readonly _aggregate?: Aggregate<S, C> | undefined;
  readonly _group?: readonly Group<S, C>[] | undefined;
}

/** Parameters for relations, by the names of their fields or their aliases. */
export type Deep<S, C> =
  | {
      readonly [K in RelationName<S, C> | ScopedName<S, C>]?: DeepLevel<S, Target<S, C, K>> &
        Deep<S, Target<S, C, K>>;
    }
  | { readonly [alias: string]: object };

/** Further names for fields, relations and functions. */
export type Alias<S, C> = {
  readonly [name: string]: FieldName<S, C> | Other;
};

interface Shaped<S, C> {
  readonly fields?: readonly Field<S, C>[] | undefined;
  readonly deep?: Deep<S, C> | undefined;
  readonly alias?: Alias<S, C> | undefined;
  readonly backlink?: boolean | undefined;
}

interface Chosen<S, C> {
  readonly filter?: Filter<S, C> | undefined;
  readonly search?: string | undefined;
  readonly sort?: Sort<S, C> | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
}

type MetaName = 'total_count' | 'filter_count' | 'estimated_count' | '*';

/** What a list of items is asked for. */
export interface Query<S, C> extends Shaped<S, C>, Chosen<S, C> {
  readonly meta?: MetaName | readonly MetaName[] | undefined;
}

/** The query of a list; without a schema any. */
export type ListQuery<S, C> = IsLoose<S> extends true ? LooseQuery : Query<S, C>;

/** What one item, or the answer to a write, is asked for. */
export type ItemQuery<S, C> = IsLoose<S> extends true ? LooseQuery : Shaped<S, C>;

/** Which items a write by query concerns: at most 100 without a limit. */
export type Choice<S, C> = IsLoose<S> extends true ? LooseQuery : Chosen<S, C>;

interface Grouped<S, C> extends Omit<Chosen<S, C>, 'sort'> {
  readonly aggregate: Aggregate<S, C>;
  readonly groupBy?: readonly Group<S, C>[] | undefined;
  /** By groups, and by aggregates as `-sum.price` or `count`. */
  readonly sort?: string | readonly string[] | undefined;
}

interface LooseGrouped extends LooseQuery {
  readonly aggregate: object;
}

/** What groups of items, or all of them together, are asked for. */
export type AggregateQuery<S, C> = IsLoose<S> extends true ? LooseGrouped : Grouped<S, C>;
