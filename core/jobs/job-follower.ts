/**
 * Reports the status of a job to waiting clients. Messages make that fast; one statement per second
 * for all followed jobs makes it reliable.
 */
import { LRUCache } from 'lru-cache';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { MessageBus, Messages } from '#core/messaging/bus.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { type Job, jobColumns } from './job.ts';

const LOOK_EVERY_MS = 1_000;
const KNOWN_PROGRESS = { max: 1_000, ttl: 600_000 };

type Listener = (job: Job) => void;

type HeardProgress = Messages['job.progress'] & {
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
};

export class JobFollower {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #log: Log;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #progress = new LRUCache<string, HeardProgress>(KNOWN_PROGRESS);
  readonly #unsubscribe: readonly (() => void)[];
  #timer: NodeJS.Timeout | null = null;

  constructor(pool: Pool, schema: string, bus: MessageBus, log: Log) {
    this.#pool = pool;
    this.#schema = schema;
    this.#log = log;
    this.#unsubscribe = [
      bus.subscribe('job.finished', ({ id }) => {
        if (this.#listeners.has(id)) this.#look([id]);
      }),
      bus.subscribe('job.progress', (message) => {
        this.#progress.set(message.id, { ...message, at: performance.now() });
        if (this.#listeners.has(message.id)) this.#look([message.id]);
      }),
    ];
  }

  /**
   * Calls `listener` with the job immediately and after each change, until the returned function is
   * called.
   */
  follow(id: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(id) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(id, listeners);
    this.#timer ??= setInterval(() => this.#look([...this.#listeners.keys()]), LOOK_EVERY_MS);
    this.#look([id]);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(id);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  /** The job with the last progress of its attempt. */
  withProgress<J extends Job>(job: J): J {
    // The last progress was reported before the end; a completed job has full progress.
    if (job.state === 'completed' && job.progress !== null) {
      return { ...job, progress: { ...job.progress, percent: 100 } };
    }
    if (job.state !== 'running') return job;
    const known = this.#progress.get(job.id);
    const { attempt = job.attempts } = known ?? {};
    return { ...job, progress: (attempt === job.attempts && known?.progress) || job.progress };
  }

  /** Milliseconds since this process received progress of an attempt; null when it never did. */
  heard({ id, attempts }: Pick<Job, 'id' | 'attempts'>): number | null {
    const known = this.#progress.get(id);
    return known === undefined || known.attempt !== attempts ? null : performance.now() - known.at;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#listeners.clear();
    this.#rest();
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(ids: readonly string[]): void {
    const statement =
      render(sql`SELECT ${jobColumns(this.#schema)} FROM ${systemTable(this.#schema, 'jobs')}
      WHERE id = ANY(${ids}::uuid[])`);
    this.#pool.query<Job>(statement).then(
      ({ rows }) => {
        for (const job of rows) {
          for (const listener of this.#listeners.get(job.id) ?? []) {
            listener(this.withProgress(job));
          }
        }
      },
      // The next check follows in a second.
      (error) => this.#log.warn({ err: error }, 'could not read the state of jobs'),
    );
  }
}
