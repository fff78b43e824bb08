/** The type of an item, from the fields that a query asks for. */
import type { AggregateRow } from './aggregate.ts';
import type { CallKey, CallOf, End, IsLiteral, PathsOf, Tree } from './path.ts';
import type { AboutOf, FieldOf, FieldsOf, IsLoose, ReadValue, Show } from './schema.ts';
import type { Json } from './value.ts';

/** What is the same for all levels of a query: the schema, and whether wildcards go back. */
interface Scope {
  readonly schema: unknown;
  /** With `backlink: false` the relation that was followed, by its referring side; else never. */
  readonly via: string;
}

/** An item of which nothing is known. */
export type LooseItem = Record<string, unknown>;

type Nothing = Record<never, never>;

type Member<T, K> = K extends keyof T ? T[K] : never;

/** What `deep` says of a relation. */
type Below<D, K> = K extends keyof D ? D[K] : Nothing;

/** The paths that were asked of a level, in `fields` or in the `_fields` of `deep`. */
type Listed<Fields> = Fields extends readonly (infer E)[] ? PathsOf<E> : never;
type AliasOf<Alias> = [Alias] extends [never] ? Nothing : Alias extends object ? Alias : Nothing;

type IsListed<D> = 'unlisted' extends AboutOf<D>['flags'] ? false : true;

/** The name that an alias stands for, or the name itself. */
type Real<Alias, Name> = Name extends keyof Alias ? Alias[Name] : Name;

type EdgeOf<C, K, A> = A extends {
  readonly kind: 'many';
  readonly to: infer To;
  readonly by: infer By;
}
  ? `${To & string}.${By & string}`
  : `${C & string}.${K & string}`;

/** What wildcards ask of a relation. */
type StarTails<X extends Scope, C, K, A, T> = A extends { readonly kind: 'column' }
  ? never
  : [X['via']] extends [never]
    ? Exclude<Member<T, '*'>, End>
    : EdgeOf<C, K, A> extends X['via']
      ? never
      : Exclude<Member<T, '*'>, End>;

/** All that was asked of a relation, from each place where that may be said. */
type TailsOf<X extends Scope, C, K, A, T, Name, Deep> =
  | Exclude<Member<T, Name>, End>
  | (A extends { readonly flags: infer Flags }
      ? 'unlisted' extends Flags
        ? never
        : StarTails<X, C, K, A, T>
      : never)
  | Listed<Member<Deep, '_fields'>>;

type Following<X extends Scope, C, K, A> = {
  readonly schema: X['schema'];
  readonly via: [X['via']] extends [never] ? never : EdgeOf<C, K, A>;
};

/** Null where the key may be, where the item may be hidden, and where `deep` has conditions. */
type Missing<A extends { readonly value: unknown; readonly flags: unknown }, Deep> =
  | Extract<A['value'], null>
  | ('partial' extends A['flags'] ? null : never)
  | (Deep extends { readonly _filter: object } | { readonly _search: string } ? null : never);

/** What was asked of the items of one of the collections that a field may lead to. */
type TailsFor<Tails, To extends string> = Tails extends `:${infer Of}.${infer Rest}`
  ? Of extends To
    ? Rest
    : never
  : Tails;

type AnyItem<X extends Scope, To extends string, Tails, Deep> = [TailsFor<Tails, To>] extends [
  never,
]
  ? string
  : Row<X, To, TailsFor<Tails, To> & string, Deep>;

type AnyItems<X extends Scope, Field, To extends string, Tails, Deep> = To extends string
  ? AnyItem<X, To, Tails, Below<Deep, `${Field & string}:${To}`>>
  : never;

type ManyItems<X extends Scope, To, Tails extends string, Deep> = Deep extends
  | { readonly _aggregate: object }
  | { readonly _group: readonly string[] }
  ? AggregateRow<X['schema'], To, Member<Deep, '_aggregate'>, Member<Deep, '_group'>>[]
  : Row<X, To, Tails, Deep>[];

type IsAggregated<Deep> = Deep extends
  | { readonly _aggregate: object }
  | { readonly _group: readonly string[] }
  ? true
  : false;

/** The value of a field in an item: as it is, or the items that it leads to. */
type Value<X extends Scope, A, Tails, Deep, Siblings, Name> = [Tails, IsAggregated<Deep>] extends [
  never,
  false,
]
  ? ReadValue<X['schema'], A>
  : A extends {
        readonly kind: infer Kind;
        readonly to: infer To extends string;
        readonly value: unknown;
        readonly flags: unknown;
      }
    ? Kind extends 'one'
      ? [Tails] extends [never]
        ? A['value']
        : Row<X, To, Tails & string, Deep> | Missing<A, Deep>
      : Kind extends 'many'
        ? ManyItems<X, To, Tails & string, Deep>
        : Kind extends 'any'
          ? AnyItems<X, Name, To, Tails, Siblings> | null
          : A['value']
    : never;

type FieldValue<X extends Scope, C, K, T, D, Name> =
  FieldOf<X['schema'], C, K> extends infer A
    ? Value<
        Following<X, C, K, A>,
        A,
        TailsOf<X, C, K, A, T, Name, Below<D, Name>>,
        Below<D, Name>,
        D,
        Name
      >
    : never;

/** The value of a function on a field; whole numbers are texts. */
type CallValue<S, C, Call> = Call extends readonly [infer Fn, infer Field, string]
  ? Fn extends 'json'
    ? Json
    : FieldOf<S, C, Field> extends infer A
      ? A extends { readonly kind: 'many' }
        ? string
        : A extends { readonly type: 'json' }
          ? string | null
          : A extends { readonly value: infer V }
            ? string | Extract<V, null>
            : never
      : never
  : never;

type OwnKey<F, T, Alias, K> = K extends keyof Alias
  ? never
  : K extends keyof T
    ? K
    : '*' extends keyof T
      ? K extends keyof F
        ? IsListed<F[K]> extends true
          ? K
          : never
        : never
      : never;

/** The fields of the collection itself, with their comments. */
type Own<X extends Scope, C, F, T, D, Alias> = {
  [K in keyof F as OwnKey<F, T, Alias, K>]-?: FieldValue<X, C, K, T, D, K>;
};

type CallNames<F, T, Alias> = {
  [H in keyof T]-?: H extends keyof F | keyof Alias | '*' ? never : H;
}[keyof T];

type Calls<S, C, H> = {
  [Name in H as CallKey<CallOf<Name & string>>]: CallValue<S, C, CallOf<Name & string>>;
};

type Aliased<X extends Scope, C, T, D, Alias> = {
  -readonly [Name in keyof Alias as '*' extends keyof T
    ? Name
    : Name extends keyof T
      ? Name
      : never]: Alias[Name] extends keyof FieldsOf<X['schema'], C>
    ? FieldValue<X, C, Real<Alias, Name>, T, D, Name>
    : CallValue<X['schema'], C, CallOf<Alias[Name] & string>>;
};

/** The fields of many-to-any whose items were asked, and that stand beside the name of the collection. */
type Telling<F, T, Row> = {
  [K in keyof F]-?: K extends keyof T
    ? AboutOf<F[K]> extends { readonly kind: 'any'; readonly by: infer By }
      ? [Exclude<T[K], End>] extends [never]
        ? never
        : By extends keyof Row
          ? K
          : never
      : never
    : never;
}[keyof F];

/** A row whose collection tells what its item is. */
type Told<X extends Scope, R, A, K, T, D> = A extends {
  readonly to: infer To extends string;
  readonly by: infer By;
}
  ? To extends string
    ? Show<
        Omit<R, K & string> & { [P in K & string]: AnyItems<X, K, To, Member<T, K>, D> | null } & {
          [P in By & string]: To;
        }
      >
    : never
  : never;

type Untold<R, A, K> = A extends { readonly by: infer By }
  ? By extends keyof R
    ? null extends R[By]
      ? Show<
          Omit<R, (K & string) | (By & string)> &
            Record<K & string, null> &
            Record<By & string, null>
        >
      : never
    : never
  : never;

type Single<K> = [K] extends [infer Only]
  ? Only extends unknown
    ? [K] extends [Only]
      ? true
      : false
    : never
  : never;

type Discriminated<X extends Scope, C, T, D, R, K> = [K] extends [never]
  ? R
  : Single<K> extends true
    ?
        | Told<X, Omit<R, ByOf<FieldOf<X['schema'], C, K>>>, FieldOf<X['schema'], C, K>, K, T, D>
        | Untold<R, FieldOf<X['schema'], C, K>, K>
    : R;

type ByOf<A> = A extends { readonly by: infer By } ? By & string : never;

type Parts<X extends Scope, C, F, T, D, Alias> = [keyof Alias | CallNames<F, T, Alias>] extends [
  never,
]
  ? Own<X, C, F, T, D, Alias>
  : Show<
      Own<X, C, F, T, D, Alias> &
        Calls<X['schema'], C, CallNames<F, T, Alias>> &
        Aliased<X, C, T, D, Alias>
    >;

type RowOf<X extends Scope, C, F, T, D, Alias> =
  Parts<X, C, F, T, D, Alias> extends infer R
    ? Discriminated<X, C, T, D, Show<R>, Telling<F, T, R>>
    : never;

/** An item of a level. */
type Row<X extends Scope, C, P extends string, D> =
  IsLiteral<P> extends true
    ? RowOf<X, C, FieldsOf<X['schema'], C>, Tree<P>, D, AliasOf<Member<D, '_alias'>>>
    : LooseItem;

/** What a query asks for, in the form that levels of `deep` have. */
type Level<Q> = (Q extends { readonly deep: infer Deep extends object } ? Deep : Nothing) &
  (Q extends { readonly alias: infer Alias } ? { readonly _alias: Alias } : Nothing);

type Via<Q> = Q extends { readonly backlink: false } ? '' : never;

type AskedPaths<Q> = Q extends { readonly fields: readonly (infer E)[] }
  ? [E] extends [never]
    ? '*'
    : PathsOf<E>
  : '*';

/** How much of a query is known: all; which fields there may be; or nothing. */
type Known<Q> = Q extends { readonly alias?: infer A }
  ? string extends keyof A
    ? 'nothing'
    : KnownFields<Q>
  : KnownFields<Q>;

type KnownFields<Q> = 'fields' extends keyof Q
  ? Q['fields'] extends readonly unknown[]
    ? number extends Q['fields']['length']
      ? Q['fields'][number] extends string
        ? 'some'
        : 'nothing'
      : 'all'
    : 'nothing'
  : 'all';

/** An item as a query asks for it. */
export type ItemOf<S, C, Q = Nothing> =
  IsLoose<S> extends true
    ? LooseItem
    : Known<Q> extends 'all'
      ? Row<{ schema: S; via: Via<Q> }, C, AskedPaths<Q>, Level<Q>>
      : Known<Q> extends 'some'
        ? Partial<Row<{ schema: S; via: Via<Q> }, C, AskedPaths<Q>, Level<Q>>>
        : LooseItem;
