/** Aggregates, and the rows that they are answered with. */
import type { CallKey, CallOf, PartsOf } from './path.ts';
import type { FieldName, FieldOf, FieldsOf, IsLoose, Show } from './schema.ts';
import type { FieldType } from './value.ts';

type NumberType = 'integer' | 'bigInteger' | 'float' | 'decimal' | 'plain';
type Unordered = 'json' | 'list' | 'boolean' | 'binary' | 'uuid' | 'geometry' | 'hash';
type Ungrouped = 'json' | 'list' | 'geometry' | 'hash';

/** The columns of a collection whose types are none of some, and that are shown. */
type ColumnsBut<S, C, Type> = {
  [K in FieldName<S, C>]-?: FieldOf<S, C, K> extends infer A
    ? A extends { readonly kind: 'many' }
      ? never
      : A extends { readonly type: Type }
        ? never
        : A extends { readonly flags: infer Flags }
          ? 'concealed' extends Flags
            ? never
            : K
          : never
    : never;
}[FieldName<S, C>];

/** The columns of a collection that have one of some types. */
type ColumnsOf<S, C, Type> = ColumnsBut<S, C, Exclude<FieldType, Type>>;

type Asked<Name extends string> = Name | readonly Name[];

/** Functions over all items, or over those of a group, with the fields that they are of. */
export interface Aggregate<S, C> {
  readonly count?: Asked<'*' | ColumnsBut<S, C, never>> | undefined;
  readonly countDistinct?: Asked<ColumnsBut<S, C, never>> | undefined;
  readonly countAll?: '*' | undefined;
  readonly sum?: Asked<ColumnsOf<S, C, NumberType>> | undefined;
  readonly sumDistinct?: Asked<ColumnsOf<S, C, NumberType>> | undefined;
  readonly avg?: Asked<ColumnsOf<S, C, NumberType>> | undefined;
  readonly avgDistinct?: Asked<ColumnsOf<S, C, NumberType>> | undefined;
  readonly min?: Asked<ColumnsBut<S, C, Unordered>> | undefined;
  readonly max?: Asked<ColumnsBut<S, C, Unordered>> | undefined;
}

type PartCall<S, C> = {
  [K in FieldName<S, C>]-?: `${PartsOf<FieldOf<S, C, K>['type']>}(${K})`;
}[FieldName<S, C>];

/** What items can be grouped by: fields, and parts of their dates and times. */
export type Group<S, C> = ColumnsBut<S, C, Ungrouped> | PartCall<S, C>;

type ListOf<T> = T extends readonly (infer E)[] ? E : T;

/** Null: of no items there is no sum. In groups there are some. */
type Absent<Column, Grouped> = Grouped extends true
  ? Column extends { readonly value: infer V }
    ? Extract<V, null>
    : never
  : null;

type ValueOf<
  Fn,
  Column extends { readonly type: FieldType; readonly value: unknown },
  Grouped,
> = Fn extends 'min' | 'max'
  ? Exclude<Column['value'], null> | Absent<Column, Grouped>
  : Fn extends 'sum' | 'sumDistinct' | 'avg' | 'avgDistinct'
    ?
        | (Column['type'] extends 'float'
            ? number
            : Column['type'] extends 'plain'
              ? number | string
              : string)
        | Absent<Column, Grouped>
    : string;

/** `{count: '5'}` for `*`, `{sum: {price: '12.50'}}` for fields. */
type Aggregated<S, C, Fn, Asks, Grouped> = Fn extends 'countAll'
  ? string
  : [ListOf<Asks>] extends ['*']
    ? string
    : {
        [K in ListOf<Asks> & string]: K extends '*'
          ? string
          : ValueOf<Fn, FieldOf<S, C, K>, Grouped>;
      };

/** The value that a group has in common; parts of dates are texts here. */
type GroupValues<S, C, G extends string> = {
  [X in G as X extends keyof FieldsOf<S, C> ? X : CallKey<CallOf<X>>]: X extends keyof FieldsOf<
    S,
    C
  >
    ? FieldOf<S, C, X>['value']
    : string | (CallOf<X> extends infer Call ? PartNull<S, C, Call> : never);
};

type PartNull<S, C, Call> = Call extends readonly [unknown, infer Field, unknown]
  ? Extract<FieldOf<S, C, Field>['value'], null>
  : never;

type GroupsOf<G> = G extends readonly (infer X extends string)[] ? X : never;

/** A row of the answer to an aggregate. */
export type AggregateRow<S, C, Asks, G = undefined> =
  IsLoose<S> extends true
    ? Record<string, unknown>
    : Show<
        GroupValues<S, C, GroupsOf<G>> & {
          -readonly [Fn in keyof Asks as Asks[Fn] extends undefined ? never : Fn]: Aggregated<
            S,
            C,
            Fn,
            Asks[Fn],
            [GroupsOf<G>] extends [never] ? false : true
          >;
        }
      >;
