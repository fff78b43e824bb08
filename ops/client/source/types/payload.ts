/** What items are created and changed with, related items included. */
import type { AboutOf, FieldOf, FieldsOf, IsLoose, KeyNames, KeyOf, ReadValue } from './schema.ts';
import type { FieldType } from './value.ts';

/** What may be written where a type is read as `V`. */
type Written<Type extends FieldType, V> = Type extends
  | 'integer'
  | 'float'
  | 'bigInteger'
  | 'decimal'
  ? number | string | Extract<V, null>
  : Type extends 'timestamp'
    ? string | Date | Extract<V, null>
    : Type extends 'hash' | 'binary'
      ? string | Extract<V, null>
      : Type extends 'json'
        ? unknown
        : Type extends 'list' | 'csv'
          ? WrittenList<V>
          : V;

type WrittenList<V> = V extends readonly (infer E)[] ? readonly E[] : V;

interface Known {
  readonly kind: unknown;
  readonly type: FieldType;
  readonly value: unknown;
  readonly flags: unknown;
  readonly to: string;
  readonly by: string;
}

type IsWritable<A> = A extends Known ? ('readonly' extends A['flags'] ? false : true) : false;

/** Whether an item can be created without it. */
type IsOptional<A> = A extends Known
  ? A['kind'] extends 'many' | 'any'
    ? true
    : 'default' extends A['flags']
      ? true
      : 'required' extends A['flags']
        ? false
        : null extends A['value']
          ? true
          : undefined extends A['value']
            ? true
            : false
  : true;

/** The members that name one item, whose other members change it. */
type WithKey<S, C> =
  KeyNames<S, C> extends infer Key
    ? Key extends string
      ? { readonly [K in Key]: KeyOf<S, C> }
      : Key extends readonly string[]
        ? { readonly [K in Key[number]]: ReadValue<S, FieldOf<S, C, K>> }
        : never
    : never;

/** An item behind a relation: a new one, or one that is there with its changes. */
type Nested<S, C, By extends string> =
  | (New<S, C, By> & { readonly [K in By]?: unknown })
  | (Changed<S, C> & WithKey<S, C>);

/** Changes of a list of related items, which leave the others as they are. */
export interface ListChanges<S, C, By extends string = never> {
  readonly create?: readonly (New<S, C, By> & { readonly [K in By]?: unknown })[] | undefined;
  readonly update?: readonly (Changed<S, C> & WithKey<S, C>)[] | undefined;
  readonly delete?: readonly KeyOf<S, C>[] | undefined;
}

/** The value of one field: of relations keys, items, or changes of the list. */
type FieldInput<S, A> = A extends Known
  ? A['kind'] extends 'column'
    ? Written<A['type'], A['value']>
    : A['kind'] extends 'one'
      ? A['value'] | Nested<S, A['to'], never>
      : A['kind'] extends 'many'
        ?
            | readonly (KeyOf<S, A['to']> | Nested<S, A['to'], A['by']>)[]
            | ListChanges<S, A['to'], A['by']>
            | null
        : never
  : never;

type OfKind<S, F, Optional, By> = {
  [K in keyof F as K extends By
    ? never
    : AboutOf<F[K]> extends infer A
      ? A extends { readonly kind: 'any' }
        ? never
        : [IsWritable<A>, IsOptional<A>] extends [true, Optional]
          ? K
          : never
      : never]: FieldInput<S, AboutOf<F[K]>>;
};

type AnyFields<F> = {
  [K in keyof F]-?: AboutOf<F[K]> extends { readonly kind: 'any' } ? K : never;
}[keyof F];

/** The item of a many-to-any, with the collection that it is in. */
type AnyInput<S, F, K> = K extends keyof F
  ? AboutOf<F[K]> extends {
      readonly to: infer To extends string;
      readonly by: infer By extends string;
    }
    ?
        | (To extends string
            ? { readonly [P in K]: KeyOf<S, To> | string | Nested<S, To, never> | null } & {
                readonly [P in By]: To;
              }
            : never)
        | { readonly [P in K]?: string | null | undefined }
    : never
  : unknown;

type Anys<S, F> = [AnyFields<F>] extends [never] ? unknown : AnyInput<S, F, AnyFields<F>>;

/** Members may be left out as `undefined`, too. */
type Optionally<T> = { readonly [K in keyof T]?: T[K] | undefined };

type New<S, C, By extends string> = Readonly<OfKind<S, FieldsOf<S, C>, false, By>> &
  Optionally<OfKind<S, FieldsOf<S, C>, true, By>> &
  Anys<S, FieldsOf<S, C>>;

type Changed<S, C> = Optionally<OfKind<S, FieldsOf<S, C>, boolean, never>> &
  Anys<S, FieldsOf<S, C>>;

type LooseInput = { readonly [name: string]: unknown };

/** What an item is created with. */
export type NewItem<S, C> = IsLoose<S> extends true ? LooseInput : New<S, C, never>;

/** What an item is changed with. */
export type ItemChanges<S, C> = IsLoose<S> extends true ? LooseInput : Changed<S, C>;

/** An item with its key and its changes, as in a batch. */
export type KeyedChanges<S, C> =
  IsLoose<S> extends true ? LooseInput : Changed<S, C> & WithKey<S, C>;
