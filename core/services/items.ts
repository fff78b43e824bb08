/**
 * Items: the one service for every API. Reading is inherited; a write parses, locks, checks
 * permissions, writes, records history and reads back in one transaction.
 */

import { quotaKeyOf } from '#core/access/quota-key.ts';
import { canSeeCollection } from '#core/access/schema-visibility.ts';
import { refusal } from '#core/base/errors/refusal.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Statement } from '#core/database/sql.ts';
import { connectionFor } from '#core/database/write-connection.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import { type Key, keyOfPath } from '#core/query/key.ts';
import type { Query } from '#core/query/query.ts';
import { bindParameters } from '#core/read/plan/placeholder.ts';
import {
  compileCreatedItems,
  compileInsert,
  compileSingleton,
  type Readback,
} from '#core/read/sql/compile.ts';
import { StatementCache, type UnparsedQuery } from '#core/read/statement-cache.ts';
import type { SingleRoundTripWrite } from '#core/write/changes/write-transactions.ts';
import { actionForbidden, checkItemCreation, checkUpdates } from '#core/write/check-permissions.ts';
import { deleteItems, lockItems } from '#core/write/delete.ts';
import type { History } from '#core/write/history/history.ts';
import { type Item, parseItem } from '#core/write/payload.ts';
import { type InputItem, writeItems } from '#core/write/relational/write-items.ts';
import { prepareCreation } from '#core/write/single-round-trip/create-items.ts';
import { hasNoWriteHooks } from '#core/write/single-round-trip/keyed-write.ts';
import { type KeyedWriteOutcome, KeyedWriter } from '#core/write/single-round-trip/keyed-writer.ts';
import {
  type NewItems,
  newItemsValues,
  statementShape,
} from '#core/write/single-round-trip/new-items.ts';
import { newItemsSql, writtenItems } from '#core/write/single-round-trip/new-items-sql.ts';
import type { TransactionKeys } from '#core/write/single-round-trip/transaction-keys.ts';
import { WriteBudget } from '#core/write/write-budget.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { itemData, listData, type ReadData } from './envelope.ts';
import { ItemReader, type ItemReaderOptions } from './item-reader.ts';
import {
  orNullIfForbidden,
  type Precondition,
  readBack,
  readBackOne,
  readItemText,
  requireSameSingleton,
  requireUnchanged,
  type WriteAnswer,
} from './read-back.ts';
import type { ItemContext, RequestTarget } from './request-context.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { type Selection, selectedKeys } from './selected-keys.ts';
import { firstKey } from './singleton.ts';
import { type WriteSession, type WriteSessionOptions, WriteSessions } from './write-session.ts';

export interface ItemServiceOptions extends ItemReaderOptions, WriteSessionOptions {
  readonly reader: ItemReaderOptions['reader'];
}

/** An update of several items: the same values for a selection, or items with their keys. */
export type ItemsUpdate =
  | { readonly kind: 'same'; readonly selection: Selection; readonly data: unknown }
  | { readonly kind: 'each'; readonly items: readonly unknown[] };

/** New values of one item. */
export interface ItemChange {
  readonly body: unknown;
  /** Evaluated on the item as the same query reads it before the change. */
  readonly precondition?: Precondition | undefined;
}

/** A write by keys, both in one round trip and step by step. */
interface KeyedForms {
  readonly prepare:
    | ((
        context: ItemContext,
        session: WriteSession,
      ) => Promise<SingleRoundTripWrite<KeyedWriteOutcome> | null>)
    | null;
  readonly work: (session: WriteSession) => Promise<WriteAnswer>;
  /** Converts the result of the round trip; by default as that of an item. */
  readonly dataOf?: (text: string) => ReadData;
}

/** How to read back created items: as one item, or as a list. */
interface AskedBack {
  readonly question: UnparsedQuery;
  readonly isList: boolean;
}

export class ItemService extends ItemReader {
  readonly #options: ItemServiceOptions;
  readonly #creations = new StatementCache<Readback>();

  readonly #keyed: KeyedWriter;
  readonly #sessions: WriteSessions;

  constructor(options: ItemServiceOptions) {
    super(options);
    this.#options = options;
    this.#keyed = new KeyedWriter(options.schema);
    this.#sessions = new WriteSessions(options);
  }

  /**
   * Checks, knowing only the action, whether the caller may perform it at all; one of the actions
   * is enough. For a singleton, permission to create or update is enough, because its first update
   * creates it.
   * @returns whether the collection is a singleton
   * @throws ServiceError FORBIDDEN
   */
  async admit(
    target: RequestTarget,
    action: 'create' | 'update' | 'delete',
    ...others: readonly ('create' | 'update')[]
  ): Promise<boolean> {
    const context = await this.contexts.of(target);
    const { name, singleton } = this.#known(context);
    const mayDo = (wanted: 'create' | 'update' | 'delete') =>
      context.rights.of(name, wanted).length > 0;
    if ([action, ...others].some(mayDo) || (singleton && (mayDo('create') || mayDo('update'))))
      return singleton;
    throw actionForbidden(name, action);
  }

  /**
   * Checks permissions for a new item, before its other members are known.
   * @throws ServiceError FORBIDDEN
   */
  async requireCreatable(target: RequestTarget, item: Item): Promise<void> {
    const context = await this.contexts.of(target);
    this.#known(context);
    checkItemCreation(this.#sessions.prepare(target, context).write, item);
  }

  /**
   * Checks permissions for a change of an existing item, before the rest of the change is known.
   * @throws ServiceError FORBIDDEN
   */
  async requireChangeable(target: RequestTarget, segment: string, item: Item): Promise<void> {
    await this.#write(target, async ({ write }) => {
      const key = keyOfPath(write.collection, segment);
      await lockItems(write, 'update', [key]);
      await checkUpdates(write, [{ key, item }]);
    });
  }

  /** @throws ServiceError INVALID_PAYLOAD when one request may not write that many items */
  requireCount(count: number): void {
    new WriteBudget(this.#options.maxBatch).take(count);
  }

  /**
   * Creates one item from an object, or several from a list, with their related items.
   * @returns the item or the list, read back with the query
   */
  create(target: RequestTarget, body: unknown, question: UnparsedQuery): Promise<WriteAnswer> {
    const isList = Array.isArray(body);
    const dataOf = isList ? listData : itemData;
    const list: readonly unknown[] = isList ? body : [body];
    this.requireCount(list.length);
    const inputs = list.map(
      (value, index): InputItem => ({ place: isList ? [index] : [], value, intent: 'create' }),
    );
    const run = async (context: ItemContext) => {
      this.#known(context);
      const done = await this.#createAtOnce(target, context, inputs, { question, isList });
      if (done !== null) return done.result === null ? null : dataOf(done.result);
      const work = async (session: WriteSession) => {
        const keys = await this.#put(session, inputs);
        const query = question.query();
        return isList
          ? readBack(session.write, query, keys)
          : readBackOne(session.write, query, keys[0]);
      };
      return this.#sessions.transaction(target, context, work);
    };
    return this.contexts.with(target, run, true);
  }

  /** Creates items in one round trip; null when something must be looked up first. */
  async #createAtOnce(
    target: RequestTarget,
    context: ItemContext,
    inputs: readonly InputItem[],
    asked: AskedBack,
  ): Promise<{ readonly result: string | null } | null> {
    const { transactions, shares, reader, maxBatch: maxItems } = this.#options;
    const { write, writeOf, history } = this.#sessions.prepare(target, context);
    const creation = await prepareCreation(
      write,
      inputs,
      { writeOf, maxItems },
      {
        created: (items) => this.#created(context, asked, items, history),
        kept: (kept) => this.#kept(context, asked, kept),
      },
    );
    if (creation === null) return null;
    const { rows } = creation;
    const holder = quotaKeyOf(context.caller);
    const short = { table: context.collection, rows, holder, waitsForLocks: false };
    const onConnection = connectionFor({ shares, reader }, short);
    try {
      return {
        result: await retryOnConflict(() => transactions.runInOneRoundTrip(onConnection, creation)),
      };
    } catch (error) {
      const refused = creation.refused(error);
      if (refused === null) return null;
      throw refused;
    }
  }

  /** The statement that creates items, built once for all items of the same form. */
  async #created(
    context: ItemContext,
    { question, isList }: AskedBack,
    items: NewItems,
    history: History,
  ): Promise<{ readonly readback: Readback; readonly statement: Statement }> {
    const { catalog, grants, caller, collection } = context;
    const place = `creation of ${isList ? 'list' : 'item'} ${statementShape(items)} in ${collection}`;
    const { kind, statement } = this.#creations.get(
      catalog,
      grants,
      { place, question, caller },
      (query) =>
        compileInsert(context, query, writtenItems(items, isList), (answer) =>
          newItemsSql(items, this.#options.schema, answer),
        ),
    );
    return {
      readback: kind,
      statement: bindParameters(statement, await newItemsValues(items, history)),
    };
  }

  /** The statement that reads back the items that the same transaction creates. */
  #kept(context: ItemContext, { question, isList }: AskedBack, kept: TransactionKeys): Statement {
    const { catalog, grants, caller, collection } = context;
    const form = `${isList ? 'list' : 'item'} of ${kept.count === 1 ? 'one' : 'many'}`;
    const place = `created ${form} ${collection}`;
    return this.statements.get(catalog, grants, { place, question, caller }, (query) => ({
      kind: isList ? 'page' : 'item',
      statement: compileCreatedItems(context, query, kept, isList),
    })).statement;
  }

  /**
   * Updates one item.
   * @throws ServiceError PRECONDITION_FAILED
   */
  updateOne(
    target: RequestTarget,
    segment: string,
    change: ItemChange,
    question: UnparsedQuery,
  ): Promise<WriteAnswer> {
    const { body: value, precondition } = change;
    const prepare = (context: ItemContext, session: WriteSession) => {
      const key = keyOfPath(session.write.collection, segment);
      const change = { keys: [key], isList: false, isEach: false, values: [value] };
      return this.#keyed.update(context, session, change, question);
    };
    const work = async (session: WriteSession) => {
      const { write } = session;
      const query = question.query();
      const key = keyOfPath(write.collection, segment);
      if (precondition) await requireUnchanged(write, query, ['update', key], precondition);
      await this.#put(session, [{ place: [], value, intent: 'update', key }]);
      return readBackOne(write, query, key);
    };
    return this.#byKey(target, { prepare: precondition ? null : prepare, work });
  }

  /** Updates several items. */
  updateMany(
    target: RequestTarget,
    update: ItemsUpdate,
    question: UnparsedQuery,
  ): Promise<WriteAnswer> {
    const prepare = async (context: ItemContext, session: WriteSession) => {
      if (update.kind === 'each') {
        this.requireCount(update.items.length);
        return this.#keyed.updateEach(context, session, update.items, question);
      }
      if (!isJsonObject(update.data)) return null;
      const keys = await this.#keysBefore(session, update.selection);
      if (keys === null) return null;
      const change = { keys, isList: true, isEach: false, values: [update.data] };
      return this.#keyed.update(context, session, change, question);
    };
    const work = async (session: WriteSession) => {
      const { write } = session;
      if (update.kind === 'each') this.requireCount(update.items.length);
      const inputs =
        update.kind === 'each'
          ? update.items.map(
              (value, index): InputItem => ({ place: [index], value, intent: 'update' }),
            )
          : await this.#inputsOf(write, update);
      return readBack(write, question.query(), await this.#put(session, inputs));
    };
    return this.#byKey(target, { prepare, work, dataOf: listData });
  }

  /**
   * Updates a singleton, or creates it if it does not exist.
   * @throws ServiceError PRECONDITION_FAILED
   */
  upsertSingleton(
    target: RequestTarget,
    { body, precondition }: ItemChange,
    query: Query,
  ): Promise<WriteAnswer> {
    return this.#write(target, async (session) => {
      const { client, collection, target: context } = session.write;
      const key = await firstKey(client, collection);
      if (precondition) await requireSameSingleton(session.write, query, key, precondition);
      const place = { place: [], value: body };
      await this.#put(session, [
        key === null ? { ...place, intent: 'create' } : { ...place, intent: 'update', key },
      ]);
      return orNullIfForbidden(itemData, () =>
        readItemText(client, compileSingleton(context, query)),
      );
    });
  }

  /**
   * Deletes one item.
   * @throws ServiceError PRECONDITION_FAILED
   */
  async deleteOne(
    target: RequestTarget,
    segment: string,
    condition?: { readonly precondition: Precondition; readonly query: Query },
  ): Promise<void> {
    const prepare = (context: ItemContext, session: WriteSession) =>
      this.#keyed.deletion(context, session, {
        keys: [keyOfPath(session.write.collection, segment)],
        isList: false,
      });
    const work = async ({ write, history }: WriteSession) => {
      const key = keyOfPath(write.collection, segment);
      if (condition) {
        const { query, precondition } = condition;
        await requireUnchanged(write, query, ['delete', key], precondition);
      }
      await deleteItems(write, [key], history);
      return null;
    };
    await this.#byKey(target, { prepare: condition ? null : prepare, work });
  }

  /** Writes items in one round trip, or step by step if that is impossible or rejected. */
  #byKey(
    target: RequestTarget,
    { prepare, work, dataOf = itemData }: KeyedForms,
  ): Promise<WriteAnswer> {
    const run = async (context: ItemContext) => {
      this.#known(context);
      if (prepare !== null) {
        const done = await this.#sessions.atOnce(target, context, (session) =>
          prepare(context, session),
        );
        if (done !== null) return done.answer === null ? null : dataOf(done.answer);
      }
      return this.#sessions.transaction(target, context, work);
    };
    return this.contexts.with(target, run, true);
  }

  /** Deletes several items, all or none. */
  async deleteMany(target: RequestTarget, selection: Selection): Promise<void> {
    const prepare = async (context: ItemContext, session: WriteSession) => {
      const keys = await this.#keysBefore(session, selection);
      return keys && this.#keyed.deletion(context, session, { keys, isList: true });
    };
    const work = async ({ write, history }: WriteSession) => {
      const keys = await selectedKeys(write, selection, this.#options.maxBatch);
      await deleteItems(write, keys, history, { mayBeGone: selection.kind === 'query' });
      return null;
    };
    await this.#byKey(target, { prepare, work });
  }

  /**
   * The keys of a write in one round trip, read before it; null when step-by-step writing is
   * required.
   */
  async #keysBefore({ write }: WriteSession, selection: Selection): Promise<Key[] | null> {
    if (selection.kind === 'query' && !hasNoWriteHooks(write)) return null;
    const { maxBatch, reader } = this.#options;
    const holder = quotaKeyOf(write.target.caller);
    return selectedKeys(write, selection, maxBatch, (statement) =>
      reader.text(statement, undefined, holder),
    );
  }

  async #inputsOf(
    write: WriteContext,
    update: Extract<ItemsUpdate, { kind: 'same' }>,
  ): Promise<InputItem[]> {
    const value = parseItem(update.data, '"data"');
    const keys = await selectedKeys(write, update.selection, this.#options.maxBatch);
    return keys.map((key): InputItem => ({ place: [], value, intent: 'update', key }));
  }

  #put(session: WriteSession, inputs: readonly InputItem[]): Promise<Key[]> {
    const { write, writeOf, history, maxItems } = session;
    return writeItems(write, inputs, { writeOf, maxItems, history });
  }

  /**
   * Runs another kind of write in a write transaction.
   * @throws ServiceError FORBIDDEN when this service is not responsible for the collection
   */
  transact<T>(target: RequestTarget, work: (session: WriteSession) => Promise<T>): Promise<T> {
    return this.#write(target, work);
  }

  #write<T>(target: RequestTarget, work: (session: WriteSession) => Promise<T>): Promise<T> {
    const run = async (context: ItemContext) => {
      this.#known(context);
      return await this.#sessions.transaction(target, context, work);
    };
    return this.contexts.with(target, run, true);
  }

  /**
   * The collection, if the caller has any permission on it; a forbidden collection appears missing.
   */
  #known(context: ItemContext): Collection {
    const collection = this.served(context);
    if (canSeeCollection(context.rights, collection.name)) return collection;
    throw refusal({ collection: collection.name });
  }
}
