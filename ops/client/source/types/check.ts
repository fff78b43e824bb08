/** What the compiler checks of queries beyond their shape: names, paths, and members that nobody knows. */
import type { Aggregate } from './aggregate.ts';
import type { Filter } from './filter.ts';
import type { CallKey, CallOf, End, IsLiteral, Split } from './path.ts';
import type { Deep, DeepLevel } from './query.ts';
import type { FieldName, FieldOf, IsLoose } from './schema.ts';
import type { CheckedTerm, IsCall } from './sort.ts';

type Nothing = Record<never, never>;
type Entries<T> = T extends readonly (infer E)[] ? E : never;
type Real<A, Name> = Name extends keyof A ? A[Name] & string : Name;
type AliasOf<T, Name extends string> = Name extends keyof T
  ? T[Name] extends object
    ? T[Name]
    : Nothing
  : Nothing;
type Below<T, K> = K extends keyof T ? T[K] : Nothing;

/** Whether a name, or a function on a field, can stand at the end of a path. */
type IsName<S, C, Name extends string> = Name extends '*'
  ? true
  : Name extends FieldName<S, C>
    ? true
    : IsCall<S, C, CallOf<Name>>;

/** Whether a path of `fields` leads to what exists. */
type IsPath<S, C, P extends string, D> =
  Split<P> extends readonly [infer Head extends string, infer Rest extends string]
    ? Rest extends End
      ? Head extends keyof AliasOf<D, '_alias'>
        ? true
        : IsName<S, C, Head>
      : Head extends '*'
        ? true
        : Leads<S, FieldOf<S, C, Real<AliasOf<D, '_alias'>, Head>>, Rest, Below<D, Head>>
    : false;

type Leads<S, A, Rest extends string, D> = [A] extends [never]
  ? false
  : A extends { readonly kind: infer Kind; readonly to: infer To extends string }
    ? Kind extends 'one' | 'many'
      ? IsPath<S, To, Rest, D>
      : Kind extends 'any'
        ? LeadsToAny<S, To, Rest>
        : false
    : false;

/** Without a collection the path has to exist in each. */
type LeadsToAny<
  S,
  To extends string,
  Rest extends string,
> = Rest extends `:${infer Of}.${infer Inner}`
  ? Of extends To
    ? IsPath<S, Of, Inner, Nothing>
    : false
  : (To extends string ? IsPath<S, To, Rest, Nothing> : never) extends true
    ? true
    : false;

/** Fields that are right are themselves; the others become those that are offered. */
type CheckedField<S, C, E, D> = E extends string
  ? string extends E
    ? E
    : IsPath<S, C, E, D> extends true
      ? E
      : '*' | FieldName<S, C>
  : {
      readonly [K in keyof E]: K extends `${infer Head}:${infer Of}`
        ? FieldOf<S, C, Head> extends { readonly kind: 'any'; readonly to: infer To }
          ? Of extends To
            ? CheckedFields<S, Of, E[K], Below<D, K>>
            : never
          : never
        : CheckedBehind<S, FieldOf<S, C, Real<AliasOf<D, '_alias'>, K>>, E[K], Below<D, K>>;
    };

type CheckedBehind<S, A, Fields, D> = [A] extends [never]
  ? never
  : A extends { readonly kind: infer Kind; readonly to: infer To extends string }
    ? Kind extends 'one' | 'many'
      ? CheckedFields<S, To, Fields, D>
      : Kind extends 'any'
        ? Fields extends readonly unknown[]
          ? Everywhere<S, To, Fields>
          : {
              readonly [Of in keyof Fields]: Of extends To
                ? CheckedFields<S, Of, Fields[Of], Nothing>
                : never;
            }
        : never
    : never;

/** Fields that each of several collections has. */
type Everywhere<S, To extends string, Fields> = {
  readonly [I in keyof Fields]: Fields[I] extends string
    ? (To extends string ? IsPath<S, To, Fields[I], Nothing> : never) extends true
      ? Fields[I]
      : '*'
    : never;
};

/** Lists whose length is not known are checked as far as they are texts. */
type CheckedFields<S, C, Fields, D> = Fields extends readonly unknown[]
  ? number extends Fields['length']
    ? readonly (Fields[number] extends infer E ? CheckedText<S, C, E, D> : never)[]
    : { readonly [I in keyof Fields]: CheckedField<S, C, Fields[I], D> }
  : Fields;

type CheckedText<S, C, E, D> = E extends string
  ? IsLiteral<E> extends true
    ? CheckedField<S, C, E, D>
    : E
  : E;

type CheckedSort<S, C, Terms, A> = Terms extends string
  ? CheckedTerm<S, C, Terms, A>
  : { readonly [I in keyof Terms]: CheckedTerm<S, C, Terms[I], A> };

type CheckedAlias<S, C, A> = string extends keyof A
  ? unknown
  : {
      readonly [N in keyof A]: A[N] extends string
        ? string extends A[N]
          ? A[N]
          : A[N] extends `${string}.${string}`
            ? A[N] extends `json(${string})`
              ? CheckedName<S, C, A[N]>
              : FieldName<S, C>
            : CheckedName<S, C, A[N]>
        : FieldName<S, C>;
    };

type CheckedName<S, C, Name extends string> = Name extends '*'
  ? FieldName<S, C>
  : IsName<S, C, Name> extends true
    ? Name
    : FieldName<S, C>;

type DeepParameter = keyof DeepLevel<never, never>;

type CheckedLevel<S, C, L> = {
  readonly [P in keyof L]: P extends '_fields'
    ? CheckedFields<S, C, L[P], L>
    : P extends '_sort'
      ? CheckedSort<S, C, L[P], AliasOf<L, '_alias'>>
      : P extends '_alias'
        ? CheckedAlias<S, C, L[P]>
        : P extends '_filter'
          ? Filter<S, C> & Exact<L[P], Filter<S, C>>
          : P extends '_aggregate'
            ? Aggregate<S, C> & Exact<L[P], Aggregate<S, C>>
            : P extends DeepParameter
              ? DeepLevel<S, C>[P]
              : CheckedRelation<S, C, P, L[P], AliasOf<L, '_alias'>>;
};

type CheckedRelation<S, C, K, L, A> = K extends `${infer Head}:${infer Of}`
  ? FieldOf<S, C, Head> extends { readonly kind: 'any'; readonly to: infer To }
    ? Of extends To
      ? CheckedLevel<S, Of, L>
      : never
    : never
  : FieldOf<S, C, Real<A, K>> extends infer R
    ? [R] extends [never]
      ? never
      : R extends { readonly kind: 'one' | 'many'; readonly to: infer To }
        ? CheckedLevel<S, To, L>
        : never
    : never;

type CheckedDeep<S, C, D, A> = [Deep<S, C>] extends [D]
  ? unknown
  : { readonly [K in keyof D]: CheckedRelation<S, C, K, D[K], A> };

type AllKeys<T> = T extends unknown ? keyof T : never;
type MemberOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type Bare = string | number | boolean | bigint | null | undefined | Date;

/** What has no member that its shape does not have. */
type Exact<T, Shape> = T extends Bare
  ? unknown
  : T extends readonly unknown[]
    ? { readonly [I in keyof T]: Exact<T[I], Entries<Shape>> }
    : [Shape] extends [T]
      ? unknown
      : {
          readonly [K in keyof T]: K extends AllKeys<Shape>
            ? Exact<T[K], MemberOf<Shape, K>>
            : never;
        };

/** The levels of a query, in the form that those of `deep` have. */
type Root<Q> = (Q extends { readonly deep: infer D extends object } ? D : Nothing) &
  (Q extends { readonly alias: infer A } ? { readonly _alias: A } : Nothing);

/** Groups are sorted by what stands in the query, not by fields. */
type CheckedOrder<S, C, Q> = Q extends { readonly sort: infer Terms }
  ? Q extends { readonly aggregate: infer Asks }
    ? CheckedGroupSort<Terms, SortOfGroups<Asks, Q>>
    : CheckedSort<S, C, Terms, AliasOf<Q, 'alias'>>
  : unknown;

type SortOfGroups<Asks, Q> =
  | { [Fn in keyof Asks & string]: Fn | `${Fn}.${NamesIn<Asks[Fn]>}` }[keyof Asks & string]
  | (Q extends { readonly groupBy: readonly (infer G extends string)[] }
      ? G | CallKey<CallOf<G>>
      : never);

type NamesIn<Asked> = Asked extends string ? Asked : Extract<Entries<Asked>, string>;

type CheckedGroupSort<Terms, Names extends string> = Terms extends string
  ? Names | `-${Names}`
  : { readonly [I in keyof Terms]: Names | `-${Names}` };

/**
 * What a query is checked with: names that do not exist, and parameters that nobody knows, do not
 * fit it.
 */
export type Checked<S, C, Q, All> =
  IsLoose<S> extends true
    ? unknown
    : {
        readonly [P in keyof Q]: P extends 'fields'
          ? CheckedFields<S, C, Q[P], Root<Q>>
          : P extends 'sort'
            ? CheckedOrder<S, C, Q>
            : P extends 'alias'
              ? CheckedAlias<S, C, Q[P]>
              : P extends 'deep'
                ? CheckedDeep<S, C, Q[P], AliasOf<Q, 'alias'>>
                : P extends 'filter'
                  ? Exact<Q[P], Filter<S, C>>
                  : P extends 'aggregate'
                    ? Exact<Q[P], Aggregate<S, C>>
                    : P extends keyof All
                      ? unknown
                      : never;
      };
