/** Filters: which operators a field takes, with which values, and the way through relations. */
import type { PartsOf } from './path.ts';
import type { FieldName, FieldOf, IsLoose, KeyNames, RelationName } from './schema.ts';
import type { CallerVariable, FieldType, Geometry, Json, Variable } from './value.ts';

type Nulls = '_null' | '_nnull';
type Empty = '_empty' | '_nempty';
type Equality = '_eq' | '_neq';
type Membership = '_in' | '_nin';
type Order = '_lt' | '_lte' | '_gt' | '_gte';
type Range = '_between' | '_nbetween';
type Substring = '_contains' | '_ncontains';
type Pattern =
  | Substring
  | '_icontains'
  | '_nicontains'
  | '_starts_with'
  | '_nstarts_with'
  | '_istarts_with'
  | '_nistarts_with'
  | '_ends_with'
  | '_nends_with'
  | '_iends_with'
  | '_niends_with'
  | '_ieq'
  | '_nieq';
type Spatial = '_intersects' | '_nintersects' | '_intersects_bbox' | '_nintersects_bbox';

type Text = Equality | Membership | Nulls | Empty | Pattern;
type Ordered = Equality | Membership | Nulls | Order | Range;
type Generic = Ordered | Empty | Substring;

/** The operators of each type of field. */
interface Operators {
  readonly string: Text;
  readonly text: Text;
  readonly csv: Text;
  readonly binary: Text;
  readonly uuid: Equality | Membership | Nulls;
  readonly boolean: Equality | Nulls;
  readonly integer: Ordered;
  readonly bigInteger: Ordered;
  readonly float: Ordered;
  readonly decimal: Ordered;
  readonly date: Ordered;
  readonly time: Ordered;
  readonly dateTime: Ordered;
  readonly timestamp: Generic;
  readonly unknown: Generic;
  readonly json: Nulls;
  readonly list: Nulls | Empty | Pattern;
  readonly geometry: Equality | Nulls | Spatial;
  readonly hash: Nulls | Empty;
  readonly plain: Text | Ordered;
}

/** What one operator of a type compares with, where it is a single value. */
type Operand<Type, V> = Type extends 'integer' | 'float'
  ? number | `${number}` | CallerVariable
  : Type extends 'bigInteger' | 'decimal'
    ? number | string
    : Type extends 'boolean'
      ? boolean | CallerVariable
      : Type extends 'date' | 'dateTime' | 'timestamp'
        ? string | Date
        : Type extends 'geometry'
          ? Geometry | string
          : Type extends 'csv' | 'binary' | 'unknown' | 'time'
            ? string
            : Exclude<V, null> | Variable;

type Value<Operator, Operand> = Operator extends Nulls | Empty
  ? boolean
  : Operator extends Equality
    ? Operand | null
    : Operator extends Membership
      ? readonly (Operand | null)[] | CallerVariable
      : Operator extends Range
        ? readonly [Operand, Operand]
        : Operator extends Pattern
          ? string
          : Operand;

type Operations<Names extends string, Operand> = {
  readonly [Name in Names]?: Value<Name, Operand> | undefined;
};

/** Conditions on one value. */
type OnValue<Names extends string, Operand> = Operations<Names, Operand> & {
  readonly _and?: readonly OnValue<Names, Operand>[] | undefined;
  readonly _or?: readonly OnValue<Names, Operand>[] | undefined;
};

type Member = OnValue<Ordered | Empty | Pattern, string | number | boolean>;

/** Conditions inside a document: each name is the path to one member. */
export type InDocument = {
  readonly [path: string]: Member | Json | readonly InDocument[];
};

type ElementOf<V> = V extends readonly (infer E)[] ? Exclude<E, null> : never;

/** Conditions on the elements of an array. */
type Elements<E> = OnValue<Text | Ordered, E | Variable>;

type OfType<Type extends FieldType, V> = Type extends 'json'
  ?
      | (OnValue<Nulls | Empty | Pattern, string> & {
          readonly _json?: InDocument | undefined;
          readonly _some?: Member | undefined;
          readonly _none?: Member | undefined;
        })
      | null
  : Type extends 'list'
    ?
        | (OnValue<Nulls | Empty, never> & {
            readonly [Name in Pattern]?: ElementOf<V> | Variable | undefined;
          } & {
            readonly _some?: Elements<ElementOf<V>> | undefined;
            readonly _none?: Elements<ElementOf<V>> | undefined;
            readonly _json?: InDocument | undefined;
          })
        | null
    : OnValue<Operators[Type], Operand<Type, V>> | Operand<Type, V> | null;

/** The operators that a concealed field takes. */
type Hidden = OnValue<Nulls | Empty, never>;

type OnColumn<A> = A extends {
  readonly type: infer Type extends FieldType;
  readonly value: infer V;
  readonly flags: infer Flags;
}
  ? 'concealed' extends Flags
    ? Hidden
    : OfType<Type, V>
  : never;

/** Conditions on the key of related items, where that is one field. */
type OnKey<S, C> =
  KeyNames<S, C> extends infer Key
    ? [Key] extends [never]
      ? never
      : [Key] extends [string]
        ? OnColumn<FieldOf<S, C, Key>>
        : never
    : never;

/** Conditions on lists of related items: those that are met by some, by none, or by one each. */
type OnItems<S, C> =
  | (Filter<S, C> & {
      readonly _some?: Filter<S, C> | OnKey<S, C> | undefined;
      readonly _none?: Filter<S, C> | OnKey<S, C> | undefined;
      readonly _null?: boolean | undefined;
      readonly _nnull?: boolean | undefined;
    })
  | OnKey<S, C>;

type OnField<S, A> = A extends { readonly kind: infer Kind; readonly to: infer To }
  ? Kind extends 'many'
    ? OnItems<S, To>
    : Kind extends 'one'
      ? OnColumn<A> | Filter<S, To>
      : OnColumn<A>
  : never;

type OnNumber = OnValue<Ordered, number | `${number}`> | number;

type CountName<S, C> = {
  [K in FieldName<S, C>]-?: FieldOf<S, C, K> extends
    | { readonly kind: 'many' }
    | { readonly type: 'json' | 'list' }
    ? K
    : never;
}[FieldName<S, C>];

type PartName<S, C> = {
  [K in FieldName<S, C>]-?: FieldOf<S, C, K> extends { readonly type: infer Type }
    ? `${PartsOf<Type>}(${K})`
    : never;
}[FieldName<S, C>];

/** Functions on the fields of a collection whose values are numbers. */
export type NumberCall<S, C> = PartName<S, C> | `count(${CountName<S, C>})`;

/** The collections that a many-to-any leads to, as `item:texts`. */
export type ScopedName<S, C> = {
  [K in RelationName<S, C>]: FieldOf<S, C, K> extends {
    readonly kind: 'any';
    readonly to: infer To extends string;
  }
    ? `${K}:${To}`
    : never;
}[RelationName<S, C>];

type TargetOf<Name> = Name extends `${string}:${infer To}` ? To : never;

type Conditions<S, C> = {
  readonly [K in FieldName<S, C>]?: OnField<S, FieldOf<S, C, K>> | undefined;
} & {
  readonly [K in NumberCall<S, C>]?: OnNumber | undefined;
} & {
  readonly [K in ScopedName<S, C>]?: Filter<S, TargetOf<K>> | undefined;
} & {
  readonly _and?: readonly Filter<S, C>[] | undefined;
  readonly _or?: readonly Filter<S, C>[] | undefined;
};

/** Conditions on the items of a collection. */
export type Filter<S, C> =
  IsLoose<S> extends true ? { readonly [name: string]: unknown } : Conditions<S, C>;
