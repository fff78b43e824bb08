/**
 * Reads and writes items: the one service that every API maps onto. Answers are finished JSON
 * text, made by PostgreSQL and handed on as they are.
 */
import pg from 'pg';
import { type Caller, grantsOf } from '#core/access/grant.ts';
import type { Collection } from '#core/catalog/catalog.ts';
import type { CatalogSource } from '#core/catalog/source.ts';
import { translateFailure } from '#core/database/failure.ts';
import { type Client, type Pool, transaction } from '#core/database/pool.ts';
import type { Reader } from '#core/database/reader.ts';
import type { Statement } from '#core/database/sql.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import { parseItem, rowOf } from '#core/mutation/payload.ts';
import { deleteRows, insertRows, itemPlace, updateEach, updateRows } from '#core/mutation/write.ts';
import {
  compileAnyItem,
  compileItem,
  compileItems,
  compilePage,
  compileStream,
  type ReadTarget,
  withKey,
} from '#core/query/compile/read.ts';
import { distinctKeys, type Key, keyOfBody, keyOfPath } from '#core/query/key.ts';
import type { Path, Query, QueryBounds } from '#core/query/query.ts';
import { type Question, StatementCache } from './question.ts';

/** Limits up to this one are answered as one page; above it items are streamed. */
const PAGE_LIMIT = 10_000;

/** The catalog was behind the database: these errors vanish once it has caught up. */
const STALE_CATALOG = new Set(['42P01', '42703', '42883', '42804', '0A000', '26000']);

/** An answer as one text, or as the JSON texts of its items, one by one. */
export type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'stream';
      readonly items: AsyncIterable<readonly string[]>;
      /** The text of `meta`; null when it was not asked for. */
      readonly meta: string | null;
    };

type StreamAnswer = Extract<Answer, { kind: 'stream' }>;

/** Items one by one. */
export interface ItemStream {
  readonly items: AsyncIterable<readonly string[]>;
  /** The paths of the plain values in an item, in their order. */
  readonly columns: readonly Path[];
}

export interface ItemServiceOptions {
  readonly catalog: CatalogSource;
  readonly reader: Reader;
  readonly pool: Pool;
  readonly bounds: QueryBounds;
  /** Most items that one request may write. */
  readonly maxBatch: number | undefined;
}

/** Which collection, and on whose behalf. */
export interface Target {
  readonly caller: Caller;
  readonly collection: string;
}

/** What an update of several items may be: the same values for some keys, or items with their keys. */
export type Update =
  | { readonly kind: 'same'; readonly keys: readonly unknown[]; readonly data: unknown }
  | { readonly kind: 'each'; readonly items: readonly unknown[] };

export class ItemService {
  readonly #options: ItemServiceOptions;
  readonly #statements = new StatementCache();

  constructor(options: ItemServiceOptions) {
    this.#options = options;
  }

  /**
   * Reads items. A large or unbounded answer is a stream.
   * @throws ServiceError FORBIDDEN, INVALID_QUERY, SERVICE_UNAVAILABLE
   */
  list(target: Target, question: Question, signal?: AbortSignal): Promise<Answer> {
    const { reader } = this.#options;
    return this.#withCatalog(target, async (read) => {
      const { name } = collectionOf(read);
      const key = { place: `list ${name}`, question, caller: read.caller };
      const { kind, statement } = this.#statements.get(read.catalog, read.grants, key, (query) =>
        isPage(query)
          ? { kind: 'page', statement: compilePage(read, query) }
          : {
              kind: query.meta.length > 0 ? 'stream with meta' : 'stream',
              statement: compileStream(read, query),
            },
      );
      if (kind === 'page') return { kind: 'text', text: (await reader.text(statement)) ?? '' };
      const withMeta = kind === 'stream with meta';
      return startStream(reader.stream(statement, signal), withMeta);
    });
  }

  /**
   * Reads items one by one, however few, with the paths of their plain values.
   * @throws ServiceError as {@link list}
   */
  stream(target: Target, query: Query, signal?: AbortSignal): Promise<ItemStream> {
    return this.#withCatalog(target, async (read) => {
      collectionOf(read);
      const statement = compileStream(read, query);
      const { items } = await startStream(this.#options.reader.stream(statement, signal), false);
      return { items, columns: statement.columns };
    });
  }

  /** Reads the items of some keys that also meet the query; returns the text `{"data":[…]}`. */
  some(target: Target, keys: readonly unknown[], query: Query): Promise<string> {
    return this.#withCatalog(target, async (read) => {
      const collection = collectionOf(read);
      const found = distinctKeys(keys.map((key) => keyOfBody(collection, key)));
      return (await this.#options.reader.text(compileItems(read, query, found))) ?? '';
    });
  }

  /**
   * Reads one item.
   * @param segment the key as it stands in the path
   * @returns the text `{"data":{…}}`
   */
  one(target: Target, segment: string, question: Question): Promise<string> {
    return this.#withCatalog(target, async (read) => {
      const collection = collectionOf(read);
      const key = keyOfPath(collection, segment);
      const place = { place: `item ${collection.name}`, question, caller: read.caller };
      const { statement } = this.#statements.get(read.catalog, read.grants, place, (query) => ({
        kind: 'item',
        statement: compileAnyItem(read, query),
      }));
      const text = await this.#options.reader.text(withKey(statement, key));
      if (text === null) throw forbidden();
      return text;
    });
  }

  /**
   * Creates one item from an object, or several from a list.
   * @returns the text `{"data":{…}}` or `{"data":[…]}`, read back with the query
   */
  create(target: Target, body: unknown, query: Query): Promise<string> {
    return this.#write(target, async (read, client) => {
      const collection = writable(collectionOf(read));
      const list = Array.isArray(body) ? body : [body];
      this.#checkCount(list.length);
      const rows = list.map((value, index) =>
        rowOf(
          collection,
          parseItem(value, Array.isArray(body) ? itemPlace(index) : 'The body'),
          'create',
        ),
      );
      const keys = await insertRows(client, collection, rows);
      return Array.isArray(body)
        ? readBack(client, read, query, keys)
        : readBackOne(client, read, query, keys[0]);
    });
  }

  /** Updates one item; returns the text `{"data":{…}}`. */
  updateOne(target: Target, segment: string, body: unknown, query: Query): Promise<string> {
    return this.#write(target, async (read, client) => {
      const collection = writable(collectionOf(read));
      const key = keyOfPath(collection, segment);
      const row = rowOf(collection, parseItem(body, 'The body'), 'update');
      await updateRows(client, collection, [key], row);
      return readBackOne(client, read, query, key);
    });
  }

  /** Updates several items; returns the text `{"data":[…]}`. */
  updateMany(target: Target, update: Update, query: Query): Promise<string> {
    return this.#write(target, async (read, client) => {
      const collection = writable(collectionOf(read));
      if (update.kind === 'same') {
        const keys = distinctKeys(update.keys.map((key) => keyOfBody(collection, key)));
        this.#checkCount(keys.length);
        const row = rowOf(collection, parseItem(update.data, '"data"'), 'update');
        await updateRows(client, collection, keys, row);
        return readBack(client, read, query, keys);
      }
      this.#checkCount(update.items.length);
      const keys = await updateEach(client, collection, update.items);
      return readBack(client, read, query, keys);
    });
  }

  /** Deletes one item. */
  async deleteOne(target: Target, segment: string): Promise<void> {
    await this.#write(target, async (read, client) => {
      const collection = writable(collectionOf(read));
      await deleteRows(client, collection, [keyOfPath(collection, segment)]);
    });
  }

  /** Deletes the items of several keys, all or none. */
  async deleteMany(target: Target, keys: readonly unknown[]): Promise<void> {
    await this.#write(target, async (read, client) => {
      const collection = writable(collectionOf(read));
      this.#checkCount(keys.length);
      await deleteRows(
        client,
        collection,
        distinctKeys(keys.map((key) => keyOfBody(collection, key))),
      );
    });
  }

  #checkCount(count: number): void {
    const { maxBatch } = this.#options;
    if (maxBatch === undefined || count <= maxBatch) return;
    throw invalidPayload(
      `The request writes ${count} items, more than MAX_BATCH_MUTATION (${maxBatch}) allows.`,
    );
  }

  #write<T>(target: Target, work: (read: ReadTarget, client: Client) => Promise<T>): Promise<T> {
    return this.#withCatalog(target, (read) =>
      transaction(this.#options.pool, (client) => work(read, client)),
    );
  }

  /** Runs with the current catalog, and once more with a fresh one if that turns out to be stale. */
  async #withCatalog<T>(target: Target, work: (read: ReadTarget) => Promise<T>): Promise<T> {
    const { catalog: source } = this.#options;
    const attempt = () =>
      work({
        catalog: source.current(),
        grants: grantsOf(target.caller),
        caller: target.caller,
        bounds: this.#options.bounds,
        collection: target.collection,
      });
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !STALE_CATALOG.has(error.code ?? '')) {
        throw translateFailure(error);
      }
    }
    try {
      await source.refresh();
      return await attempt();
    } catch (error) {
      throw translateFailure(error);
    }
  }
}

function isPage(query: Query): boolean {
  return query.limit !== null && query.limit <= PAGE_LIMIT;
}

/** The collection, if it holds user data that the caller may see. */
function collectionOf(read: ReadTarget): Collection {
  const collection = read.catalog.collections.get(read.collection);
  if (!collection || collection.system || read.grants.of(read.collection) === null) {
    throw forbidden(
      `You have no permission to access collection "${read.collection}" or it does not exist.`,
    );
  }
  return collection;
}

/** Only tables whose items have a key are written. */
function writable(collection: Collection): Collection {
  if (collection.primaryKey.length === 0) {
    throw forbidden(`Items of "${collection.name}" have no key and cannot be written.`);
  }
  return collection;
}

/** Fetches the first rows before the answer begins, so that a failure still has a status. */
async function startStream(
  rows: AsyncGenerator<string[]>,
  withMeta: boolean,
): Promise<StreamAnswer> {
  const first = await rows.next();
  const batch = first.done ? [] : first.value;
  const meta = withMeta ? (batch.shift() ?? null) : null;
  const items = (async function* () {
    yield batch;
    yield* rows;
  })();
  return { kind: 'stream', items, meta };
}

async function readText(client: Client, statement: Statement) {
  const { rows } = await client.query<[string | null]>({ ...statement, rowMode: 'array' });
  return rows[0]?.[0] ?? null;
}

async function readBackOne(
  client: Client,
  read: ReadTarget,
  query: Query,
  key: Key | undefined,
): Promise<string> {
  const text = key === undefined ? null : await readText(client, compileItem(read, query, key));
  if (text === null) throw forbidden();
  return text;
}

async function readBack(
  client: Client,
  read: ReadTarget,
  query: Query,
  keys: readonly Key[],
): Promise<string> {
  if (keys.length === 0) return '{"data":[]}';
  return (await readText(client, compileItems(read, query, keys))) ?? '';
}
