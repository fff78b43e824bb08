/**
 * Opens the context of a write: the write contexts of its collections, its history, and its
 * transaction or round trip.
 */
import pg from 'pg';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Client } from '#core/database/pool.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import {
  connectionFor,
  spareConnection,
  type WriteConnections,
} from '#core/database/write-connection.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type {
  RecordChange,
  SingleRoundTripWrite,
  WriteTransactions,
} from '#core/write/changes/write-transactions.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import { isRefusal } from '#core/write/single-round-trip/keyed-writer.ts';
import {
  type CollectionRule,
  NO_CONNECTION,
  type WriteContext,
} from '#core/write/write-context.ts';
import type { ItemContext, RequestTarget } from './request-context.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/** A write within its transaction, with access to the write contexts of other collections. */
export interface WriteSession {
  readonly write: WriteContext;
  readonly writeOf: (collection: string) => WriteContext;
  readonly history: History;
  /** The maximum number of items that the request may write; undefined: no limit. */
  readonly maxItems: number | undefined;
}

export interface WriteSessionOptions extends WriteConnections {
  /** The maximum number of items per request, including related ones. */
  readonly maxBatch: number | undefined;
  /** Hashes a secret with a slow hash. */
  readonly hash: (secret: string, holder: string) => Promise<string>;
  /** The requirements of a collection beyond permissions. */
  readonly ruleOf: (collection: Collection) => CollectionRule;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Reports written changes. */
  readonly transactions: WriteTransactions;
  /** Subscribers may be notified of deletions; by default there are no subscribers. */
  readonly listeners?: boolean;
}

/** The connection of a session, and the receiver of its changes. */
interface SessionConnection {
  readonly client: Client;
  readonly note: RecordChange;
}

/** The connection of a session without database access. */
const NO_DATABASE: SessionConnection = { client: NO_CONNECTION, note: () => undefined };

/** How long (ms) lock-free attempts on a table are skipped after it turned out to be locked. */
const AVOIDED_MS = 1_000;

export class WriteSessions {
  readonly #options: WriteSessionOptions;
  /** Tables that turned out to be locked, and until when lock-free attempts are skipped. */
  readonly #avoided = new Map<string, number>();

  constructor(options: WriteSessionOptions) {
    this.#options = options;
  }

  /** Runs work in a transaction, and again after a conflict with another transaction. */
  transaction<T>(
    target: RequestTarget,
    context: ItemContext,
    work: (session: WriteSession) => Promise<T>,
  ): Promise<T> {
    const { transactions, shares } = this.#options;
    const collection = writable(context);
    const attempt = () =>
      transactions.transaction(
        shares.writesTo(collection.name, quotaKeyOf(context.caller)),
        (client, note) => work(this.#open(target, context, collection, { client, note })),
      );
    return retryOnConflict(attempt);
  }

  /** A session for work that is prepared without the database. */
  prepare(target: RequestTarget, context: ItemContext): WriteSession {
    return this.#open(target, context, writable(context), NO_DATABASE);
  }

  /**
   * Runs the statements of a write in one round trip.
   * @returns null when there are no statements, or their values are rejected
   */
  async atOnce<T>(
    target: RequestTarget,
    context: ItemContext,
    prepare: (session: WriteSession) => Promise<SingleRoundTripWrite<T> | null>,
  ): Promise<T | null> {
    const { transactions, shares, reader } = this.#options;
    const { collection } = context;
    try {
      const work = await prepare(this.prepare(target, context));
      if (work === null) return null;
      // It may wait for a row lock, so no other holder's statement may queue behind it, unless it
      // skips locked rows.
      const holder = quotaKeyOf(context.caller);
      const short = { table: collection, rows: work.rows, holder, waitsForLocks: true };
      const onConnection = connectionFor({ shares, reader }, short);
      const attempt = async () => {
        const done = await this.#unlessLocked(collection, work);
        return done === null
          ? await transactions.runInOneRoundTrip(onConnection, work)
          : done.result;
      };
      return await retryOnConflict(attempt);
    } catch (error) {
      if (isRefusal(error)) return null;
      throw error;
    }
  }

  /** Runs work that never waits for a lock, if a connection has room; null when it did nothing. */
  async #unlessLocked<T>(
    table: string,
    work: SingleRoundTripWrite<T>,
  ): Promise<{ readonly result: T } | null> {
    const { transactions, shares, reader } = this.#options;
    if (!work.runUnlessLocked) return null;
    if (performance.now() < (this.#avoided.get(table) ?? 0)) return null;
    const spare = spareConnection({ shares, reader }, { table, rows: work.rows }, false);
    if (spare === null) return null;
    try {
      return await transactions.runInOneRoundTripUnlessLocked(spare, work);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === SQLSTATE.lockNotAvailable))
        throw error;
      // The attempt had no effect: the whole table, or rows that refer to it, are locked.
      this.#avoided.set(table, performance.now() + AVOIDED_MS);
      return null;
    }
  }

  #open(
    { caller, visitor = NO_VISITOR, strict = false, confirmed = false, given }: RequestTarget,
    context: ItemContext,
    collection: Collection,
    { client, note }: SessionConnection,
  ): WriteSession {
    const { ruleOf, schema } = this.#options;
    const listeners = this.#options.listeners ? schema : null;
    const now = new Date();
    const history = new History(client, schema, { user: caller.user, visitor }, note);
    const holder = quotaKeyOf(caller);
    const hash = (secret: string) => this.#options.hash(secret, holder);
    const writes = new Map<string, WriteContext>();
    const open = (of: Collection): WriteContext => {
      const target = { ...context, collection: of.name };
      const rule = ruleOf(of);
      const facts = {
        ...{ target, collection: of, client, now, rule, confirmed },
        ...{ strict, exact: strict },
      };
      const own = given !== undefined && of === collection ? { given } : {};
      const write = { ...facts, ...own, hash, history, listeners };
      writes.set(of.name, write);
      return write;
    };
    const writeOf = (name: string): WriteContext => {
      const found = context.catalog.collections.get(name);
      if (found === undefined) throw forbidden();
      return writes.get(name) ?? open(requireWritable(found));
    };
    return { write: open(collection), writeOf, history, maxItems: this.#options.maxBatch };
  }
}

function writable({ catalog, collection: name }: ItemContext): Collection {
  const collection = catalog.collections.get(name);
  if (collection === undefined) throw forbidden();
  return requireWritable(collection);
}

/** Only tables whose items have a key can be written. */
function requireWritable(collection: Collection): Collection {
  if (collection.table !== null && collection.primaryKey.length > 0) return collection;
  throw forbidden(reason('write_collection_without_key', { name: collection.name }));
}
