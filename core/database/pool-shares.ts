/**
 * Divides the connections of a pool, so that nothing holds up everything else. Reads that are slow or
 * wait for locks have half of them at most, those that take long as many as LongReadLimiter allows and
 * those that are new as many again, writes to one table leave some to others, and reads as many as
 * nobody else waits for. The holder that has the fewest comes first, and of those the one that used
 * least lately. Logins and the like take a connection of the pool without asking.
 */
import { RecentUse } from '#core/base/holders/recent-use.ts';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { cancelStatement } from './cancel.ts';
import { poolName } from './client.ts';
import { HeldConnection } from './held-connection.ts';
import type { Connection, Connections, Pool } from './pool.ts';
import { probeBackends } from './probe.ts';
import { forgetRefusal, refuseWrite } from './refused-write.ts';

/** A statement that runs for longer (ms) is slow. */
export const SLOW_MS = 1_000;
/** While everything is slow, a read is slow that takes so many times what they take on average. */
const SLOW_FACTOR = 4;
/** The average is over about so many reads. */
const AVERAGED = 16;
/** How often (ms) it is looked after those that run. */
const TICK_MS = 100;
/** Reads get one connection more after so long a time (ms) in which nobody else waited. */
const CALM_MS = 1_000;
/** Pause (ms) between two looks for writes that wait for a lock. */
const LOOK_AGAIN_MS = 1_000;

/**
 * - `new`: nobody knows how long it takes;
 * - `read`: quick when it ran last;
 * - `long`: took longer than quick reads, and less than a second;
 * - `stream`: a read whose rows are fetched one after another, so that nobody else may end it;
 * - `slow`: a read that takes longer;
 * - `blocked`: a read that waits for a lock.
 */
export type ReadKind = 'new' | 'read' | 'long' | 'stream' | 'slow' | 'blocked';
type Kind = ReadKind | 'write';

interface Use {
  readonly kind: Kind;
  /** What is written to; null for reads. */
  readonly table: string | null;
  /** The user, or the address, for whom it is; null for the process itself. */
  readonly holder: string | null;
}

/** A connection that is taken, or is being taken. */
interface Holding extends Use {
  readonly since: number;
  /** Ends the statement in favour of others; null while there is none, and where nobody may. */
  end: (() => void) | null;
  client: Connection | null;
}

interface Waiter extends Use {
  readonly admit: (holding: Holding) => void;
}

export interface PoolSharesOptions {
  readonly pool: Pool;
  /** The server of the pool, where it is asked which backends wait for locks. */
  readonly url: string;
  readonly log: Log;
  /** DATABASE_POOL_WAIT, in milliseconds. */
  readonly wait: number;
  /** Milliseconds of a clock that never goes back; by default that of the process. */
  readonly now?: () => number;
}

export class PoolShares {
  readonly pool: Pool;
  readonly #options: PoolSharesOptions;
  readonly #now: () => number;
  readonly #size: number;
  readonly #half: number;
  /** Most writes to one table. */
  readonly #writesToOne: number;
  readonly #holdings = new Set<Holding>();
  readonly #waiters = new Set<Waiter>();
  readonly #abandoned = new Set<HeldConnection>();
  /** How many reads that take long may run at a time, and how many new ones. */
  maxLongReads: number;
  /** How many of them ran at a time. */
  #mostLongReads = 0;
  /** Connections that reads may have now. */
  #reads: number;
  /** How long reads take on average (ms). */
  #readTime = 0;
  /** When somebody else last waited for one of them. */
  #contended = Number.NEGATIVE_INFINITY;
  /** The holder that read last, and when one did that is another than the one before it. */
  #lastHolder: string | null = null;
  #alternated = Number.NEGATIVE_INFINITY;
  #looked = Number.NEGATIVE_INFINITY;
  /** For how long holders had connections lately (ms). */
  readonly #recent = new RecentUse();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: PoolSharesOptions) {
    this.#options = options;
    this.pool = options.pool;
    this.#now = options.now ?? (() => performance.now());
    this.#size = options.pool.options.max;
    this.#half = Math.max(1, Math.floor(this.#size / 2));
    this.#writesToOne = Math.max(1, this.#half, this.#size - 2);
    this.#reads = this.#size;
    this.maxLongReads = this.#size;
    const pool = poolName(options.pool.options);
    metrics.reading('sluice_database_waiting', () => [[{ pool }, this.#waiters.size]]);
  }

  /** How many reads that take long, or may do so, ran at a time since this was last asked. */
  takeMostLongReads(): number {
    const most = this.#mostLongReads;
    this.#mostLongReads = this.#longReads();
    return most;
  }

  /** The larger of both counts, because each has a bound of its own. */
  #longReads(): number {
    const long = this.#count(({ kind }) => kind === 'long' || kind === 'slow');
    return Math.max(long, this.#countNew());
  }

  #countNew(): number {
    return this.#count(({ kind }) => kind === 'new');
  }

  /** Backends that were asked to end their statement and still run it. */
  get unresponsive(): number {
    return this.#abandoned.size;
  }

  /**
   * Whether a read would have a connection at once.
   * @param spare connections that are to be left
   */
  hasRoom(spare = 0): boolean {
    if (this.#waiters.size > 0 || this.pool.waitingCount > 0) return false;
    const held = this.#holdings.size;
    return held + spare < this.#size && this.#count(({ kind }) => kind !== 'write') < this.#reads;
  }

  /** Whether a write to the table would have a connection at once. */
  hasRoomFor(table: string): boolean {
    return this.pool.waitingCount === 0 && this.#mayHold({ kind: 'write', table, holder: null });
  }

  /** Notes for whom something is read: while several holders read, each has a share. */
  noteHolder(holder: string | null): void {
    if (holder === null || holder === this.#lastHolder) return;
    if (this.#lastHolder !== null) this.#alternated = this.#now();
    this.#lastHolder = holder;
  }

  /**
   * Takes a connection for a read.
   * @param signal gives it up, with what runs on it, when it is aborted
   * @param holder for whom it is; null for the process itself
   * @throws {Error} when there is none within DATABASE_POOL_WAIT; the signal's reason when it is
   *   aborted by then
   */
  async take(
    kind: ReadKind,
    signal: AbortSignal | undefined,
    holder: string | null = null,
  ): Promise<HeldConnection> {
    const holding = await this.#admitted({ kind, table: null, holder }, signal);
    const client = await this.#connect(holding);
    if (signal?.aborted) {
      client.release();
      this.#leave(holding);
      throw signal.reason;
    }
    const held: HeldConnection = new HeldConnection(client, {
      signal,
      onOutgrow: () => this.#leave(holding),
      onAbandon: () => this.#abandoned.add(held),
      onEnd: () => {
        this.#abandoned.delete(held);
        this.#leave(holding);
      },
    });
    if (isShort(kind)) holding.end = held.cancel;
    return held;
  }

  /**
   * Connections for writes to a table.
   * @param holder as in {@link take}
   */
  writesTo(table: string, holder: string | null = null): Connections {
    return { connect: () => this.#connectToWrite(table, holder) };
  }

  async #connectToWrite(table: string, holder: string | null): Promise<Connection> {
    this.noteHolder(holder);
    const holding = await this.#admitted({ kind: 'write', table, holder }, undefined);
    const client = await this.#connect(holding);
    const release = client.release;
    let isEnded = false;
    holding.end = () => {
      isEnded = true;
      refuseWrite(client);
      void cancelStatement(client);
    };
    client.release = (broken) => {
      holding.end = null;
      forgetRefusal(client);
      release.call(client, isEnded || broken);
      this.#leave(holding);
    };
    return client;
  }

  async #connect(holding: Holding): Promise<Connection> {
    try {
      holding.client = await this.pool.connect();
      return holding.client;
    } catch (error) {
      this.#leave(holding);
      throw error;
    }
  }

  /** Waits until a connection may be taken. */
  async #admitted(use: Use, signal: AbortSignal | undefined): Promise<Holding> {
    signal?.throwIfAborted();
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    if (this.#mayHold(use) && !this.#isBehind(use)) return this.#hold(use);
    const { promise, resolve, reject } = Promise.withResolvers<Holding>();
    const waiter: Waiter = { ...use, admit: resolve };
    const fail = (reason: unknown) => {
      // Nobody may admit it after this.
      if (this.#waiters.delete(waiter)) reject(reason);
    };
    const leave = () => fail(signal?.reason);
    const late = () => fail(new Error('timeout exceeded when trying to connect'));
    const timer = setTimeout(late, this.#options.wait);
    signal?.addEventListener('abort', leave);
    this.#waiters.add(waiter);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  }

  #hold({ kind, table, holder }: Use): Holding {
    const holding = { kind, table, holder, since: this.#now(), end: null, client: null };
    this.#holdings.add(holding);
    if (kind !== 'read') this.#mostLongReads = Math.max(this.#mostLongReads, this.#longReads());
    return holding;
  }

  /** Whether somebody waits who comes before it. */
  #isBehind({ kind }: Use): boolean {
    for (const waiter of this.#waiters)
      if (waiter.kind === kind && this.#mayHold(waiter)) return true;
    return false;
  }

  #count(is: (holding: Holding) => boolean): number {
    let count = 0;
    for (const holding of this.#holdings) if (is(holding)) count += 1;
    return count;
  }

  #isSlow({ kind, since }: Holding, now: number): boolean {
    if (kind === 'slow' || kind === 'blocked') return true;
    const most = isShort(kind) ? Math.max(SLOW_MS, SLOW_FACTOR * this.#readTime) : SLOW_MS;
    return now - since > most;
  }

  #countSlow(): number {
    const now = this.#now();
    return this.#count((holding) => this.#isSlow(holding, now));
  }

  #mayHold({ kind, table, holder }: Use): boolean {
    if (this.#holdings.size >= this.#size) return false;
    if (holder !== null && !this.#isWithinShare(kind, holder, table)) return false;
    if (kind === 'write') {
      const writes = this.#count((holding) => holding.kind === 'write');
      return writes < Math.max(1, this.#size - 1) && this.#mayWriteTo(table);
    }
    if (this.#count((holding) => holding.kind !== 'write') >= this.#reads) return false;
    if (kind === 'read' || kind === 'stream') return true;
    if (kind === 'new') return this.#countNew() < this.maxLongReads;
    const slow = this.#countSlow();
    if (kind === 'long') {
      const now = this.#now();
      const long = this.#count((holding) => holding.kind === 'long' && !this.#isSlow(holding, now));
      return long < Math.max(1, this.maxLongReads - slow);
    }
    // One is left to those that only take long.
    const blocked = this.#count((holding) => holding.kind === 'blocked');
    if (kind === 'blocked' && blocked >= Math.max(1, this.#half - 1)) return false;
    if (slow >= this.#half) return false;
    // One is left to those that take long and are not slow.
    const running = this.#count((holding) => holding.kind === 'slow');
    return kind === 'blocked' || running < Math.max(1, this.maxLongReads - 1);
  }

  /**
   * A holder leaves a connection for slow reads to others. While there are others, it leaves them one of
   * those for writes to a table, too, and has one half of those for new and for long reads.
   */
  #isWithinShare(kind: Kind, holder: string, table: string | null): boolean {
    if (kind === 'read' || kind === 'stream') return true;
    const now = this.#now();
    const isOwn = (holding: Holding) => holding.holder === holder;
    if (kind === 'slow' || kind === 'blocked') {
      const slow = this.#count((holding) => isOwn(holding) && this.#isSlow(holding, now));
      return slow < Math.max(1, this.#half - 1);
    }
    if (now - this.#alternated > CALM_MS) return true;
    if (kind === 'write') {
      const writes = this.#count((holding) => isOwn(holding) && holding.table === table);
      return writes < Math.max(1, this.#writesToOne - 1);
    }
    const same = this.#count((holding) => isOwn(holding) && holding.kind === kind);
    return same < Math.max(1, Math.floor(this.maxLongReads / 2));
  }

  /** How many connections a holder has. */
  #heldBy(holder: string | null): number {
    return holder === null ? 0 : this.#count((holding) => holding.holder === holder);
  }

  /** Writes to one table leave two connections to others, and half of them while one is stuck. */
  #mayWriteTo(table: string | null): boolean {
    const same = this.#count((holding) => holding.table === table);
    if (same < this.#half) return true;
    if (same >= this.#writesToOne) return false;
    const now = this.#now();
    return this.#count((holding) => holding.table === table && this.#isSlow(holding, now)) === 0;
  }

  #leave(holding: Holding): void {
    if (!this.#holdings.delete(holding)) return;
    const now = this.#now();
    const time = now - holding.since;
    if (isShort(holding.kind)) this.#readTime += (time - this.#readTime) / AVERAGED;
    if (holding.holder !== null) this.#recent.add(holding.holder, time, now);
    this.#admitWaiters();
  }

  /** Writes are admitted before reads, and within each those of the holders with less before others. */
  #admitWaiters(): void {
    if (this.#waiters.size === 0) return;
    const waiters = [...this.#waiters];
    this.#admitThose(this.#inOrder(waiters.filter(({ kind }) => kind === 'write')));
    this.#admitThose(this.#inOrder(waiters.filter(({ kind }) => kind !== 'write')));
  }

  #inOrder(waiters: readonly Waiter[]): readonly Waiter[] {
    const holders = new Set(waiters.map(({ holder }) => holder));
    if (holders.size < 2) return waiters;
    const now = this.#now();
    const shares = new Map(
      [...holders].map((holder) => {
        const recent = holder === null ? 0 : this.#recent.of(holder, now);
        return [holder, { held: this.#heldBy(holder), recent }];
      }),
    );
    const shareOf = ({ holder }: Waiter) => shares.get(holder) ?? { held: 0, recent: 0 };
    // Among equals those who came first are first: sorting keeps their order.
    return waiters.toSorted((a, b) => {
      const [one, other] = [shareOf(a), shareOf(b)];
      return one.held - other.held || one.recent - other.recent;
    });
  }

  #admitThose(waiters: readonly Waiter[]): void {
    // Who wants the same as somebody who was not admitted is not admitted either.
    const refused = new Set<string>();
    for (const waiter of waiters) {
      if (this.#holdings.size >= this.#size) return;
      const wanted = `${waiter.table ?? waiter.kind} ${waiter.holder}`;
      if (refused.has(wanted)) continue;
      if (this.#mayHold(waiter)) {
        this.#waiters.delete(waiter);
        waiter.admit(this.#hold(waiter));
      } else refused.add(wanted);
    }
  }

  #tick(): void {
    if (this.#holdings.size + this.#waiters.size === 0 && this.#reads === this.#size) {
      if (this.#timer !== null) clearInterval(this.#timer);
      this.#timer = null;
      return;
    }
    const now = this.#now();
    const others = this.#othersWait();
    if (others) {
      this.#contended = now;
      this.#reads = Math.max(this.#half, this.#reads - 1);
    } else if (now - this.#contended > CALM_MS && this.#reads < this.#size) {
      this.#contended = now;
      this.#reads += 1;
    }
    if (others || [...this.#waiters].some(({ kind }) => isShort(kind))) this.#makeRoom();
    this.#admitWaiters();
  }

  /** Whether somebody waits who is no reader, and for more than the table's own turn. */
  #othersWait(): boolean {
    if (this.pool.waitingCount > 0) return true;
    for (const { kind, table } of this.#waiters) {
      if (kind === 'write' && this.#mayWriteTo(table)) return true;
    }
    return false;
  }

  /** Ends the latest of the slow ones, where those have more than half of the connections. */
  #makeRoom(): void {
    const now = this.#now();
    const slow = [...this.#holdings].filter((holding) => this.#isSlow(holding, now));
    const tooMany = slow.length - this.#half;
    if (tooMany <= 0) return;
    const reads = slow.filter(({ kind, end }) => isShort(kind) && end !== null);
    const ended = reads.slice(-tooMany);
    for (const holding of ended) {
      holding.end?.();
      holding.end = null;
    }
    if (ended.length < tooMany) void this.#refuseWrites(slow, tooMany - ended.length);
  }

  /** A write is refused only when it waits for a lock: one that works is left to finish. */
  async #refuseWrites(slow: readonly Holding[], count: number): Promise<void> {
    const now = this.#now();
    if (now - this.#looked < LOOK_AGAIN_MS) return;
    this.#looked = now;
    const writes = slow.filter(({ kind, end }) => kind === 'write' && end !== null);
    const pids = writes.map(({ client }) => processOf(client)).filter((pid) => pid !== null);
    const probe = await probeBackends(this.#options, pids);
    if (probe.kind !== 'activities') return;
    const isWaiting = ({ client }: Holding) =>
      probe.activities.get(processOf(client) ?? 0)?.waitType === 'Lock';
    for (const holding of writes.filter(isWaiting).slice(-count)) holding.end?.();
  }
}

/** Whether it is a read that should be done within a second. */
function isShort(kind: Kind): boolean {
  return kind === 'new' || kind === 'read' || kind === 'long';
}

/** The backend of a connection; the driver's declarations lack it. */
function processOf(client: Connection | null): number | null {
  if (client === null || !('processID' in client)) return null;
  return typeof client.processID === 'number' ? client.processID : null;
}
