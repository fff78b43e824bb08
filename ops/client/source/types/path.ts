/** Reads the texts of `fields` and `sort`: paths through relations, and functions around fields. */

/** A text whose characters are known to the compiler. */
export type IsLiteral<T extends string> = string extends T
  ? false
  : Record<never, never> extends Record<T, never>
    ? false
    : true;

/** `{ author: ['name'] }` as `author.name`; texts as they are. */
export type PathsOf<Entry> = Entry extends string
  ? Entry
  : Entry extends object
    ? { [K in keyof Entry & string]: PathsBehind<K, Entry[K]> }[keyof Entry & string]
    : never;

/** The paths behind a relation; `{ item: { texts: ['body'] } }` names the collections of its items. */
type PathsBehind<K extends string, Inner> = Inner extends readonly (infer E)[]
  ? `${K}.${number extends Inner['length'] ? Extract<E, string> : PathsOf<E>}`
  : Inner extends object
    ? { [Of in keyof Inner & string]: PathsBehind<`${K}:${Of}`, Inner[Of]> }[keyof Inner & string]
    : never;

/** Marks that no segment of the path follows. */
export type End = '';

/** The path in a call whose first name is a relation: `year(author.born)` is `author.year(born)`. */
type Unwrapped<
  Fn extends string,
  Inside extends string,
> = Inside extends `${infer Path},${infer Of}`
  ? Path extends `${infer Head}.${infer Rest}`
    ? readonly [Head, `${Fn}(${Rest},${Of})`]
    : readonly [`${Fn}(${Inside})`, End]
  : Inside extends `${infer Head}.${infer Rest}`
    ? readonly [Head, `${Fn}(${Rest})`]
    : readonly [`${Fn}(${Inside})`, End];

/** What follows a name that says of which collection the items are: `item:texts.body`. */
type Scoped<Head extends string, Rest extends string> = Head extends `${infer Field}:${infer Of}`
  ? readonly [Field, `:${Of}.${Rest}`]
  : readonly [Head, Rest];

/**
 * The first name of a path, and what follows it; of `item:texts.body` that is `item` and
 * `:texts.body`.
 */
export type Split<P extends string> = P extends `${infer Head}.${infer Rest}`
  ? Head extends `${string}(${string}`
    ? P extends `${infer Fn}(${infer Inside})`
      ? Unwrapped<Fn, Inside>
      : readonly [P, End]
    : Scoped<Head, Rest>
  : readonly [P, End];

/** The paths by their first names: each member is what follows that name. */
export type Tree<P extends string> = {
  [X in P as Split<X>[0]]: Split<X>[1];
};

/** A function around a field: its name, the field, and for `json` the path. */
export type CallOf<T extends string> = T extends `json(${infer Field},${infer Path})`
  ? readonly ['json', Trimmed<Field>, Trimmed<Path>]
  : T extends `${infer Fn extends Part | 'count'}(${infer Field})`
    ? readonly [Fn, Trimmed<Field>, End]
    : never;

type Trimmed<T extends string> = T extends ` ${infer Rest}`
  ? Trimmed<Rest>
  : T extends `${infer Rest} `
    ? Trimmed<Rest>
    : T;

export type DatePart = 'year' | 'month' | 'week' | 'day' | 'weekday';
export type TimePart = 'hour' | 'minute' | 'second';
export type Part = DatePart | TimePart;

/** The functions that a type of field takes. */
export type PartsOf<Type> = Type extends 'dateTime' | 'timestamp'
  ? Part
  : Type extends 'date'
    ? DatePart
    : Type extends 'time'
      ? TimePart
      : Type extends 'plain'
        ? Part
        : never;

type Lower = 'abcdefghijklmnopqrstuvwxyz';
type CharOf<T extends string> = T extends `${infer First}${infer Rest}`
  ? First | CharOf<Rest>
  : never;
type WordChar = CharOf<Lower> | CharOf<Uppercase<Lower>> | CharOf<'0123456789'>;

/** Letters and digits of a text, with one `_` for what stands between them. */
type Slug<
  T extends string,
  Made extends string = '',
  Gap extends boolean = false,
> = T extends `${infer First}${infer Rest}`
  ? First extends WordChar
    ? Slug<Rest, Gap extends true ? `${Made}_${First}` : `${Made}${First}`>
    : Slug<Rest, Made, true>
  : Made;

/** The member of an answer that holds the value of a call. */
export type CallKey<Call> = Call extends readonly [
  infer Fn extends string,
  infer Field extends string,
  infer Path extends string,
]
  ? Fn extends 'json'
    ? `${Slug<`${Field}_${Path}`>}_json`
    : `${Field}_${Fn}`
  : never;
