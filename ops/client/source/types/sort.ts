/** What items can be sorted by. */
import type { CallOf, End, PartsOf, Split } from './path.ts';
import type { FieldName, FieldOf } from './schema.ts';

type Unsortable = 'json' | 'geometry' | 'hash';

/** Whether a field of the collection itself has an order. */
type IsSortable<S, C, Name> =
  FieldOf<S, C, Name> extends infer A
    ? [A] extends [never]
      ? false
      : A extends { readonly kind: 'many' } | { readonly type: Unsortable }
        ? false
        : A extends { readonly flags: infer Flags }
          ? 'concealed' extends Flags
            ? false
            : true
          : false
    : false;

/** Whether a call such as `year(field)` fits the type of its field. */
export type IsCall<S, C, Call> = [Call] extends [never]
  ? false
  : Call extends readonly [infer Fn, infer Field, string]
    ? Applies<FieldOf<S, C, Field>, Fn>
    : false;

type Applies<A, Fn> = [A] extends [never]
  ? false
  : A extends { readonly kind: infer Kind; readonly type: infer Type }
    ? Fn extends 'json'
      ? Type extends 'json' | 'list'
        ? true
        : false
      : Fn extends 'count'
        ? Kind extends 'many'
          ? true
          : Type extends 'json' | 'list'
            ? true
            : false
        : Fn extends PartsOf<Type>
          ? true
          : false
    : false;

type Leads<S, C, Head, Rest extends string> =
  FieldOf<S, C, Head> extends {
    readonly kind: infer Kind;
    readonly to: infer To extends string;
  }
    ? Kind extends 'one'
      ? IsPath<S, To, Rest, Nothing>
      : Kind extends 'any'
        ? Rest extends `:${infer Of}.${infer Inner}`
          ? Of extends To
            ? IsPath<S, Of, Inner, Nothing>
            : false
          : false
        : false
    : false;

type Nothing = Record<never, never>;

type Real<Alias, Name> = Name extends keyof Alias ? Alias[Name] & string : Name;

/** Whether a path leads to something that has an order. */
type IsPath<S, C, P extends string, Alias> =
  Split<P> extends readonly [infer Head extends string, infer Rest extends string]
    ? Rest extends End
      ? [
          IsSortable<S, C, Real<Alias, Head>>,
          IsCall<S, C, CallOf<Real<Alias, Head> & string>>,
        ] extends [false, false]
        ? false
        : true
      : Leads<S, C, Real<Alias, Head>, Rest>
    : false;

/** The sort terms that are right as they are; the others become those that are offered. */
export type CheckedTerm<S, C, Term, Alias> = Term extends string
  ? string extends Term
    ? Term
    : (
          Term extends `-${infer Path}`
            ? IsPath<S, C, Path, Alias>
            : IsPath<S, C, Term, Alias>
        ) extends true
      ? Term
      : SortName<S, C>
  : SortName<S, C>;

/** The names of a collection that can stand in `sort`. */
export type SortName<S, C> = SortField<S, C> | `-${SortField<S, C>}`;

type SortField<S, C> = {
  [K in FieldName<S, C>]-?: IsSortable<S, C, K> extends true ? K : never;
}[FieldName<S, C>];

type Term<S, C> = SortName<S, C> | (string & Record<never, never>);

/** What a list is sorted by, with `-` in front where it goes down: names, paths, functions. */
export type Sort<S, C> = Term<S, C> | readonly Term<S, C>[];
