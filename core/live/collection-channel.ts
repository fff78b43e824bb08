/**
 * The subscribers of one collection, in groups with identical queries and results. Each group is
 * read independently, when the queue of one of its holders reaches it. No group waits for another,
 * and a failure affects only the members of that group. Each member receives changes in their
 * order.
 */

import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { oncePer } from '#core/base/once-per.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Change } from '#core/write/changes/change.ts';
import { ChangeLog, type NumberedChange } from './change-log.ts';
import type { HolderQueues, QueuedWork } from './holder-queues.ts';
import type {
  FoundItems,
  LiveItemReader,
  RequestedItems,
  SubscriberContext,
} from './live-item-reader.ts';
import type { LiveAction, Subscriber } from './subscriber.ts';

export interface CollectionChannelParts {
  readonly collection: string;
  readonly reads: Pick<LiveItemReader, 'contextOf' | 'find'>;
  readonly queues: HolderQueues;
  readonly warn: (error: Error) => void;
}

interface Group extends QueuedWork {
  readonly name: string;
  readonly members: Set<Subscription>;
  /** The holder in whose queue the group waits; null while it does not wait. */
  holder: string | null;
  isRunning: boolean;
  /** Members whose permissions may have changed. */
  readonly doubtful: Set<Subscription>;
}

interface Subscription {
  readonly subscriber: Subscriber;
  context: SubscriberContext;
  /** Null after the member has left. */
  group: Group | null;
  /** The number of the latest change that it received. */
  lastDelivered: number;
}

/**
 * How long (ms) after a change it is still delivered: rows of deleted items are retained for a
 * minute.
 */
const DELIVERED_WITHIN_MS = 45_000;

/** A change, and whether the rows of all its deleted items were retained. */
export interface ReceivedChange {
  readonly change: Change;
  readonly isComplete: boolean;
}

/** Whether a change cannot be delivered to a subscriber item by item. */
function overwhelms({ change, isComplete }: ReceivedChange, { actions }: Subscriber): boolean {
  const { action, keys } = change;
  if (action === 'import') return actions.has('create') || actions.has('update');
  return (keys === null || !isComplete) && actions.has(action);
}

export class CollectionChannel {
  readonly #parts: CollectionChannelParts;
  readonly #log = new ChangeLog();
  readonly #members = new Map<Subscriber, Subscription>();
  readonly #groups = new Map<string, Group>();
  readonly #told = metrics.counter('sluice_live_events_total', {});

  constructor(parts: CollectionChannelParts) {
    this.#parts = parts;
  }

  /** The number of subscribers. */
  get size(): number {
    return this.#members.size;
  }

  /** Adds a subscriber, which receives all changes that are added from now on. */
  join(subscriber: Subscriber, context: SubscriberContext): void {
    const told = this.#log.last;
    const member: Subscription = { subscriber, context, group: null, lastDelivered: told };
    this.#members.set(subscriber, member);
    this.#enter(member);
  }

  leave(subscriber: Subscriber): void {
    const member = this.#members.get(subscriber);
    if (member === undefined) return;
    this.#members.delete(subscriber);
    this.#exit(member);
  }

  /** Adds changes, and delivers them to the subscribers. */
  add(changes: readonly ReceivedChange[]): void {
    for (const { change } of changes) this.#log.add(change);
    const overwhelming = changes.filter(
      ({ change, isComplete }) => change.action === 'import' || change.keys === null || !isComplete,
    );
    if (overwhelming.length > 0) {
      for (const member of [...this.#members.values()]) {
        // These subscribers reload the data, which then contains all these changes.
        if (overwhelming.some((change) => overwhelms(change, member.subscriber))) {
          this.#miss(member, 'too much changed at once');
        }
      }
    }
    for (const group of this.#groups.values()) this.#wake(group);
  }

  /** Notifies all subscribers that changes may be missing. */
  miss(reason: string): void {
    for (const member of [...this.#members.values()]) this.#miss(member, reason);
  }

  /** Rechecks the permissions of a subscriber, which is notified if they are lost. */
  doubt(subscriber: Subscriber): void {
    const member = this.#members.get(subscriber);
    if (!member?.group) return;
    member.group.doubtful.add(member);
    this.#wake(member.group);
  }

  /** Drops changes that are too old to be delivered. */
  forget(): void {
    this.#log.forget();
  }

  #miss(member: Subscription, reason: string): void {
    member.lastDelivered = this.#log.last;
    if (member.group !== null) member.subscriber.miss(reason);
  }

  #lose(member: Subscription, error: unknown): void {
    this.leave(member.subscriber);
    member.subscriber.lose(error);
  }

  /** Adds a member to the group with the same results. */
  #enter(member: Subscription): void {
    const { name } = member.context;
    const group = this.#groups.get(name) ?? this.#groupOf(name);
    group.members.add(member);
    member.group = group;
    // The group may wait in the queue of a holder that is busier than this one.
    if (group.holder !== null) this.#parts.queues.remove(group.holder, group);
    group.holder = null;
    this.#wake(group);
  }

  #groupOf(name: string): Group {
    const group: Group = {
      ...{ name, members: new Set(), doubtful: new Set(), holder: null, isRunning: false },
      run: () => this.#run(group),
    };
    this.#groups.set(name, group);
    return group;
  }

  #exit(member: Subscription): void {
    const { group } = member;
    member.group = null;
    if (group === null) return;
    group.members.delete(member);
    group.doubtful.delete(member);
    if (group.members.size > 0) return;
    if (group.holder !== null) this.#parts.queues.remove(group.holder, group);
    group.holder = null;
    this.#groups.delete(group.name);
  }

  /** Whether a group has pending work. */
  #isBehind({ members, doubtful }: Group): boolean {
    if (doubtful.size > 0) return true;
    const { last } = this.#log;
    for (const { lastDelivered: told } of members) if (told < last) return true;
    return false;
  }

  /** Queues a group for its least loaded holder. */
  #wake(group: Group): void {
    if (group.holder !== null || group.isRunning || !this.#isBehind(group)) return;
    const { queues } = this.#parts;
    let least = Number.POSITIVE_INFINITY;
    for (const { context } of group.members) {
      const holder = holderOf(context.caller);
      const load = queues.loadOf(holder);
      if (load < least) [least, group.holder] = [load, holder];
      if (load === 0) break;
    }
    if (group.holder !== null) queues.add(group.holder, group);
  }

  async #run(group: Group): Promise<void> {
    group.holder = null;
    group.isRunning = true;
    try {
      await this.#deliver(group);
    } catch (error) {
      this.#fail(group, error);
    }
    group.isRunning = false;
    this.#wake(group);
  }

  /**
   * Notifies the members of a failed read. After a refusal they lose their subscription; otherwise
   * they have missed changes.
   */
  #fail(group: Group, error: unknown): void {
    const isRefused = error instanceof ServiceError && error.status < 500;
    if (!isRefused) this.#parts.warn(error instanceof Error ? error : new Error(String(error)));
    for (const member of [...group.members]) {
      if (isRefused) this.#lose(member, error);
      else this.#miss(member, 'it could not be read');
    }
  }

  /** Delivers to a group the changes that its members lack, read once for all of them. */
  async #deliver(group: Group): Promise<void> {
    const slice = new TimeSlice();
    const reader = await this.#readerOf(group, slice);
    if (reader === null) return;
    const changes = this.#changesFor(group);
    const [oldest] = changes;
    if (oldest === undefined) return;
    const found = await this.#find(reader, requestedKeys(group, changes));
    // The catalog has changed, so the next run reads with a new context.
    if (found === null) return;
    requireRecent(oldest);
    await this.#reportAll(group, slice, changes, found);
  }

  /** The changes that some member lacks. Members that lack forgotten ones start again. */
  #changesFor(group: Group): readonly NumberedChange[] {
    this.#log.forget();
    const { forgotten, last } = this.#log;
    let first = last;
    for (const member of [...group.members]) {
      if (member.lastDelivered < forgotten) this.#miss(member, 'it could not be told in time');
      first = Math.min(first, member.lastDelivered);
    }
    return this.#log.after(first);
  }

  #find({ subscriber, context }: Subscription, keys: RequestedItems): Promise<FoundItems | null> {
    const { collection, reads } = this.#parts;
    return reads.find(collection, subscriber.question, context, keys);
  }

  async #reportAll(
    group: Group,
    slice: TimeSlice,
    changes: readonly NumberedChange[],
    found: FoundItems,
  ): Promise<void> {
    for (const member of [...group.members]) {
      await slice.rest();
      if (await this.#isOf(group, member)) this.#report(member, changes, found);
    }
  }

  /** A member whose rights allow the read for all; null when no member has them. */
  async #readerOf(group: Group, slice: TimeSlice): Promise<Subscription | null> {
    const doubtful = [...group.doubtful];
    group.doubtful.clear();
    for (const member of doubtful) {
      await slice.rest();
      await this.#isOf(group, member);
    }
    for (const member of [...group.members]) {
      await slice.rest();
      if (await this.#isOf(group, member)) return member;
    }
    return null;
  }

  /** Whether a member still belongs to its group; changed permissions move it to another group. */
  async #isOf(group: Group, member: Subscription): Promise<boolean> {
    const { subscriber, context } = member;
    try {
      const now = await this.#parts.reads.contextOf(subscriber, context);
      if (member.group !== group) return false;
      member.context = now;
      if (now.name === group.name) return true;
      this.#exit(member);
      this.#enter(member);
    } catch (error) {
      if (member.group !== group) return false;
      if (error instanceof ServiceError && error.status < 500) this.#lose(member, error);
      else this.#miss(member, 'its rights could not be looked up');
    }
    return false;
  }

  #report(member: Subscription, changes: readonly NumberedChange[], found: FoundItems): void {
    for (const { number, change } of changes) {
      // A member that misses changes during the delivery reloads the data.
      if (number <= member.lastDelivered || member.group === null) continue;
      member.lastDelivered = number;
      this.#reportOne(member.subscriber, change, found);
    }
  }

  #reportOne(subscriber: Subscriber, { action, keys }: Change, found: FoundItems): void {
    if (action === 'import' || keys === null || !subscriber.actions.has(action)) return;
    const { item } = subscriber;
    const meant = item === null ? keys : keys.filter((key) => key === item);
    if (action === 'delete') {
      const seen = meant.filter((key) => found.deleted.has(key));
      if (seen.length === 0) return;
      this.#told.value += 1;
      subscriber.hear({ action, keys: seen });
      return;
    }
    const items = meant.flatMap((key) => found.existing.get(key) ?? []);
    if (items.length === 0) return;
    this.#told.value += 1;
    subscriber.hear({ action, items });
  }
}

/** The holder in whose queue a caller's work waits. */
const holderOf = oncePer((caller: Caller) => quotaKeyOf(caller));

/** @throws ServiceError SERVICE_UNAVAILABLE when the items were read too late after their change */
function requireRecent({ at }: NumberedChange): void {
  if (performance.now() - at <= DELIVERED_WITHIN_MS) return;
  throw unavailable('database', reason('event_read_too_slow'));
}

function requestedKeys({ members }: Group, changes: readonly NumberedChange[]): RequestedItems {
  const wanted = new Set<LiveAction>();
  for (const { subscriber } of members) for (const one of subscriber.actions) wanted.add(one);
  const keysOf = (isMeant: (action: Change['action']) => boolean) => [
    ...new Set(
      changes.flatMap(({ change: { action, keys } }) =>
        action !== 'import' && isMeant(action) && wanted.has(action) ? (keys ?? []) : [],
      ),
    ),
  ];
  return {
    written: keysOf((action) => action !== 'delete'),
    deleted: keysOf((action) => action === 'delete'),
  };
}
