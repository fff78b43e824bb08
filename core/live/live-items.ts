/**
 * Tells subscribers of items that were written: each is read again under the rights of whoever hears
 * of it, with one statement for all who share the question and the rights. Of what was deleted only
 * those hear who could see it. Knows no transport.
 */
import type { Caller } from '#core/access/grants.ts';
import type { Collection } from '#core/catalog/catalog.ts';
import type { Change } from '#core/changes/change.ts';
import { deletedRowsSql, LISTENING_MS, type Listening } from '#core/changes/deleted-items.ts';
import { bareType } from '#core/database/column-type.ts';
import type { Reader } from '#core/database/reader.ts';
import { type Sql, sql } from '#core/database/sql.ts';
import { forbidden, ServiceError } from '#core/errors/service-error.ts';
import { keyOfItem } from '#core/history/history.ts';
import type { Log } from '#core/log/log.ts';
import { warnThrottled } from '#core/log/throttled-warning.ts';
import { metrics } from '#core/metrics/metrics.ts';
import type { Key } from '#core/query/key.ts';
import { Given, give } from '#core/query/plan/slot.ts';
import type { Query } from '#core/query/query.ts';
import { type Compiled, compileFound, type FoundRows } from '#core/query/sql/compile.ts';
import { RECORD_SEPARATOR } from '#core/query/sql/statement.ts';
import {
  type ContextOptions,
  ContextSource,
  type ItemContext,
  noCollection,
  servesItems,
} from '#core/services/request-context.ts';
import { StatementCache, type UnparsedQuery } from '#core/services/statement-cache.ts';
import { type KeyedItem, keyedItem, keyedQuery } from './keyed-query.ts';

export const LIVE_ACTIONS = ['create', 'update', 'delete'] as const;
/** What happened to items. */
export type LiveAction = (typeof LIVE_ACTIONS)[number];

/** What a subscriber is told; keys are as in a path. */
export type LiveEvent =
  | { readonly action: 'create' | 'update'; readonly items: readonly KeyedItem[] }
  | { readonly action: 'delete'; readonly keys: readonly string[] };

/** Somebody who wants to hear of a collection. Its methods must not throw. */
export interface Subscriber {
  readonly collection: string;
  /** What is told of an item, and of which; of its page nothing applies. */
  readonly question: UnparsedQuery;
  readonly actions: ReadonlySet<LiveAction>;
  /** The key of the only item that matters, as in a path; null: all. */
  readonly item: string | null;
  /**
   * The caller now; the same object as long as nothing changed.
   * @throws ServiceError when the credentials are not valid any more
   */
  caller(): Promise<Caller>;
  hear(event: LiveEvent): void;
  /** Something may have happened that is not told. */
  miss(reason: string): void;
  /** It will hear nothing more: the right to it was lost. */
  lose(error: unknown): void;
}

export interface LiveItemsParts extends ContextOptions {
  readonly reader: Pick<Reader, 'text'>;
  readonly listening: Listening;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly log: Log;
}

/** The subscribers of one collection, and what they are still to be told. */
interface Channel {
  readonly subscribers: Set<Subscriber>;
  pending: Change[];
  isTelling: boolean;
  /** Resolves when all processes keep what they delete there. */
  listens: Promise<void>;
}

/** Subscribers who get the same answer to the same question. */
interface Group {
  readonly members: [Member, ...Member[]];
}

interface Member {
  readonly subscriber: Subscriber;
  readonly caller: Caller;
  readonly grants: ItemContext['grants'];
}

/** How often subscribers whose rights change all the time are read for. */
const MOST_ROUNDS = 3;

/** Whether a change that names no items concerns a subscriber. */
function concerns({ action }: Change, { actions }: Subscriber): boolean {
  return action === 'import' ? actions.has('create') || actions.has('update') : actions.has(action);
}

export class LiveItems {
  readonly #parts: LiveItemsParts;
  readonly #contexts: ContextSource;
  readonly #statements = new StatementCache<null>();
  readonly #channels = new Map<string, Channel>();
  readonly #renewal: NodeJS.Timeout;
  #said: Promise<void> = Promise.resolve();
  readonly #warn: (error: Error) => void;
  readonly #told = metrics.counter('sluice_live_events_total', {});
  readonly #endReading: () => void;

  constructor(parts: LiveItemsParts) {
    this.#parts = parts;
    this.#contexts = new ContextSource(parts);
    this.#warn = warnThrottled(parts.log, 'subscriptions cannot be renewed');
    this.#renewal = setInterval(() => void this.#renew(), LISTENING_MS / 3).unref();
    this.#endReading = metrics.reading('sluice_live_subscriptions', () => [
      [{}, [...this.#channels.values()].reduce((sum, one) => sum + one.subscribers.size, 0)],
    ]);
  }

  close(): void {
    clearInterval(this.#renewal);
    this.#endReading();
    this.#channels.clear();
  }

  /**
   * Adds a subscriber, who hears of everything that is committed from then on.
   * @returns ends it
   * @throws ServiceError FORBIDDEN, INVALID_QUERY as for a read of the same; SERVICE_UNAVAILABLE
   */
  async subscribe(subscriber: Subscriber): Promise<() => void> {
    const { collection } = subscriber;
    const caller = await subscriber.caller();
    await this.#contexts.with({ caller, collection }, async (context) => {
      this.#statement(context, subscriber.question);
    });
    const channel = this.#channelOf(collection);
    channel.subscribers.add(subscriber);
    const end = () => this.#leave(channel, subscriber);
    try {
      await channel.listens;
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** Looks whether a subscriber still may hear of the collection, and tells him when not. */
  async judge(subscriber: Subscriber): Promise<void> {
    try {
      const caller = await subscriber.caller();
      const { collection, question } = subscriber;
      this.#statement(await this.#contexts.of({ caller, collection }), question);
    } catch (error) {
      subscriber.lose(error);
    }
  }

  /** Tells of writes. */
  changed(changes: readonly Change[]): void {
    for (const change of changes) {
      const channel = this.#channels.get(change.collection);
      if (channel === undefined) continue;
      channel.pending.push(change);
      if (!channel.isTelling) void this.#drain(change.collection, channel);
    }
  }

  /** Anything may have happened. */
  missed(reason: string): void {
    for (const { subscribers } of this.#channels.values()) {
      for (const subscriber of subscribers) subscriber.miss(reason);
    }
  }

  #channelOf(collection: string): Channel {
    const known = this.#channels.get(collection);
    if (known !== undefined) return known;
    const listens = this.#inOrder(() => this.#parts.listening.renew([collection]));
    const channel = { subscribers: new Set<Subscriber>(), pending: [], isTelling: false, listens };
    this.#channels.set(collection, channel);
    // Whoever subscribes hears of it; the next one tries again.
    listens.catch(() => this.#channels.delete(collection));
    return channel;
  }

  #leave(channel: Channel, subscriber: Subscriber): void {
    channel.subscribers.delete(subscriber);
    const { collection } = subscriber;
    if (channel.subscribers.size > 0 || this.#channels.get(collection) !== channel) return;
    this.#channels.delete(collection);
    this.#inOrder(async () => {
      if (!this.#channels.has(collection)) await this.#parts.listening.end(collection);
    }).catch((error: unknown) => this.#complain(error));
  }

  /** Says something of listening after what was said before. */
  #inOrder(say: () => Promise<void>): Promise<void> {
    const said = this.#said.then(say);
    this.#said = said.catch(() => undefined);
    return said;
  }

  async #renew(): Promise<void> {
    try {
      if (this.#channels.size > 0) await this.#parts.listening.renew([...this.#channels.keys()]);
      await this.#parts.listening.sweep();
    } catch (error) {
      this.#complain(error);
    }
  }

  #complain(error: unknown): void {
    this.#warn(error instanceof Error ? error : new Error(String(error)));
  }

  async #drain(collection: string, channel: Channel): Promise<void> {
    channel.isTelling = true;
    while (channel.pending.length > 0) {
      const changes = channel.pending;
      channel.pending = [];
      try {
        await this.#tell(collection, [...channel.subscribers], changes);
      } catch (error) {
        this.#parts.log.warn({ err: error, collection }, 'a change could not be told');
        for (const subscriber of channel.subscribers) subscriber.miss('it could not be read');
      }
    }
    channel.isTelling = false;
  }

  async #tell(
    collection: string,
    subscribers: readonly Subscriber[],
    changes: readonly Change[],
  ): Promise<void> {
    const unnamed = changes.filter(({ keys, action }) => keys === null || action === 'import');
    const gone = await this.#gone(collection, changes);
    const missing = (subscriber: Subscriber) =>
      unnamed.some((change) => concerns(change, subscriber)) ||
      (gone.isIncomplete && subscriber.actions.has('delete'));
    const told: Subscriber[] = [];
    for (const subscriber of subscribers) {
      // What they read afresh has all of this in it.
      if (missing(subscriber)) subscriber.miss('too much changed at once');
      else told.push(subscriber);
    }
    const named = changes.filter(({ keys, action }) => keys !== null && action !== 'import');
    if (named.length === 0) return;
    let left = told;
    for (let round = 1; left.length > 0; round += 1) {
      const groups = await this.#groups(collection, left);
      const late = groups.map((group) => this.#tellGroup(collection, group, named));
      left = (await Promise.all(late)).flat();
      if (round < MOST_ROUNDS) continue;
      for (const subscriber of left) subscriber.miss('its rights change all the time');
      return;
    }
  }

  /** Whether the rows of everything that was deleted were kept. */
  async #gone(collection: string, changes: readonly Change[]) {
    const keys = changes.flatMap((change) =>
      change.action === 'delete' ? (change.keys ?? []) : [],
    );
    if (keys.length === 0) return { isIncomplete: false };
    const kept = await this.#parts.listening.kept(collection, keys);
    return { isIncomplete: keys.some((key) => !kept.has(key)) };
  }

  /** Subscribers by what they share; those without a right to it are told so. */
  async #groups(collection: string, subscribers: readonly Subscriber[]): Promise<Group[]> {
    const groups = new Map<string, Group>();
    for (const subscriber of subscribers) {
      try {
        const caller = await subscriber.caller();
        const context = await this.#contexts.of({ caller, collection });
        const { text, values } = this.#statement(context, subscriber.question);
        const name = `${text}\n${JSON.stringify(values)}`;
        const member = { subscriber, caller, grants: context.grants };
        const group = groups.get(name);
        if (group === undefined) groups.set(name, { members: [member] });
        else group.members.push(member);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= 500) throw error;
        subscriber.lose(error);
      }
    }
    return [...groups.values()];
  }

  /**
   * Reads for a group, and tells its members.
   * @returns those whose rights changed meanwhile, who were told nothing
   */
  async #tellGroup(
    collection: string,
    { members }: Group,
    changes: readonly Change[],
  ): Promise<Subscriber[]> {
    const [{ caller, subscriber }] = members;
    const wants = (action: LiveAction) =>
      members.some((member) => member.subscriber.actions.has(action));
    const keysOf = (isMeant: (action: Change['action']) => boolean) => [
      ...new Set(
        changes.flatMap(({ action, keys }) =>
          isMeant(action) && action !== 'import' && wants(action) ? (keys ?? []) : [],
        ),
      ),
    ];
    const written = keysOf((action) => action !== 'delete');
    const deleted = keysOf((action) => action === 'delete');
    const { question } = subscriber;
    const target = { caller, collection };
    const [there, gone] = await this.#contexts.with(target, (context) =>
      Promise.all([
        this.#read(context, written, this.#statement(context, question, written)),
        this.#read(context, deleted, this.#deletedStatement(context, question)),
      ]),
    );
    const late: Subscriber[] = [];
    for (const member of members) {
      if (await this.#isStill(member, collection)) {
        for (const change of changes) this.#report(member.subscriber, change, { there, gone });
      } else {
        late.push(member.subscriber);
      }
    }
    return late;
  }

  /** Whether the rights of a member are those that were read with. */
  async #isStill({ subscriber, caller, grants }: Member, collection: string): Promise<boolean> {
    try {
      const now = await subscriber.caller();
      const context = await this.#contexts.of({ caller: now, collection });
      return now === caller && context.grants === grants;
    } catch {
      // The next round tells why.
      return false;
    }
  }

  #report(
    subscriber: Subscriber,
    { action, keys }: Change,
    found: {
      readonly there: ReadonlyMap<string, KeyedItem>;
      readonly gone: ReadonlyMap<string, KeyedItem>;
    },
  ): void {
    if (action === 'import' || keys === null || !subscriber.actions.has(action)) return;
    const { item } = subscriber;
    const meant = item === null ? keys : keys.filter((key) => key === item);
    if (action === 'delete') {
      const seen = meant.filter((key) => found.gone.has(key));
      if (seen.length === 0) return;
      this.#told.value += 1;
      subscriber.hear({ action, keys: seen });
      return;
    }
    const items = meant.flatMap((key) => found.there.get(key) ?? []);
    if (items.length === 0) return;
    this.#told.value += 1;
    subscriber.hear({ action, items });
  }

  /** The items of some keys that a statement finds, by their keys. */
  async #read(
    { catalog, collection }: ItemContext,
    keys: readonly string[],
    statement: Compiled,
  ): Promise<ReadonlyMap<string, KeyedItem>> {
    const found = new Map<string, KeyedItem>();
    const of = catalog.collections.get(collection);
    if (keys.length === 0 || of === undefined) return found;
    const text = await this.#parts.reader.text(give(statement, [keys]));
    for (const record of text === null ? [] : text.split(RECORD_SEPARATOR)) {
      const item = keyedItem(of, record);
      if (item !== null) found.set(item.key, item);
    }
    return found;
  }

  /** The statement that reads items by their keys, which it is given unless they are composite. */
  #statement(
    context: ItemContext,
    question: UnparsedQuery,
    keys: readonly string[] = [],
  ): Compiled {
    const collection = this.#served(context);
    const [field, ...others] = collection.primaryKey;
    if (field === undefined) throw noKey(collection);
    if (others.length > 0) {
      const chosen = keys.map((key): Key => keyOfItem(collection, key));
      const query = keyedQuery(collection, question.query());
      return compileFound(context, query, { rows: { kind: 'keys', keys: chosen } });
    }
    const type = bareType(field.column);
    const holds = (column: Sql) =>
      sql`${column} = ANY(ARRAY(SELECT k::${type} FROM unnest(${new Given(0)}::text[]) AS k))`;
    return this.#compiled(context, question, 'live', { rows: { kind: 'kept', field, holds } });
  }

  /** The statement that reads what was deleted, which is given by its keys. */
  #deletedStatement(context: ItemContext, question: UnparsedQuery): Compiled {
    const items = sql`${new Given(0)}::text[]`;
    const source = deletedRowsSql(this.#parts.schema, this.#served(context), items);
    return this.#compiled(context, question, 'deleted', { source });
  }

  #compiled(
    context: ItemContext,
    question: UnparsedQuery,
    form: 'live' | 'deleted',
    found: FoundRows,
  ): Compiled {
    const { catalog, grants, caller } = context;
    const collection = this.#served(context);
    const place = `${form} ${collection.name}`;
    const compile = (query: Query) => ({
      kind: null,
      statement: compileFound(context, keyedQuery(collection, query), found),
    });
    return this.#statements.get(catalog, grants, { place, question, caller }, compile).statement;
  }

  #served({ catalog, grants, collection: name }: ItemContext): Collection {
    const collection = catalog.collections.get(name);
    if (!collection || !servesItems(collection) || grants.of(name) === null)
      throw noCollection(name);
    return collection;
  }
}

function noKey({ name }: Collection): Error {
  return forbidden(`Items of "${name}" have no key, so nobody can be told of them.`);
}
