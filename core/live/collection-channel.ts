/**
 * The subscribers of one collection, in groups of those who get the same answer to the same question.
 * A group is read for on its own, when it is the turn of one of its holders: no group waits for another,
 * and one that fails loses its own members only. Each member is told of changes in their order.
 */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, unavailable } from '#core/base/errors/service-error.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Change } from '#core/write/changes/change.ts';
import { ChangeLog, type NumberedChange } from './change-log.ts';
import type { HolderQueues, QueuedWork } from './holder-queues.ts';
import type { FoundItems, LiveItemReader, SubscriberContext } from './live-item-reader.ts';
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
  /** In whose queue it waits. */
  holder: string | null;
  isRunning: boolean;
  /** Members whose rights may have changed. */
  readonly doubtful: Set<Subscription>;
}

interface Subscription {
  readonly subscriber: Subscriber;
  context: SubscriberContext;
  /** Null once it has left. */
  group: Group | null;
  /** The number of the latest change that it knows of. */
  lastDelivered: number;
}

/** How long (ms) after a change it is still told: rows of deleted items are kept for a minute. */
const DELIVERED_WITHIN_MS = 45_000;

/** A change, and whether the rows of everything that it deleted were kept. */
export interface ReceivedChange {
  readonly change: Change;
  readonly isComplete: boolean;
}

/** Whether a subscriber cannot be told of a change item by item. */
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

  /** How many subscribers there are. */
  get size(): number {
    return this.#members.size;
  }

  /** Adds a subscriber, who is told of what is added from now on. */
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

  /** Tells of changes, to those who know of what was before. */
  add(changes: readonly ReceivedChange[]): void {
    for (const { change } of changes) this.#log.add(change);
    const overwhelming = changes.filter(
      ({ change, isComplete }) => change.action === 'import' || change.keys === null || !isComplete,
    );
    if (overwhelming.length > 0) {
      for (const member of [...this.#members.values()]) {
        // What they read afresh has all of this in it.
        if (overwhelming.some((change) => overwhelms(change, member.subscriber))) {
          this.#miss(member, 'too much changed at once');
        }
      }
    }
    for (const group of this.#groups.values()) this.#wake(group);
  }

  /** Anything may have happened. */
  miss(reason: string): void {
    for (const member of [...this.#members.values()]) this.#miss(member, reason);
  }

  /** The rights of a subscriber may have changed: it is told when they are lost. */
  doubt(subscriber: Subscriber): void {
    const member = this.#members.get(subscriber);
    if (!member?.group) return;
    member.group.doubtful.add(member);
    this.#wake(member.group);
  }

  /** Forgets changes that are too old to be told. */
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

  /** Puts a member into the group of those who get the same answer. */
  #enter(member: Subscription): void {
    const { name } = member.context;
    const group = this.#groups.get(name) ?? this.#groupOf(name);
    group.members.add(member);
    member.group = group;
    // It may have waited in the queue of a holder that is busier than this one.
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

  /** Whether there is something to do for a group. */
  #isBehind({ members, doubtful }: Group): boolean {
    if (doubtful.size > 0) return true;
    const { last } = this.#log;
    for (const { lastDelivered: told } of members) if (told < last) return true;
    return false;
  }

  /** Lets a group wait in the queue of the holder for whom there is the least to do. */
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

  /** A group that cannot be read for begins again; one that asks for what is refused hears that. */
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
    // The rights of the reader have changed; another member reads next time.
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

  #find({ subscriber, context }: Subscription, keys: RequestedKeys): Promise<FoundItems | null> {
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

  /** Whether a member still belongs to its group: with other rights it goes to another one. */
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
      // Whoever misses something while it is told reads it all afresh.
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

const holders = new WeakMap<Caller, string>();

/** In whose queue the work waits that tells a caller. */
function holderOf(caller: Caller): string {
  const known = holders.get(caller);
  if (known !== undefined) return known;
  const holder = quotaKeyOf(caller);
  holders.set(caller, holder);
  return holder;
}

/** @throws ServiceError SERVICE_UNAVAILABLE when the items were read too late after their change */
function requireRecent({ at }: NumberedChange): void {
  if (performance.now() - at <= DELIVERED_WITHIN_MS) return;
  throw unavailable('database', reason('event_read_too_slow'));
}

/** The keys of changed items, as far as a member follows their kind of change. */
interface RequestedKeys {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
}

function requestedKeys({ members }: Group, changes: readonly NumberedChange[]): RequestedKeys {
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
