/**
 * Items: the one service that every API maps onto. Reading is inherited; a write parses, locks,
 * judges, writes, tells history and reads back in one transaction.
 */
import { ACTIONS } from '#core/access/rights.ts';
import type { Collection } from '#core/catalog/catalog.ts';
import type { ChangeJournal, Note } from '#core/changes/journal.ts';
import { lender } from '#core/database/lender.ts';
import type { Client } from '#core/database/pool.ts';
import { rowsOf } from '#core/database/prepared.ts';
import type { Statement } from '#core/database/sql.ts';
import { forbidden, ServiceError } from '#core/errors/service-error.ts';
import { History, NO_VISITOR } from '#core/history/history.ts';
import { Allowance } from '#core/mutation/allowance.ts';
import { deleteItems, lockItems } from '#core/mutation/delete.ts';
import { type FlatItems, flatSql, flatValues, writtenRows } from '#core/mutation/flat.ts';
import { noAction } from '#core/mutation/judge.ts';
import type { KeptKeys } from '#core/mutation/kept-key.ts';
import { parseItem } from '#core/mutation/payload.ts';
import { type Input, writeItems } from '#core/mutation/relational/write.ts';
import type { CollectionRule, Write } from '#core/mutation/target.ts';
import {
  compileItem,
  compileItems,
  compileKept,
  compilePage,
  compileSingleton,
  compileWriting,
  type Readback,
} from '#core/query/compile.ts';
import { type Key, keyOfPath, keyOfValues, keysOfBody } from '#core/query/key.ts';
import { give } from '#core/query/plan/slot.ts';
import type { Query } from '#core/query/query.ts';
import { type ItemContext, noCollection, type Target } from './context.ts';
import { NO_CONNECTION, prepareCreation } from './creation.ts';
import { type Data, itemData, listData } from './envelope.ts';
import { ItemReader, type ItemReaderOptions } from './item-reader.ts';
import { persist } from './persist.ts';
import { type Question, StatementCache } from './question.ts';
import { firstKey } from './singleton.ts';

export interface ItemServiceOptions extends ItemReaderOptions {
  /** Most items that one request may write, related ones counted. */
  readonly maxBatch: number | undefined;
  /** Hashes a secret in the slow way. */
  readonly hash: (secret: string) => Promise<string>;
  /** What a collection demands beyond permissions. */
  readonly ruleOf: (collection: Collection) => CollectionRule;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Tells of what is written. */
  readonly journal: ChangeJournal;
}

/** Which of several items: those of some keys, or those that a query finds. */
export type Selection =
  | { readonly kind: 'keys'; readonly keys: readonly unknown[] }
  | { readonly kind: 'query'; readonly query: Query };

/** What an update of several items may be: the same values for some, or items with their keys. */
export type Update =
  | { readonly kind: 'same'; readonly selection: Selection; readonly data: unknown }
  | { readonly kind: 'each'; readonly items: readonly unknown[] };

/** What was written, as it is read back; null when it was done but may not be. */
export type WriteAnswer = Data | null;

/** What one item is, told by its text: whether it is still what the caller knows. */
export type Precondition = (text: string) => boolean;

/** How what is created is asked for: as one item, or as a list. */
interface AskedBack {
  readonly question: Question;
  readonly isList: boolean;
}

/** A write within its transaction, and how the writes of other collections are had. */
export interface Session {
  readonly write: Write;
  readonly writeOf: (collection: string) => Write;
  readonly history: History;
  /** How many items the request may write; undefined: any number. */
  readonly maxItems: number | undefined;
}

export class ItemService extends ItemReader {
  readonly #options: ItemServiceOptions;
  readonly #creations = new StatementCache<Readback>();

  constructor(options: ItemServiceOptions) {
    super(options);
    this.#options = options;
  }

  /**
   * Judges, before anything is known of a write but its kind, whether the caller may write so at
   * all. Where a singleton is written to, what it takes decides: it is created by its first update.
   * @returns whether the collection is a singleton
   * @throws ServiceError FORBIDDEN
   */
  async admit(target: Target, action: 'create' | 'update' | 'delete'): Promise<boolean> {
    const context = await this.contexts.of(target);
    const { name, singleton } = this.#known(context);
    const mayDo = (wanted: 'create' | 'update' | 'delete') =>
      context.rights.of(name, wanted).length > 0;
    if (mayDo(action) || (singleton && (mayDo('create') || mayDo('update')))) return singleton;
    throw noAction(name, action);
  }

  /** @throws ServiceError INVALID_PAYLOAD when one request may not write so many items */
  requireCount(count: number): void {
    new Allowance(this.#options.maxBatch).take(count);
  }

  /**
   * Creates one item from an object, or several from a list, with what is related to them.
   * @returns the item or the list, read back with the question
   */
  create(target: Target, body: unknown, question: Question): Promise<WriteAnswer> {
    const isList = Array.isArray(body);
    const dataOf = isList ? listData : itemData;
    const list: readonly unknown[] = isList ? body : [body];
    this.requireCount(list.length);
    const inputs = list.map(
      (value, index): Input => ({ place: isList ? [index] : [], value, intent: 'create' }),
    );
    const run = async (context: ItemContext) => {
      const collection = writable(this.#known(context));
      const done = await this.#createAtOnce(target, context, inputs, { question, isList });
      if (done !== null) return done.result === null ? null : dataOf(done.result);
      const work = async (session: Session) => {
        const keys = await this.#put(session, inputs);
        const query = question.query();
        return isList
          ? readBack(session.write, query, keys)
          : readBackOne(session.write, query, keys[0]);
      };
      return persist(() => this.#transaction(target, context, collection, work));
    };
    return this.contexts.with(target, run, true);
  }

  /** Creates items in one round trip; null when something must be looked up before. */
  async #createAtOnce(
    target: Target,
    context: ItemContext,
    inputs: readonly Input[],
    asked: AskedBack,
  ): Promise<{ readonly result: string | null } | null> {
    const { journal, pool, reader, maxBatch: maxItems } = this.#options;
    const collection = this.served(context);
    const place = { client: NO_CONNECTION, note: () => undefined };
    const { write, writeOf, history } = this.#session(target, context, collection, place);
    const creation = await prepareCreation(
      write,
      inputs,
      { writeOf, maxItems },
      {
        flat: (items) => this.#flat(context, asked, items, history),
        kept: (kept) => this.#kept(context, asked, kept),
      },
    );
    if (creation === null) return null;
    const lend = lender(pool, reader, creation.rows);
    try {
      return { result: await persist(() => journal.atOnce(lend, creation)) };
    } catch (error) {
      throw creation.refused(error);
    }
  }

  /** The statement that creates items which bring nothing along. */
  #flat(
    context: ItemContext,
    { question, isList }: AskedBack,
    items: FlatItems,
    history: History,
  ): { readonly readback: Readback; readonly statement: Statement } {
    const { catalog, grants, caller, collection } = context;
    const count = items.rows.length === 1 ? 'one' : 'many';
    const fields = items.fields.map(({ column }) => column.position).join();
    const form = `${isList ? 'list' : 'item'} of ${count} with ${fields}`;
    const place = `creation of ${form} in ${collection}`;
    const written = writtenRows(isList);
    const { kind, statement } = this.#creations.get(
      catalog,
      grants,
      { place, question, caller },
      (query) =>
        compileWriting(context, query, written, (answer) =>
          flatSql(items, this.#options.schema, answer),
        ),
    );
    return { readback: kind, statement: give(statement, flatValues(items, history)) };
  }

  /** The statement that reads back what the same transaction creates. */
  #kept(context: ItemContext, { question, isList }: AskedBack, kept: KeptKeys): Statement {
    const { catalog, grants, caller, collection } = context;
    const form = `${isList ? 'list' : 'item'} of ${kept.count === 1 ? 'one' : 'many'}`;
    const place = `created ${form} ${kept.place} ${collection}`;
    return this.statements.get(catalog, grants, { place, question, caller }, (query) => ({
      kind: isList ? 'page' : 'item',
      statement: compileKept(context, query, kept, isList),
    })).statement;
  }

  /**
   * Updates one item.
   * @param precondition judges the item as the same query reads it before the change
   * @throws ServiceError PRECONDITION_FAILED
   */
  updateOne(
    target: Target,
    segment: string,
    change: { readonly body: unknown; readonly precondition?: Precondition | undefined },
    query: Query,
  ): Promise<WriteAnswer> {
    return this.#write(target, async (session) => {
      const { write } = session;
      const key = keyOfPath(write.collection, segment);
      const { body, precondition } = change;
      if (precondition) await requireUnchanged(write, query, key, precondition);
      await this.#put(session, [{ place: [], value: body, intent: 'update', key }]);
      return readBackOne(write, query, key);
    });
  }

  /** Updates several items. */
  updateMany(target: Target, update: Update, query: Query): Promise<WriteAnswer> {
    return this.#write(target, async (session) => {
      const { write } = session;
      if (update.kind === 'each') this.requireCount(update.items.length);
      const inputs =
        update.kind === 'each'
          ? update.items.map((value, index): Input => ({ place: [index], value, intent: 'update' }))
          : await this.#inputsOf(write, update);
      return readBack(write, query, await this.#put(session, inputs));
    });
  }

  /** Gives a singleton new values, creating it if nobody has. */
  upsertSingleton(target: Target, body: unknown, query: Query): Promise<WriteAnswer> {
    return this.#write(target, async (session) => {
      const { client, collection, target: context } = session.write;
      const key = await firstKey(client, collection);
      const place = { place: [], value: body };
      await this.#put(session, [
        key === null ? { ...place, intent: 'create' } : { ...place, intent: 'update', key },
      ]);
      return shown(itemData, () => readText(client, compileSingleton(context, query)));
    });
  }

  /**
   * Deletes one item.
   * @throws ServiceError PRECONDITION_FAILED
   */
  async deleteOne(
    target: Target,
    segment: string,
    condition?: { readonly precondition: Precondition; readonly query: Query },
  ): Promise<void> {
    await this.#write(target, async ({ write, history }) => {
      const key = keyOfPath(write.collection, segment);
      if (condition) await requireUnchanged(write, condition.query, key, condition.precondition);
      await deleteItems(write, [key], history);
    });
  }

  /** Deletes several items, all or none. */
  async deleteMany(target: Target, selection: Selection): Promise<void> {
    await this.#write(target, async ({ write, history }) => {
      const keys = await keysOf(write, selection, this.#options.maxBatch);
      await deleteItems(write, keys, history, { mayBeGone: selection.kind === 'query' });
    });
  }

  async #inputsOf(write: Write, update: Extract<Update, { kind: 'same' }>): Promise<Input[]> {
    const value = parseItem(update.data, '"data"');
    const keys = await keysOf(write, update.selection, this.#options.maxBatch);
    return keys.map((key): Input => ({ place: [], value, intent: 'update', key }));
  }

  #put(session: Session, inputs: readonly Input[]): Promise<Key[]> {
    const { write, writeOf, history, maxItems } = session;
    return writeItems(write, inputs, { writeOf, maxItems, history });
  }

  /**
   * Carries out a write of another kind, in a transaction like those of all writes.
   * @throws ServiceError FORBIDDEN when the collection is not answered for here
   */
  transact<T>(target: Target, work: (session: Session) => Promise<T>): Promise<T> {
    return this.#write(target, work);
  }

  #write<T>(target: Target, work: (session: Session) => Promise<T>): Promise<T> {
    const run = (context: ItemContext) => {
      const collection = writable(this.#known(context));
      return persist(() => this.#transaction(target, context, collection, work));
    };
    return this.contexts.with(target, run, true);
  }

  #transaction<T>(
    target: Target,
    context: ItemContext,
    collection: Collection,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { journal, pool } = this.#options;
    return journal.transaction(pool, (client, note) =>
      work(this.#session(target, context, collection, { client, note })),
    );
  }

  /** The collection, if anything at all is allowed on it: what is forbidden looks like nothing. */
  #known(context: ItemContext): Collection {
    const collection = this.served(context);
    const { rights } = context;
    if (ACTIONS.some((action) => rights.of(collection.name, action).length > 0)) return collection;
    throw noCollection(collection.name);
  }

  #session(
    { caller, visitor = NO_VISITOR, strict = false }: Target,
    context: ItemContext,
    collection: Collection,
    { client, note }: { readonly client: Client; readonly note: Note },
  ): Session {
    const { hash, ruleOf, schema } = this.#options;
    const now = new Date();
    const history = new History(client, schema, { user: caller.user, visitor }, note);
    const writes = new Map<string, Write>();
    const open = (own: Collection): Write => {
      const target = { ...context, collection: own.name };
      const rule = ruleOf(own);
      const write = { target, collection: own, client, now, rule, strict, hash, history };
      writes.set(own.name, write);
      return write;
    };
    const writeOf = (name: string): Write => {
      const found = context.catalog.collections.get(name);
      if (found === undefined) throw forbidden();
      return writes.get(name) ?? open(writable(found));
    };
    return { write: open(collection), writeOf, history, maxItems: this.#options.maxBatch };
  }
}

/** Only tables whose items have a key are written. */
function writable(collection: Collection): Collection {
  if (collection.table !== null && collection.primaryKey.length > 0) return collection;
  throw forbidden(`Items of "${collection.name}" have no key and cannot be written.`);
}

/** The keys of a selection. A query finds what the caller may read, within its limit. */
async function keysOf(
  write: Write,
  selection: Selection,
  maxItems: number | undefined,
): Promise<Key[]> {
  const { client, collection, target } = write;
  const allowance = new Allowance(maxItems);
  if (selection.kind === 'keys') {
    allowance.take(selection.keys.length);
    return await keysOfBody(collection, selection.keys);
  }
  const fields = collection.primaryKey.map(({ name }) => [name]);
  const { alias: _, meta: __, ...query } = selection.query;
  const most = maxItems === undefined ? null : Math.min(query.limit ?? maxItems + 1, maxItems + 1);
  const limit = most ?? query.limit;
  const text = await readText(
    client,
    compilePage(target, { ...query, limit, fields, alias: new Map(), meta: [], deep: new Map() }),
  );
  const found: unknown = JSON.parse(text ?? '[]');
  const list = Array.isArray(found) ? found : [];
  allowance.take(list.length);
  return list.map((item: unknown) => {
    const members = parseItem(item, 'An item');
    return keyOfValues(
      collection,
      fields.map(([name = '']) => members[name]),
    );
  });
}

/** Locks an item and judges it as the caller reads it. */
async function requireUnchanged(
  write: Write,
  query: Query,
  key: Key,
  precondition: Precondition,
): Promise<void> {
  await lockItems(write, [key]);
  const text = await readText(write.client, compileItem(write.target, query, key));
  if (text === null) throw forbidden();
  if (!precondition(text)) throw new ServiceError('PRECONDITION_FAILED');
}

async function readText(client: Client, statement: Statement): Promise<string | null> {
  const rows = await rowsOf<[string | null]>(client, statement);
  return rows[0]?.[0] ?? null;
}

/** What was written need not be readable: then there is nothing to tell. */
async function shown(
  dataOf: (text: string) => Data,
  read: () => Promise<string | null>,
): Promise<WriteAnswer> {
  try {
    const text = await read();
    return text === null ? null : dataOf(text);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

function readBackOne(write: Write, query: Query, key: Key | undefined): Promise<WriteAnswer> {
  if (key === undefined) return Promise.resolve(null);
  return shown(itemData, async () => readText(write.client, compileItem(write.target, query, key)));
}

function readBack(write: Write, query: Query, keys: readonly Key[]): Promise<WriteAnswer> {
  if (keys.length === 0) return Promise.resolve(listData('[]'));
  return shown(listData, async () =>
    readText(write.client, compileItems(write.target, query, keys, false)),
  );
}
