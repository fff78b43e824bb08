/**
 * Notifies subscribers of written items. Items are read again with the permissions of the
 * subscriber; one statement serves all subscribers with the same query and permissions. Deletions
 * are delivered only to subscribers that had permission to read the items. Independent of the
 * transport.
 */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { quotaExceeded } from '#core/base/errors/service-error.ts';
import { HolderBudget } from '#core/base/holders/budget.ts';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import type { Change } from '#core/write/changes/change.ts';
import { LISTENING_MS, type ListenedCollections } from '#core/write/changes/deleted-items.ts';
import { CollectionChannel } from './collection-channel.ts';
import { HolderQueues } from './holder-queues.ts';
import { LiveItemReader, type LiveItemReaderParts } from './live-item-reader.ts';
import type { Subscriber } from './subscriber.ts';

export interface LiveSubscriptionsParts extends LiveItemReaderParts {
  readonly listening: ListenedCollections;
  readonly log: Log;
  /** WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER. */
  readonly maxPerHolder: number;
  /** Groups of subscribers that are read concurrently. */
  readonly slots: number;
}

/** A channel, and its changes that are not delivered yet. */
interface Watched {
  readonly channel: CollectionChannel;
  pending: Change[];
  isDraining: boolean;
  /** Resolves when all processes retain the rows that they delete in the collection. */
  listens: Promise<void>;
}

export class LiveSubscriptions {
  readonly #parts: LiveSubscriptionsParts;
  readonly #reads: LiveItemReader;
  readonly #queues: HolderQueues;
  readonly #subscriptions: HolderBudget;
  readonly #channels = new Map<string, Watched>();
  readonly #renewal: NodeJS.Timeout;
  #said: Promise<void> = Promise.resolve();
  readonly #warn: (error: Error) => void;
  readonly #warnUntold: (error: Error) => void;
  readonly #endReading: () => void;

  constructor(parts: LiveSubscriptionsParts) {
    this.#parts = parts;
    this.#reads = new LiveItemReader(parts);
    this.#queues = new HolderQueues(parts.slots);
    // The total is limited only by the number of connections.
    this.#subscriptions = new HolderBudget({
      total: Number.POSITIVE_INFINITY,
      refusal: () => this.#refusal(),
    });
    this.#warn = warnThrottled(parts.log, 'subscriptions cannot be renewed');
    this.#warnUntold = warnThrottled(parts.log, 'a change could not be told');
    this.#renewal = setInterval(() => void this.#renew(), LISTENING_MS / 3).unref();
    // The metric exists from the start, even without subscribers.
    metrics.counter('sluice_live_events_total', {});
    this.#endReading = metrics.reading('sluice_live_subscriptions', () => [
      [{}, [...this.#channels.values()].reduce((sum, { channel }) => sum + channel.size, 0)],
    ]);
  }

  close(): void {
    clearInterval(this.#renewal);
    this.#endReading();
    this.#channels.clear();
  }

  /**
   * Adds a subscriber, which receives every change that is committed from then on.
   * @returns a function that ends the subscription
   * @throws ServiceError FORBIDDEN, INVALID_QUERY as for a read of the same query;
   *   REQUESTS_EXCEEDED, SERVICE_UNAVAILABLE
   */
  async subscribe(subscriber: Subscriber): Promise<() => void> {
    const holder = quotaKeyOf(await subscriber.caller());
    if (this.#subscriptions.takenBy(holder) >= this.#parts.maxPerHolder) throw this.#refusal();
    const place = this.#subscriptions.take(holder, 1);
    let watched: Watched | null = null;
    const end = () => {
      place.release();
      if (watched !== null) this.#leave(watched, subscriber);
    };
    try {
      const context = await this.#reads.contextOf(subscriber, null);
      watched = this.#channelOf(subscriber.collection);
      watched.channel.join(subscriber, context);
      await watched.listens;
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /**
   * Checks whether a subscriber still has permission for the collection, and notifies it when not.
   */
  recheck(subscriber: Subscriber): void {
    this.#channels.get(subscriber.collection)?.channel.doubt(subscriber);
  }

  /** Runs a read in the queue of a subscriber's holder, like all reads for subscribers. */
  runQueued<T>(caller: Caller, read: () => Promise<T>): Promise<T> {
    return this.#queues.run(quotaKeyOf(caller), read);
  }

  /** Notifies subscribers of writes. */
  changed(changes: readonly Change[]): void {
    for (const change of changes) {
      const watched = this.#channels.get(change.collection);
      if (watched === undefined) continue;
      watched.pending.push(change);
      if (!watched.isDraining) void this.#drain(change.collection, watched);
    }
  }

  /** Notifies all subscribers that changes may be missing. */
  missed(reason: string): void {
    for (const { channel } of this.#channels.values()) channel.miss(reason);
  }

  #refusal(): Error {
    const { maxPerHolder: most } = this.#parts;
    const why = reason('too_many_subscriptions', { most });
    return quotaExceeded('WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER', most, why);
  }

  #channelOf(collection: string): Watched {
    const known = this.#channels.get(collection);
    if (known !== undefined) return known;
    const listens = this.#inOrder(() => this.#parts.listening.renew([collection]));
    const channel = new CollectionChannel({
      ...{ collection, reads: this.#reads, queues: this.#queues, warn: this.#warnUntold },
    });
    const watched = { channel, pending: [], isDraining: false, listens };
    this.#channels.set(collection, watched);
    // The subscriber receives this failure; the next subscriber tries again.
    listens.catch(() => {
      if (this.#channels.get(collection) === watched) this.#channels.delete(collection);
    });
    return watched;
  }

  #leave(watched: Watched, subscriber: Subscriber): void {
    const { channel } = watched;
    channel.leave(subscriber);
    const { collection } = subscriber;
    if (channel.size > 0 || this.#channels.get(collection) !== watched) return;
    this.#channels.delete(collection);
    this.#inOrder(async () => {
      if (!this.#channels.has(collection)) await this.#parts.listening.end(collection);
    }).catch((error: unknown) => this.#complain(error));
  }

  /** Updates the registration of listeners after previous updates. */
  #inOrder(say: () => Promise<void>): Promise<void> {
    const said = this.#said.then(say);
    this.#said = said.catch(() => undefined);
    return said;
  }

  async #renew(): Promise<void> {
    for (const { channel } of this.#channels.values()) channel.forget();
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

  async #drain(collection: string, watched: Watched): Promise<void> {
    watched.isDraining = true;
    while (watched.pending.length > 0) {
      const changes = watched.pending;
      watched.pending = [];
      const kept = await this.#kept(collection, changes);
      watched.channel.add(
        changes.map((change) => {
          const { action, keys } = change;
          const isComplete = action !== 'delete' || (keys ?? []).every((key) => kept.has(key));
          return { change, isComplete };
        }),
      );
    }
    watched.isDraining = false;
  }

  /** The deleted items whose rows were retained; empty when that cannot be determined. */
  async #kept(collection: string, changes: readonly Change[]): Promise<ReadonlySet<string>> {
    const keys = changes.flatMap((change) =>
      change.action === 'delete' ? (change.keys ?? []) : [],
    );
    if (keys.length === 0) return new Set();
    try {
      return await this.#parts.listening.kept(collection, keys);
    } catch (error) {
      this.#warnUntold(error instanceof Error ? error : new Error(String(error)));
      return new Set();
    }
  }
}
