/**
 * What a generated schema is written with. Collections and relations name one another by texts, so
 * that a compiler looks only at those that a query goes through.
 */
import type { Bytes, FieldType, Geometry } from './value.ts';

/** Marks members that are no plain values; no value has it. */
declare const about: unique symbol;

/**
 * What is said of a field: `default`: need not be given to create an item; `readonly`: only the
 * server writes it; `required`: must be given although null is read; `concealed`: is never shown; `unlisted`: no part of `*`; `partial`: the item
 * that a key names may be missing or hidden.
 */
export type Flag = 'default' | 'readonly' | 'required' | 'concealed' | 'unlisted' | 'partial';

interface About {
  readonly kind: 'column' | 'one' | 'many' | 'any';
  readonly type: FieldType;
  /** As it is read. */
  readonly value: unknown;
  readonly flags: Flag;
  /** The related collection, or several. */
  readonly to: string;
  /** Of a list the field of the related items that leads back; of `any` the field that names the collection. */
  readonly by: string;
}

/** A column, by its type and its value as it is read. */
export interface Column<Type extends FieldType, Value, Flags extends Flag = never> {
  readonly [about]: {
    readonly kind: 'column';
    readonly type: Type;
    readonly value: Value;
    readonly flags: Flags;
    readonly to: never;
    readonly by: never;
  };
}

/** A column, or several, that name an item of another collection. */
export interface ToOne<
  To extends string,
  Type extends FieldType,
  Value,
  Flags extends Flag = never,
> {
  readonly [about]: {
    readonly kind: 'one';
    readonly type: Type;
    readonly value: Value;
    readonly flags: Flags;
    readonly to: To;
    readonly by: never;
  };
}

/** Items of another collection that refer to this one by the field `By`. */
export interface ToMany<To extends string, By extends string, Flags extends Flag = never> {
  readonly [about]: {
    readonly kind: 'many';
    readonly type: 'unknown';
    readonly value: never;
    readonly flags: Flags;
    readonly to: To;
    readonly by: By;
  };
}

/** A column that names an item of any of several collections; the field `By` says of which. */
export interface ToAny<
  To extends string,
  By extends string,
  Value = string | null,
  Flags extends Flag = never,
> {
  readonly [about]: {
    readonly kind: 'any';
    readonly type: 'string';
    readonly value: Value;
    readonly flags: Flags;
    readonly to: To;
    readonly by: By;
  };
}

interface Described {
  readonly [about]: About;
}

interface CollectionParts {
  readonly fields: object;
  readonly key: string | readonly string[];
  readonly singleton: boolean;
}

/** A collection: its fields, and the field, or the list of fields, that is its key. */
export interface Collection<Fields extends object, Key extends string | readonly string[]> {
  readonly [about]: { readonly fields: Fields; readonly key: Key; readonly singleton: false };
}

/** A collection without a key: a view, or a table whose key may not be read. */
export interface View<Fields extends object> {
  readonly [about]: { readonly fields: Fields; readonly key: never; readonly singleton: false };
}

/** A collection of one item. */
export interface Singleton<Fields extends object, Key extends string | readonly string[] = never> {
  readonly [about]: { readonly fields: Fields; readonly key: Key; readonly singleton: true };
}

interface DescribedCollection {
  readonly [about]: CollectionParts;
}

/** A schema of which nothing is known: every collection has items with any fields. */
export type AnySchema = Record<string, Record<string, unknown>>;

/** Whether nothing is known of a schema. */
export type IsLoose<S> = string extends keyof S ? true : false;

export type Names<S> = keyof S & string;

/** The fields of a collection. */
export type FieldsOf<S, C> = C extends keyof S
  ? S[C] extends DescribedCollection
    ? S[C][typeof about]['fields']
    : S[C]
  : never;

/** The names of the fields that are a collection's key. */
export type KeyNames<S, C> = C extends keyof S
  ? S[C] extends DescribedCollection
    ? S[C][typeof about]['key']
    : 'id' extends keyof S[C]
      ? 'id'
      : never
  : never;

/** Whether a collection has one item. */
export type IsSingleton<S, C> = C extends keyof S
  ? S[C] extends { readonly [about]: { readonly singleton: true } }
    ? true
    : false
  : false;

type NotNull<T> = Exclude<T, null | undefined>;

/** The type of a field by its value, where nothing else says it. */
type PlainType<V> = [V] extends [boolean]
  ? 'boolean'
  : [V] extends [number]
    ? 'float'
    : [V] extends [string]
      ? 'plain'
      : [V] extends [Geometry]
        ? 'geometry'
        : [V] extends [Bytes]
          ? 'binary'
          : [V] extends [readonly unknown[]]
            ? 'list'
            : 'json';

interface Plain<Type extends FieldType, V> {
  readonly kind: 'column';
  readonly type: Type;
  readonly value: V;
  readonly flags: undefined extends V ? 'default' : never;
  readonly to: never;
  readonly by: never;
}

/** What is known of a field. */
export type AboutOf<D> = [D] extends [Described]
  ? D[typeof about]
  : Plain<PlainType<NotNull<D>>, D>;

/** What is known of a field of a collection. */
export type FieldOf<S, C, K> =
  FieldsOf<S, C> extends infer F ? (K extends keyof F ? AboutOf<F[K]> : never) : never;

/** The names that can stand in a query; those with other signs are read by wildcards alone. */
type Sayable<K> = K extends `${string}${'.' | ',' | '(' | ':'}${string}` ? never : K;

/** The names of a collection's fields. */
export type FieldName<S, C> = Sayable<keyof FieldsOf<S, C> & string>;

type Of<S, C, Kind> = {
  [K in keyof FieldsOf<S, C> & string]-?: AboutOf<FieldsOf<S, C>[K]>['kind'] extends Kind
    ? K
    : never;
}[keyof FieldsOf<S, C> & string];

/** The names of a collection's relations. */
export type RelationName<S, C> = Of<S, C, 'one' | 'many' | 'any'>;

/** Of a key: its value; several fields are a list of their values. */
type ValuesOf<S, C, Key> = Key extends string
  ? NotNull<FieldOf<S, C, Key>['value']>
  : Key extends readonly string[]
    ? { readonly [I in keyof Key]: NotNull<FieldOf<S, C, Key[I]>['value']> }
    : never;

/** The key of an item. */
export type KeyOf<S, C> =
  IsLoose<S> extends true
    ? string | number | readonly (string | number)[]
    : ValuesOf<S, C, KeyNames<S, C>>;

/** A field's value as it is read when it is only named. */
export type ReadValue<S, A> = A extends About
  ? A['kind'] extends 'many'
    ? KeyOf<S, A['to']>[]
    : A['value']
  : never;

/** The same members, which editors then show instead of how they were found. */
export type Show<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;
