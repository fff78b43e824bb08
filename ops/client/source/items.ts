/** Reads and writes the items of one collection. */
import { ForbiddenError } from './errors.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import { collectionPath, type Key, keySegment } from './path.ts';
import { fitsUrl, membersOf, parametersOf } from './query.ts';
import type { Transport } from './transport.ts';
import type {
  AggregateQuery,
  AggregateRow,
  AnySchema,
  Checked,
  Choice,
  IsLoose,
  IsSingleton,
  ItemChanges,
  ItemOf,
  ItemQuery,
  KeyedChanges,
  KeyOf,
  ListQuery,
  NewItem,
} from './types/index.ts';

export interface Meta {
  readonly total_count?: number;
  readonly filter_count?: number;
  readonly estimated_count?: number;
}

export interface Page<Item> {
  readonly data: Item[];
  readonly meta: Meta;
}

export interface Tagged<Item> {
  readonly data: Item;
  /** For `ifMatch`; null when the server sends none. */
  readonly tag: string | null;
}

/** The items that a write is about. */
export type Selection<S = AnySchema, C extends string = string> =
  | readonly KeyOf<S, C>[]
  | { readonly query: Choice<S, C> };

export interface UpsertOptions extends CallOptions {
  /** The fields of the unique key by which items are found; the primary key by default. */
  readonly match?: string | readonly string[] | undefined;
}

type Nothing = Record<never, never>;

/** A query of a list, with what the compiler checks of it. */
type Listing<S, C, Q> = Q & Checked<S, C, Q, ListQuery<S, C>>;

/** A query of one item, or of what a write answers. */
type Reading<S, C, Q> = Q & Checked<S, C, Q, ItemQuery<S, C>>;

/**
 * The calls for the items of a collection `C` of the schema `S`. Writes yield the items as the query
 * says, null where the caller may write but not read them.
 */
export interface Items<S = AnySchema, C extends string = string> {
  /** By GET, or by SEARCH where the query is too long for a URL. At most 100 unless `limit` says more. */
  list<const Q extends ListQuery<S, C> = Nothing>(
    query?: Listing<S, C, Q>,
    options?: CallOptions,
  ): Promise<ItemOf<S, C, Q>[]>;
  /** As {@link list}, with counts: `total_count` and `filter_count` unless `meta` asks for others. */
  page<const Q extends ListQuery<S, C> = Nothing>(
    query?: Listing<S, C, Q>,
    options?: CallOptions,
  ): Promise<Page<ItemOf<S, C, Q>>>;
  /** @throws ForbiddenError when there is no such item, or it may not be read */
  get<const Q extends ItemQuery<S, C> = Nothing>(
    key: KeyOf<S, C>,
    query?: Reading<S, C, Q>,
    options?: CallOptions,
  ): Promise<ItemOf<S, C, Q>>;
  /** As {@link get}, with the tag for `ifMatch`. */
  getWithTag<const Q extends ItemQuery<S, C> = Nothing>(
    key: KeyOf<S, C>,
    query?: Reading<S, C, Q>,
    options?: CallOptions,
  ): Promise<Tagged<ItemOf<S, C, Q>>>;
  create<const Q extends ItemQuery<S, C> = Nothing>(
    item: NewItem<S, C>,
    query?: Reading<S, C, Q>,
    options?: CallOptions,
  ): Promise<ItemOf<S, C, Q> | null>;
  createMany<const Q extends ItemQuery<S, C> = Nothing>(
    items: readonly NewItem<S, C>[],
    query?: Reading<S, C, Q>,
    options?: CallOptions,
  ): Promise<ItemOf<S, C, Q>[] | null>;
  update<const Q extends ItemQuery<S, C> = Nothing>(
    key: KeyOf<S, C>,
    changes: ItemChanges<S, C>,
    query?: Reading<S, C, Q>,
    options?: WriteOptions,
  ): Promise<ItemOf<S, C, Q> | null>;
  /** Makes the same changes to several items. */
  updateMany<const Q extends ItemQuery<S, C> = Nothing>(
    selection: Selection<S, C>,
    changes: ItemChanges<S, C>,
    query?: Reading<S, C, Q>,
    options?: CallOptions,
  ): Promise<ItemOf<S, C, Q>[] | null>;
  /** Changes each item by itself; each has its key. */
  updateBatch<const Q extends ItemQuery<S, C> = Nothing>(
    items: readonly KeyedChanges<S, C>[],
    query?: Reading<S, C, Q>,
    options?: CallOptions,
  ): Promise<ItemOf<S, C, Q>[] | null>;
  /** Creates the item, or updates the one with the same unique key. */
  upsert<const Q extends ItemQuery<S, C> = Nothing>(
    item: NewItem<S, C>,
    query?: Reading<S, C, Q>,
    options?: UpsertOptions,
  ): Promise<ItemOf<S, C, Q> | null>;
  upsertMany<const Q extends ItemQuery<S, C> = Nothing>(
    items: readonly NewItem<S, C>[],
    query?: Reading<S, C, Q>,
    options?: UpsertOptions,
  ): Promise<ItemOf<S, C, Q>[] | null>;
  delete(key: KeyOf<S, C>, options?: WriteOptions): Promise<void>;
  deleteMany(selection: Selection<S, C>, options?: CallOptions): Promise<void>;
  /** A row for each group, or one for all items. */
  aggregate<const Q extends AggregateQuery<S, C>>(
    query: Q & Checked<S, C, Q, AggregateQuery<S, C>>,
    options?: CallOptions,
  ): Promise<AggregateRow<S, C, Q['aggregate'], GroupsOf<Q>>[]>;
  readSingleton<const Q extends ItemQuery<S, C> = Nothing>(
    query?: Reading<S, C, Q>,
    options?: CallOptions,
  ): Promise<ItemOf<S, C, Q>>;
  updateSingleton<const Q extends ItemQuery<S, C> = Nothing>(
    changes: ItemChanges<S, C>,
    query?: Reading<S, C, Q>,
    options?: WriteOptions,
  ): Promise<ItemOf<S, C, Q> | null>;
}

type GroupsOf<Q> = Q extends { readonly groupBy: infer Groups } ? Groups : undefined;

type OfSingletons = 'readSingleton' | 'updateSingleton';
type ByKey =
  | 'get'
  | 'getWithTag'
  | 'update'
  | 'updateMany'
  | 'updateBatch'
  | 'delete'
  | 'deleteMany';
type Creating = 'create' | 'createMany' | 'upsert' | 'upsertMany';

/** The calls that a collection has: those of a singleton, a view, or a collection with a key. */
export type CollectionItems<S, C extends string> =
  IsLoose<S> extends true
    ? Items<S, C>
    : IsSingleton<S, C> extends true
      ? Pick<Items<S, C>, OfSingletons>
      : [KeyOf<S, C>] extends [never]
        ? Omit<Items<S, C>, OfSingletons | ByKey | Creating>
        : Omit<Items<S, C>, OfSingletons>;

/** The headers of a conditional write. */
function conditional({ ifMatch, headers, ...options }: WriteOptions = {}): CallOptions {
  if (ifMatch === undefined) return { ...options, headers };
  return { ...options, headers: { ...headers, 'if-match': ifMatch } };
}

function selected(selection: readonly unknown[] | { readonly query: object }): object {
  if ('query' in selection) return { query: membersOf(selection.query) };
  return { keys: selection };
}

/** The calls for a collection; those that it does not have are answered by `RouteNotFoundError`. */
export function createItems<S = AnySchema, C extends string = string>(
  transport: Transport,
  collection: C,
): Items<S, C> {
  const path = collectionPath(collection);
  const at = (key: Key) => `${path}/${keySegment(key)}`;
  const { maxUrlLength = 4_000 } = transport.options;

  /** Asks by GET, or by SEARCH what does not fit there. */
  function ask<T>(query: object = {}, options?: CallOptions): Promise<T> {
    const members = membersOf(query);
    const length = transport.url.length + path.length + parametersOf(members).length;
    return length > maxUrlLength || !fitsUrl(members)
      ? search(members, options)
      : body<T>('GET', path, { ...options, query: members });
  }

  function search<T>(members: object, options?: CallOptions, keys?: readonly Key[]): Promise<T> {
    return body('SEARCH', path, { ...options, body: { query: members, keys } });
  }

  async function body<T>(...request: Parameters<Transport['answer']>): Promise<T> {
    return (await transport.answer<T>(...request)).body;
  }

  async function list<T>(query?: object, options?: CallOptions): Promise<T> {
    return (await ask<{ readonly data: T }>(query, options)).data;
  }

  async function page<T>(query: object = {}, options?: CallOptions): Promise<Page<T>> {
    const { data, meta } = await ask<Page<T>>({ meta: '*', ...membersOf(query) }, options);
    return { data, meta };
  }

  async function one<T>(key: Key, query: object = {}, options?: CallOptions): Promise<Tagged<T>> {
    const members = membersOf(query);
    const long = parametersOf(members).length + transport.url.length > maxUrlLength;
    if ((long || !fitsUrl(members)) && path.startsWith('/items/')) {
      const [data] = (await search<Page<T>>(members, options, [key])).data;
      if (data !== undefined) return { data, tag: null };
      const message = 'There is no such item, or you may not read it.';
      const errors = [{ message, extensions: { code: 'FORBIDDEN' } }];
      throw new ForbiddenError({ status: 403, errors });
    }
    const answer = await transport.answer<{ readonly data: T }>('GET', at(key), {
      ...options,
      query: members,
    });
    return { data: answer.body.data, tag: answer.headers.get('etag') };
  }

  async function get<T>(key: Key, query?: object, options?: CallOptions): Promise<T> {
    return (await one<T>(key, query, options)).data;
  }

  function write<T>(
    method: string,
    target: string,
    payload: unknown,
    query: object = {},
    options?: CallOptions,
  ): Promise<T> {
    return transport.request(method, target, {
      ...options,
      query: membersOf(query),
      body: payload,
    });
  }

  function upsert<T>(payload: unknown, query?: object, options: UpsertOptions = {}): Promise<T> {
    const { match, ...call } = options;
    const members = { ...membersOf(query ?? {}), match };
    return transport.request('PUT', path, { ...call, query: members, body: payload });
  }

  return {
    list: (query, options) => list(query, options),
    page: (query, options) => page(query, options),
    get: (key, query, options) => get(key, query, options),
    getWithTag: (key, query, options) => one(key, query, options),
    create: (item, query, options) => write('POST', path, item, query, options),
    createMany: (items, query, options) => write('POST', path, items, query, options),
    update: (key, changes, query, options) =>
      write('PATCH', at(key), changes, query, conditional(options)),
    updateMany: (selection, data, query, options) =>
      write('PATCH', path, { ...selected(selection), data }, query, options),
    updateBatch: (items, query, options) => write('PATCH', path, items, query, options),
    upsert: (item, query, options) => upsert(item, query, options),
    upsertMany: (items, query, options) => upsert(items, query, options),
    delete: (key, options) => transport.request('DELETE', at(key), conditional(options)),
    deleteMany: (selection, options) =>
      transport.request('DELETE', path, { ...options, body: selected(selection) }),
    aggregate: (query, options) => list(query, options),
    readSingleton: (query, options) => list(query, options),
    updateSingleton: (changes, query, options) =>
      write('PATCH', path, changes, query, conditional(options)),
  };
}
