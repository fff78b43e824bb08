/**
 * Runs the statements of reads. One that is quick goes down a pipelined connection. One that is new or
 * takes longer has a connection to itself, so that it never holds up the quick ones behind it: one of
 * the pool or, where that is full and nobody reads quickly, an idle pipelined one.
 */
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { Log } from '#core/base/log/log.ts';
import { LongReadLimiter } from './long-read-limiter.ts';
import { PendingRead } from './pending-read.ts';
import { type BorrowedConnection, PipelinePool } from './pipeline-pool.ts';
import { CUT_MS, LOCK_MS, type Moved, type PipelinedConnection } from './pipelined-connection.ts';
import { isStatementError } from './pool.ts';
import { type PoolShares, type ReadKind, SLOW_MS } from './pool-shares.ts';
import { hasLongValue, valueTogether } from './prepared.ts';
import type { Statement } from './sql.ts';
import { SQLSTATE } from './sqlstate.ts';
import type { StreamLimits } from './stream-semaphore.ts';
import { Streams } from './streams.ts';
import type { ValueBytes } from './value-bytes.ts';

/** Statements whose times are remembered in one process. */
const MAX_SHAPES = 1_000;
/** A read that takes PostgreSQL longer (ms), or so many times what quick ones take, is long. */
const QUICK_MS = 20;
const QUICK_FACTOR = 4;
const SHORTEST_MS = 0.01;
/** A busy server and process keep a single read waiting for so many times as long as one on average. */
const DELAYS = 4;
/** A new read is believed to take at least this part of the time that it took. */
const MOST_DELAYED = 20;
/** Reads on a pipelined connection that take so long together (ms) are worth another connection. */
const BUSY_MS = 2;
/** Connections of the pool that are left free where a quick read could as well wait. */
const SPARE = 1;
/**
 * Times on pipelined connections are averages over about so many: on a busy machine a single long one
 * would send what is quick as a rule to the pool, where more run at once, and longer for it.
 */
const AVERAGED = 8;
/** How often (ms) it is looked for reads whose time is over, and how late an answer may be for it. */
const TICK_MS = 100;
const GRACE_MS = 400;

/** Lasts for the implicit transaction of the statement that follows. */
const LIMIT_LOCKS: Statement = {
  text: `SELECT set_config('lock_timeout', '${LOCK_MS}', true)`,
  values: [],
};

interface Shape {
  /** Under which connections keep it prepared; empty: they do not. */
  readonly name: string;
  /** How long it takes PostgreSQL now (ms). */
  time: number;
  /** How long it takes PostgreSQL when that is not busy (ms): one in five takes less. 0: unknown. */
  usual: number;
  /** What it was when it ran last. */
  kind: Exclude<ReadKind, 'new' | 'stream'>;
}

/** How it runs on the pool. */
type PoolKind = Exclude<ReadKind, 'stream'>;

export interface ReaderOptions {
  readonly url: string;
  readonly name: string;
  readonly log: Log;
  readonly shares: PoolShares;
  /** Pipelined connections; 0 sends everything to the pool. */
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
  /** In the order in which they were asked. */
  readonly #pending = new Set<PendingRead>();
  readonly #longReads: LongReadLimiter;
  /** How long quick reads take (ms): about one in twenty takes less. */
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
    this.#longReads = new LongReadLimiter(options.shares.maxLongReads);
  }

  /** Backends that were asked to end their statement and still run it. */
  get unresponsive(): number {
    return this.#pipelines.unresponsive + this.#options.shares.unresponsive;
  }

  /** Opens the pipelined connections; those that fail are tried again in the background. */
  async open(): Promise<void> {
    this.#timer = setInterval(() => {
      this.#expire();
      void this.#boundLongReads();
    }, TICK_MS).unref();
    await this.#pipelines.open();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#pipelines.close();
  }

  /**
   * Runs a statement that yields one text. It is answered within a second of QUERY_TIMEOUT, whether
   * the server heeds that or not.
   * @param signal cancels the statement when it is aborted
   * @param holder for whom it is read, in shares and turns; null for the process itself
   * @returns the first column of the first row, as it arrived; null when there is no row
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

  /** Runs a statement that yields one text a row, as {@link Streams.read} does. */
  stream(
    statement: Statement,
    holder: string,
    signal?: AbortSignal,
    pageLength?: number,
  ): AsyncGenerator<string[]> {
    return this.#streams.read(statement, holder, signal, pageLength);
  }

  /** A pipelined connection for a write, as {@link PipelinePool.borrow} gives it. */
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
        this.#longReads.noteLongRead(shape.usual);
        if (outcome.time > SLOW_MS) shape.kind = 'slow';
      } else this.#longReads.noteQuickRead(shape.usual);
      return outcome.value;
    }
    learn(shape, outcome.reason);
    return await this.#onPool(shape, statement, pending);
  }

  /** With long values it is another shape: it takes longer, and has no plan that serves short ones. */
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

  /** The pipelined connection on which it should run; null for the pool. */
  #pipelineFor(kind: PoolKind, shape: Shape): PipelinedConnection | null {
    if (kind === 'long') return this.#pipelineForLong();
    if (kind !== 'read') return null;
    const connection = this.#pipelines.forQuick();
    const isBusy = connection !== null && connection.load > BUSY_MS && shape.time > BUSY_MS;
    return isBusy && this.#options.shares.hasRoom(SPARE) ? null : connection;
  }

  #pipelineForLong(): PipelinedConnection | null {
    if (this.#longReads.protects || this.#options.shares.hasRoom()) return null;
    return this.#pipelines.forLong();
  }

  /** What it is by its usual time on a server that is not busy: those of quick reads are compared. */
  #kindOf({ kind, usual }: Shape): PoolKind {
    if (kind !== 'read') return kind;
    if (usual === 0) return 'new';
    const isQuick = usual <= Math.max(BUSY_MS, QUICK_FACTOR * this.#quickTime);
    return isQuick && usual <= QUICK_MS ? 'read' : 'long';
  }

  #noteTime(shape: Shape, time: number): void {
    const { usual } = shape;
    // What keeps all reads waiting makes none of them a long one.
    const { delay } = this.#longReads;
    const isDelayed = time > usual && time - DELAYS * delay <= usual;
    if (usual === 0) shape.usual = Math.max(time / MOST_DELAYED, time - delay);
    else if (!isDelayed) shape.usual = follow(usual, time, USUAL);
    this.#quickTime = follow(this.#quickTime, shape.usual, QUICK);
  }

  /** The time that counts is PostgreSQL's own: waiting for a connection is nobody's fault. */
  async #onPool(
    shape: Shape,
    statement: Statement,
    pending: PendingRead,
  ): Promise<ValueBytes | null> {
    const answer = await this.#tryOnPool(this.#kindOf(shape), shape, statement, pending);
    if (answer !== MOVED) return answer;
    const again = await this.#tryOnPool(shape.kind, shape, statement, pending);
    if (again === MOVED) throw new Error('a slow read was asked a third time');
    return again;
  }

  /** @returns MOVED when a read has turned out to be a slow one */
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
      if (isLong) this.#longReads.noteLongRead(shape.usual);
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

  /** Adapts how many long reads run at a time to how long quick ones have to wait. */
  async #boundLongReads(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const { shares } = this.#options;
    const probe = this.#longReads.needsProbe ? await this.#pipelines.probe() : null;
    this.#longReads.adapt(probe, shares.takeMostLongReads());
    shares.maxLongReads = this.#longReads.value;
    this.#isProbing = false;
  }

  /** Answers those whose time is over: the server may not have heeded it. */
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

/** A read that is to be asked again as a slow one. */
const MOVED = Symbol('moved');

/** Steps that follow a time below which one of five, and of twenty, stays. */
const USUAL = { down: 0.8, up: 1.057 };
const QUICK = { down: 0.9, up: 1.0055 };

function follow(value: number, time: number, { down, up }: typeof USUAL): number {
  return Math.max(SHORTEST_MS, value * (time < value ? down : up));
}

/** Notes why a read was asked again on the pool. */
function learn(shape: Shape, reason: Moved): void {
  if (reason === 'lock') shape.kind = 'blocked';
  if (reason === 'slow') shape.usual = CUT_MS;
}
