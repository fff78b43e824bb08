/**
 * Runs the statements of reads. A quick one uses a pipelined connection. A new or longer one has an
 * exclusive connection, so that it never delays quick ones behind it. It is one of the pool or, if
 * that is full and there are no quick reads, an idle pipelined one.
 */
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { PendingRead } from './pending-read.ts';
import { type BorrowedConnection, PipelinePool } from './pipeline-pool.ts';
import { CUT_MS, LOCK_MS, type Moved, type PipelinedConnection } from './pipelined-connection.ts';
import { isStatementError } from './pool.ts';
import { type PoolShares, type ReadKind, SLOW_MS } from './pool-shares.ts';
import { hasLongValue, valueTogether } from './prepared.ts';
import { ReadLoad } from './read-load.ts';
import type { Statement } from './sql.ts';
import { SQLSTATE } from './sqlstate.ts';
import type { StreamLimits } from './stream-semaphore.ts';
import { Streams } from './streams.ts';
import type { ValueBytes } from './value-bytes.ts';

/** The maximum number of statements whose times are remembered per process. */
const MAX_SHAPES = 1_000;
/** A read that takes PostgreSQL longer (ms), or exceeds quick reads by this factor, is long. */
const QUICK_MS = 20;
const QUICK_FACTOR = 4;
const SHORTEST_MS = 0.01;
/** A busy server and process may delay a single read by this multiple of the average delay. */
const DELAYS = 4;
/** A new read is assumed to take at least this fraction of its measured time. */
const MOST_DELAYED = 20;
/**
 * A total time (ms) of reads on a pipelined connection above which another connection is better.
 */
const BUSY_MS = 2;
/** Pool connections that stay free if a quick read can wait instead. */
const SPARE = 1;
/**
 * Times on pipelined connections are averages over about this number. On a busy machine a single
 * long run would otherwise move a quick read to the pool. There more reads run at once, and each
 * takes longer.
 */
const AVERAGED = 8;
/** How often (ms) expired reads are detected, and how much later their answer may arrive. */
const TICK_MS = 100;
const GRACE_MS = 400;

/** Applies to the implicit transaction of the following statement. */
const LIMIT_LOCKS: Statement = {
  text: `SELECT set_config('lock_timeout', '${LOCK_MS}', true)`,
  values: [],
};

interface Shape {
  /** The name for preparing it on connections; empty: it is not prepared. */
  readonly name: string;
  /** Its current time in PostgreSQL (ms). */
  time: number;
  /** Its time in PostgreSQL without load (ms): one run in five takes less. 0: unknown. */
  usual: number;
  /** Its kind in the last run. */
  kind: Exclude<ReadKind, 'new' | 'stream'>;
}

/** Its kind on the pool. */
type PoolKind = Exclude<ReadKind, 'stream'>;

export interface ReaderOptions {
  readonly url: string;
  readonly name: string;
  readonly log: Log;
  readonly shares: PoolShares;
  /** The number of pipelined connections; 0 sends everything to the pool. */
  readonly pipelined: number;
  /** Milliseconds; 0 for none. */
  readonly statementTimeout: number;
  readonly streams: StreamLimits;
  /** STREAM_MAX_TIME, in milliseconds. */
  readonly streamMaxTime: number;
}

export class Reader {
  readonly #options: ReaderOptions;
  readonly #shapes = new LRUCache<string, Shape>({ max: MAX_SHAPES });
  readonly #streams: Streams;
  readonly #pipelines: PipelinePool;
  /** In the order of arrival. */
  readonly #pending = new Set<PendingRead>();
  readonly #load = new ReadLoad();
  /** The time of quick reads (ms): about one in twenty takes less. */
  #quickTime = QUICK_MS;
  #isProbing = false;
  #counter = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#streams = new Streams({
      shares: options.shares,
      statementTimeout: options.statementTimeout,
      maxTime: options.streamMaxTime,
      limits: options.streams,
    });
    this.#pipelines = new PipelinePool({ ...options, size: options.pipelined });
  }

  /** The number of backends that still run their statement after its cancellation. */
  get unresponsive(): number {
    return this.#pipelines.unresponsive + this.#options.shares.unresponsive;
  }

  /** Opens the pipelined connections; those that fail are tried again in the background. */
  async open(): Promise<void> {
    this.#timer = setInterval(() => {
      this.#expire();
      void this.#look();
    }, TICK_MS).unref();
    await this.#pipelines.open();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pipelines.close();
  }

  /**
   * Runs a statement that yields one text. It resolves or rejects within a second after
   * QUERY_TIMEOUT, even if the server ignores the timeout.
   * @param signal cancels the statement when it is aborted
   * @param holder the holder of the read, for shares and fairness; null for the process itself
   * @returns the first column of the first row, as it arrived; null without a row
   */
  value(
    statement: Statement,
    signal?: AbortSignal,
    holder: string | null = null,
  ): Promise<ValueBytes | null> {
    this.#options.shares.noteHolder(holder);
    return new Promise((resolve, reject) => {
      const pending = new PendingRead(signal, reject, holder);
      this.#pending.add(pending);
      const end = () => {
        this.#pending.delete(pending);
        pending.end();
      };
      this.#answer(statement, pending).then(
        (value) => {
          end();
          resolve(value);
        },
        (error: unknown) => {
          end();
          reject(error);
        },
      );
    });
  }

  /** {@link value} as a text. */
  async text(
    statement: Statement,
    signal?: AbortSignal,
    holder: string | null = null,
  ): Promise<string | null> {
    const value = await this.value(statement, signal, holder);
    if (value === null) return null;
    const text = value.toString();
    value.release();
    return text;
  }

  /** Runs a statement that yields one text per row, as {@link Streams.read} does. */
  stream(
    statement: Statement,
    holder: string,
    signal?: AbortSignal,
    pageLength?: number,
  ): AsyncGenerator<string[]> {
    return this.#streams.read(statement, holder, signal, pageLength);
  }

  /** A pipelined connection for a write, as {@link PipelinePool.borrow} lends it. */
  borrow(waitsForLocks?: boolean): BorrowedConnection | null {
    return this.#pipelines.borrow(waitsForLocks);
  }

  async #answer(statement: Statement, pending: PendingRead): Promise<ValueBytes | null> {
    const shape = this.#shapeOf(statement);
    const kind = this.#kindOf(shape);
    const connection = this.#pipelineFor(kind, shape);
    if (connection === null) return await this.#onPool(shape, statement, pending);
    const prepared = { name: shape.name, statement, time: shape.time };
    const outcome = await this.#pipelines.run(connection, prepared, pending);
    if (outcome.kind === 'answered') {
      shape.time += (outcome.time - shape.time) / AVERAGED;
      this.#noteTime(shape, outcome.time);
      if (kind === 'long') {
        this.#load.noteLongRead(shape.usual);
        if (outcome.time > SLOW_MS) shape.kind = 'slow';
      } else this.#load.noteQuickRead(shape.usual);
      return outcome.value;
    }
    learn(shape, outcome.reason);
    return await this.#onPool(shape, statement, pending);
  }

  /** With long values it is another shape: it takes longer, and needs a different plan. */
  #shapeOf(statement: Statement): Shape {
    const isLong = hasLongValue(statement);
    const key = isLong ? `${statement.text}\n` : statement.text;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      this.#counter += 1;
      shape = { name: isLong ? '' : `q${this.#counter}`, time: 0, usual: 0, kind: 'read' };
      this.#shapes.set(key, shape);
    }
    return shape;
  }

  /** The pipelined connection to use; null for the pool. */
  #pipelineFor(kind: PoolKind, shape: Shape): PipelinedConnection | null {
    if (kind === 'long') return this.#pipelineForLong();
    if (kind !== 'read') return null;
    const connection = this.#pipelines.forQuick();
    const isBusy = connection !== null && connection.load > BUSY_MS && shape.time > BUSY_MS;
    return isBusy && this.#options.shares.hasRoom(SPARE) ? null : connection;
  }

  #pipelineForLong(): PipelinedConnection | null {
    if (this.#load.protects || this.#options.shares.hasRoom()) return null;
    return this.#pipelines.forLong();
  }

  /** Its kind by its usual time without load, compared with that of quick reads. */
  #kindOf({ kind, usual }: Shape): PoolKind {
    if (kind !== 'read') return kind;
    if (usual === 0) return 'new';
    const isQuick = usual <= Math.max(BUSY_MS, QUICK_FACTOR * this.#quickTime);
    return isQuick && usual <= QUICK_MS ? 'read' : 'long';
  }

  #noteTime(shape: Shape, time: number): void {
    const { usual } = shape;
    // A delay that affects all reads does not make a read long.
    const { delay } = this.#load;
    const isDelayed = time > usual && time - DELAYS * delay <= usual;
    if (usual === 0) shape.usual = Math.max(time / MOST_DELAYED, time - delay);
    else if (!isDelayed) shape.usual = follow(usual, time, USUAL);
    this.#quickTime = follow(this.#quickTime, shape.usual, QUICK);
  }

  /** Only PostgreSQL's own time counts, not the wait for a connection. */
  async #onPool(
    shape: Shape,
    statement: Statement,
    pending: PendingRead,
  ): Promise<ValueBytes | null> {
    const answer = await this.#tryOnPool(this.#kindOf(shape), shape, statement, pending);
    if (answer !== MOVED) return answer;
    const again = await this.#tryOnPool(shape.kind, shape, statement, pending);
    if (again === MOVED) throw new Error('a slow read was sent a third time');
    return again;
  }

  /** @returns MOVED when a read has turned out to be slow */
  async #tryOnPool(
    kind: PoolKind,
    shape: Shape,
    statement: Statement,
    pending: PendingRead,
  ): Promise<ValueBytes | null | typeof MOVED> {
    const held = await this.#options.shares.take(kind, pending.signal, pending.holder);
    const started = performance.now();
    const isShort = kind !== 'slow' && kind !== 'blocked';
    const statements = isShort ? [LIMIT_LOCKS, statement] : [statement];
    let good = true;
    try {
      const value = await held.run(valueTogether(held.client, statements));
      shape.time = performance.now() - started;
      this.#noteTime(shape, shape.time);
      const isLong = kind === 'long' || (kind === 'new' && this.#kindOf(shape) === 'long');
      if (isLong) this.#load.noteLongRead(shape.usual);
      shape.kind = shape.time > SLOW_MS ? 'slow' : 'read';
      return value;
    } catch (error) {
      good = isStatementError(error);
      shape.time = performance.now() - started;
      const code = error instanceof pg.DatabaseError ? error.code : undefined;
      const isMoved =
        code === SQLSTATE.lockNotAvailable || (code === SQLSTATE.queryCanceled && held.cancelled);
      if (code === SQLSTATE.lockNotAvailable) shape.kind = 'blocked';
      else if (isMoved || shape.time > SLOW_MS) shape.kind = 'slow';
      if (isMoved && isShort && !pending.isGone) return MOVED;
      throw error;
    } finally {
      held.giveBack(good);
    }
  }

  /** Limits long reads while there are quick ones, and measures the delay of all reads. */
  async #look(): Promise<void> {
    this.#options.shares.limitsLongReads = this.#load.protects;
    if (this.#isProbing || !this.#load.needsProbe) return;
    this.#isProbing = true;
    const time = await this.#pipelines.probe();
    if (time !== null) this.#load.noteProbe(time);
    this.#isProbing = false;
  }

  /** Rejects expired reads: the server may have ignored the timeout. */
  #expire(): void {
    const { statementTimeout } = this.#options;
    if (statementTimeout === 0) return;
    const oldest = performance.now() - statementTimeout - GRACE_MS;
    for (const pending of this.#pending) {
      if (pending.started > oldest) return;
      this.#pending.delete(pending);
      pending.expire(unavailable('database', reason('statement_too_slow')));
    }
  }
}

/** A read that must run again as a slow one. */
const MOVED = Symbol('moved');

/** Step factors that follow the time below which one in five, and one in twenty, runs stay. */
const USUAL = { down: 0.8, up: 1.057 };
const QUICK = { down: 0.9, up: 1.0055 };

function follow(value: number, time: number, { down, up }: typeof USUAL): number {
  return Math.max(SHORTEST_MS, value * (time < value ? down : up));
}

/** Records why a read ran again on the pool. */
function learn(shape: Shape, reason: Moved): void {
  if (reason === 'lock') shape.kind = 'blocked';
  if (reason === 'slow') shape.usual = CUT_MS;
}
