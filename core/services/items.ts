/**
 * Items: the one service that every API maps onto. Reading is inherited; a write parses, judges,
 * writes and reads back in one transaction.
 */
import type { Collection } from '#core/catalog/catalog.ts';
import { type Client, transaction } from '#core/database/pool.ts';
import type { Statement } from '#core/database/sql.ts';
import { forbidden, invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import { parseItem } from '#core/mutation/payload.ts';
import { type CollectionRule, NO_RULE, type Write } from '#core/mutation/target.ts';
import {
  changesOf,
  createItems,
  deleteItems,
  itemPlace,
  updateItems,
} from '#core/mutation/write.ts';
import { compileItem, compileItems, compileSingleton } from '#core/query/compile/read.ts';
import { distinctKeys, type Key, keyOfBody, keyOfPath } from '#core/query/key.ts';
import type { Query } from '#core/query/query.ts';
import type { ItemContext, Target } from './context.ts';
import { ItemReader, type ItemReaderOptions } from './item-reader.ts';
import { firstKey } from './singleton.ts';

export interface ItemServiceOptions extends ItemReaderOptions {
  /** Most items that one request may write. */
  readonly maxBatch: number | undefined;
  /** Hashes a secret in the slow way. */
  readonly hash: (secret: string) => Promise<string>;
  /** What a collection demands beyond permissions. */
  readonly ruleOf?: (collection: Collection) => CollectionRule;
}

/** What an update of several items may be: the same values for some keys, or items with their keys. */
export type Update =
  | { readonly kind: 'same'; readonly keys: readonly unknown[]; readonly data: unknown }
  | { readonly kind: 'each'; readonly items: readonly unknown[] };

/** An answer as text; null when it was done but may not be read back. */
export type WriteAnswer = string | null;

export class ItemService extends ItemReader {
  readonly #options: ItemServiceOptions;

  constructor(options: ItemServiceOptions) {
    super(options);
    this.#options = options;
  }

  /**
   * Creates one item from an object, or several from a list.
   * @returns the text `{"data":{…}}` or `{"data":[…]}`, read back with the query
   */
  create(target: Target, body: unknown, query: Query): Promise<WriteAnswer> {
    return this.#write(target, async (write) => {
      const list = Array.isArray(body) ? body : [body];
      this.#checkCount(list.length);
      const items = list.map((value, index) =>
        parseItem(value, Array.isArray(body) ? itemPlace(index) : 'The body'),
      );
      const keys = await createItems(write, items);
      return Array.isArray(body)
        ? readBack(write, query, keys)
        : readBackOne(write, query, keys[0]);
    });
  }

  /** Updates one item; returns the text `{"data":{…}}`. */
  updateOne(target: Target, segment: string, body: unknown, query: Query): Promise<WriteAnswer> {
    return this.#write(target, async (write) => {
      const key = keyOfPath(write.collection, segment);
      await updateItems(write, [{ key, item: parseItem(body, 'The body') }]);
      return readBackOne(write, query, key);
    });
  }

  /** Updates several items; returns the text `{"data":[…]}`. */
  updateMany(target: Target, update: Update, query: Query): Promise<WriteAnswer> {
    return this.#write(target, async (write) => {
      const { collection } = write;
      if (update.kind === 'each') {
        this.#checkCount(update.items.length);
        const changes = changesOf(collection, update.items);
        await updateItems(write, changes);
        return readBack(
          write,
          query,
          changes.map(({ key }) => key),
        );
      }
      const keys = distinctKeys(update.keys.map((key) => keyOfBody(collection, key)));
      this.#checkCount(keys.length);
      const item = parseItem(update.data, '"data"');
      await updateItems(
        write,
        keys.map((key) => ({ key, item })),
      );
      return readBack(write, query, keys);
    });
  }

  /** Gives a singleton new values, creating it if nobody has; returns the text `{"data":{…}}`. */
  upsertSingleton(target: Target, body: unknown, query: Query): Promise<WriteAnswer> {
    return this.#write(target, async (write) => {
      const item = parseItem(body, 'The body');
      const key = await firstKey(write.client, write.collection);
      if (key === null) await createItems(write, [item]);
      else await updateItems(write, [{ key, item }]);
      return shown(() => readText(write.client, compileSingleton(write.target, query)));
    });
  }

  /** Deletes one item. */
  async deleteOne(target: Target, segment: string): Promise<void> {
    await this.#write(target, (write) =>
      deleteItems(write, [keyOfPath(write.collection, segment)]),
    );
  }

  /** Deletes the items of several keys, all or none. */
  async deleteMany(target: Target, keys: readonly unknown[]): Promise<void> {
    await this.#write(target, (write) => {
      this.#checkCount(keys.length);
      const { collection } = write;
      return deleteItems(write, distinctKeys(keys.map((key) => keyOfBody(collection, key))));
    });
  }

  #checkCount(count: number): void {
    const { maxBatch } = this.#options;
    if (maxBatch === undefined || count <= maxBatch) return;
    throw invalidPayload(
      `The request writes ${count} items, more than MAX_BATCH_MUTATION (${maxBatch}) allows.`,
    );
  }

  #write<T>(target: Target, work: (write: Write) => Promise<T>): Promise<T> {
    return this.contexts.with(target, (context) => {
      const { pool, hash, ruleOf } = this.#options;
      const collection = this.#writable(context);
      const rule = ruleOf?.(collection) ?? NO_RULE;
      return transaction(pool, (client) =>
        work({ target: context, collection, client, now: new Date(), rule, hash }),
      );
    });
  }

  /** Only tables whose items have a key are written. */
  #writable(context: ItemContext): Collection {
    const collection = this.served(context);
    if (collection.table !== null && collection.primaryKey.length > 0) return collection;
    throw forbidden(`Items of "${collection.name}" have no key and cannot be written.`);
  }
}

async function readText(client: Client, statement: Statement): Promise<string | null> {
  const { text, values } = statement;
  const { rows } = await client.query<[string | null]>({ text, values, rowMode: 'array' });
  return rows[0]?.[0] ?? null;
}

/** What was written need not be readable: then there is nothing to tell. */
async function shown(read: () => Promise<string | null>): Promise<WriteAnswer> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

function readBackOne(write: Write, query: Query, key: Key | undefined): Promise<WriteAnswer> {
  if (key === undefined) return Promise.resolve(null);
  return shown(async () => readText(write.client, compileItem(write.target, query, key)));
}

function readBack(write: Write, query: Query, keys: readonly Key[]): Promise<WriteAnswer> {
  if (keys.length === 0) return Promise.resolve('{"data":[]}');
  return shown(async () => readText(write.client, compileItems(write.target, query, keys)));
}
