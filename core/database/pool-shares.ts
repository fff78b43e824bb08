/**
 * Divides the connections of a pool, so that no kind of work blocks all other work. Slow or blocked
 * reads get at most half of them. While there are quick reads, long ones get a third, and new ones
 * another third. Writes to one table leave some connections to other work. Reads leave the
 * connections that other work waits for. The holder with the fewest connections is next; among
 * equals, the one with the least recent use. Logins and similar work use the pool directly.
 *
 * No `FairSemaphore`: what a work may take depends on its kind, on its table, and on the age of the
 * works that run.
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
/** While everything is slow, a read counts as slow above this multiple of the average. */
const SLOW_FACTOR = 4;
/** The average is over about this number of reads. */
const AVERAGED = 16;
/** How often (ms) running statements are checked. */
const TICK_MS = 100;
/** Reads get one connection more after this time (ms) without other waiting work. */
const CALM_MS = 1_000;
/** Pause (ms) between two searches for writes that wait for a lock. */
const LOOK_AGAIN_MS = 1_000;

/**
 * - `new`: its duration is unknown;
 * - `read`: quick in its last run;
 * - `long`: took longer than quick reads, and less than a second;
 * - `stream`: a read whose rows are fetched in batches, and that must not be cancelled;
 * - `slow`: a read that takes longer;
 * - `blocked`: a read that waits for a lock.
 */
export type ReadKind = 'new' | 'read' | 'long' | 'stream' | 'slow' | 'blocked';
type Kind = ReadKind | 'write';

interface Use {
  readonly kind: Kind;
  /** The written table; null for reads. */
  readonly table: string | null;
  /** The user, or the address, that it runs for; null for the process itself. */
  readonly holder: string | null;
}

/** A connection that is in use, or is being acquired. */
interface Holding extends Use {
  readonly since: number;
  /**
   * Cancels the statement in favour of other work; null before it starts, and if it must not be
   * cancelled.
   */
  end: (() => void) | null;
  client: Connection | null;
}

interface Waiter extends Use {
  readonly admit: (holding: Holding) => void;
}

export interface PoolSharesOptions {
  readonly pool: Pool;
  /** The server of the pool, for finding backends that wait for locks. */
  readonly url: string;
  readonly log: Log;
  /** DATABASE_POOL_WAIT, in milliseconds. */
  readonly wait: number;
  /** A monotonic clock in milliseconds; by default that of the process. */
  readonly now?: () => number;
}

export class PoolShares {
  readonly pool: Pool;
  readonly #options: PoolSharesOptions;
  readonly #now: () => number;
  readonly #size: number;
  readonly #half: number;
  readonly #third: number;
  /** The maximum number of writes to one table. */
  readonly #writesToOne: number;
  readonly #holdings = new Set<Holding>();
  readonly #waiters = new Set<Waiter>();
  readonly #abandoned = new Set<HeldConnection>();
  /** Whether long reads get at most a third of the connections, and new ones as many. */
  limitsLongReads = false;
  /** The current maximum number of connections for reads. */
  #reads: number;
  /** The average time of reads (ms). */
  #readTime = 0;
  /** When other work last waited for one of them. */
  #contended = Number.NEGATIVE_INFINITY;
  /** The holder of the last read, and when the holder last changed. */
  #lastHolder: string | null = null;
  #alternated = Number.NEGATIVE_INFINITY;
  #looked = Number.NEGATIVE_INFINITY;
  /** How long (ms) holders had connections recently. */
  readonly #recent = new RecentUse();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: PoolSharesOptions) {
    this.#options = options;
    this.pool = options.pool;
    this.#now = options.now ?? (() => performance.now());
    this.#size = options.pool.options.max;
    this.#half = Math.max(1, Math.floor(this.#size / 2));
    this.#third = Math.max(1, Math.floor(this.#size / 3));
    this.#writesToOne = Math.max(1, this.#half, this.#size - 2);
    this.#reads = this.#size;
    const pool = poolName(options.pool.options);
    metrics.reading('sluice_database_waiting', () => [[{ pool }, this.#waiters.size]]);
  }

  /** The maximum number of simultaneous long reads, and also of new reads. */
  get #maxLongReads(): number {
    return this.limitsLongReads ? this.#third : this.#size;
  }

  #countNew(): number {
    return this.#count(({ kind }) => kind === 'new');
  }

  /** The number of backends that still run their statement after its cancellation. */
  get unresponsive(): number {
    return this.#abandoned.size;
  }

  /**
   * Whether a read would get a connection at once.
   * @param spare connections that must stay free
   */
  hasRoom(spare = 0): boolean {
    if (this.#waiters.size > 0 || this.pool.waitingCount > 0) return false;
    const held = this.#holdings.size;
    return held + spare < this.#size && this.#count(({ kind }) => kind !== 'write') < this.#reads;
  }

  /** Whether a write to the table would get a connection at once. */
  hasRoomFor(table: string): boolean {
    return this.pool.waitingCount === 0 && this.#mayHold({ kind: 'write', table, holder: null });
  }

  /** Records the holder of a read: while several holders read, each has a share. */
  noteHolder(holder: string | null): void {
    if (holder === null || holder === this.#lastHolder) return;
    if (this.#lastHolder !== null) this.#alternated = this.#now();
    this.#lastHolder = holder;
  }

  /**
   * Takes a connection for a read.
   * @param signal releases it, with its running statement, when it is aborted
   * @param holder the holder of the read; null for the process itself
   * @throws {Error} when no connection is free within DATABASE_POOL_WAIT; the signal's reason when
   * it is aborted by then
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
      // After this the waiter cannot be admitted.
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
    return holding;
  }

  /** Whether an earlier waiter is ahead of it. */
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
    if (kind === 'new') return this.#countNew() < this.#maxLongReads;
    const slow = this.#countSlow();
    if (kind === 'long') {
      const now = this.#now();
      const long = this.#count((holding) => holding.kind === 'long' && !this.#isSlow(holding, now));
      return long < Math.max(1, this.#maxLongReads - slow);
    }
    // One connection is reserved for reads that only take long.
    const blocked = this.#count((holding) => holding.kind === 'blocked');
    if (kind === 'blocked' && blocked >= Math.max(1, this.#half - 1)) return false;
    if (slow >= this.#half) return false;
    // One connection is reserved for long reads that are not slow.
    const running = this.#count((holding) => holding.kind === 'slow');
    return kind === 'blocked' || running < Math.max(1, this.#maxLongReads - 1);
  }

  /**
   * A holder leaves one connection for slow reads to other holders. While there are other holders,
   * it also leaves them one connection for writes to a table. It gets at most half of the
   * connections for new and for long reads then.
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
    return same < Math.max(1, Math.floor(this.#maxLongReads / 2));
  }

  /** The number of connections of a holder. */
  #heldBy(holder: string | null): number {
    return holder === null ? 0 : this.#count((holding) => holding.holder === holder);
  }

  /**
   * Writes to one table leave two connections to other work, and half of them while one is stuck.
   */
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

  /** Admits writes before reads, and within each the holders with the fewest connections first. */
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
    // Equal waiters stay in their order of arrival: sorting is stable.
    return waiters.toSorted((a, b) => {
      const [one, other] = [shareOf(a), shareOf(b)];
      return one.held - other.held || one.recent - other.recent;
    });
  }

  #admitThose(waiters: readonly Waiter[]): void {
    // After a waiter was not admitted, equal waiters are not admitted either.
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

  /** Whether work other than reads waits, and not only for the table's own limit. */
  #othersWait(): boolean {
    if (this.pool.waitingCount > 0) return true;
    for (const { kind, table } of this.#waiters) {
      if (kind === 'write' && this.#mayWriteTo(table)) return true;
    }
    return false;
  }

  /** Cancels the most recent slow statements, if they have more than half of the connections. */
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

  /** A write is cancelled only when it waits for a lock: a working one may finish. */
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

/** Whether it is a read that should take less than a second. */
function isShort(kind: Kind): boolean {
  return kind === 'new' || kind === 'read' || kind === 'long';
}

/** The process id of a connection's backend, which the driver's type declarations lack. */
function processOf(client: Connection | null): number | null {
  if (client === null || !('processID' in client)) return null;
  return typeof client.processID === 'number' ? client.processID : null;
}
