/**
 * Reads long answers, as fast as their clients do. They must not take the connections that all
 * others share, however many there are and however slowly they are read. So an answer begins on a
 * connection of the pool, as a page does, and what ends within a mebibyte is one: it is read at once
 * and the connection given back. When there is more it becomes a stream, of which there are only so
 * many. The pool may open another connection for each stream: the one that it has is its own then.
 * Who has to wait for a stream waits without any, and begins again on the connection of that stream.
 */
import pg from 'pg';
import type { FairSemaphore, Release } from '#core/base/holders/fair-semaphore.ts';
import { isStatementError, type Pool } from './pool.ts';
import { Portal, type PortalOptions } from './portal.ts';
import type { Statement } from './sql.ts';
import { SQLSTATE } from './sqlstate.ts';
import { type StreamLimits, streamSemaphore } from './stream-semaphore.ts';

/** Characters up to which an answer is a page. */
const PAGE_LENGTH = 1_048_576;
/** A page that takes longer (ms) becomes a stream when there is room for one. */
const PAGE_MS = 1_000;

export interface StreamsOptions extends PortalOptions {
  readonly limits: StreamLimits;
}

export class Streams {
  readonly #options: StreamsOptions;
  readonly #permits: FairSemaphore;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#permits = streamSemaphore(options.limits, (change) => grow(options.shares.pool, change));
  }

  /**
   * Runs a statement that yields one text a row and hands the rows on as they come. Leaving the loop
   * early ends the statement. Each fetch may take as long as a statement; the reader may take any time.
   * @param holder whose stream it is, as quotas count
   * @param pageLength characters up to which an answer is a page
   * @throws ServiceError REQUESTS_EXCEEDED, SERVICE_UNAVAILABLE
   */
  async *read(
    statement: Statement,
    holder: string,
    signal?: AbortSignal,
    pageLength = PAGE_LENGTH,
  ): AsyncGenerator<string[]> {
    let portal = await this.#open(statement, signal);
    let permit: Release | null = null;
    // Whoever goes away may never ask again, so that this alone ends all.
    const release = () => {
      permit?.();
      permit = null;
    };
    signal?.addEventListener('abort', release);
    let open = true;
    let ended = false;
    try {
      const first = await this.#first(portal, holder, pageLength).catch(async (error: unknown) => {
        if (!isBlocked(error) || signal?.aborted) throw error;
        open = false;
        await portal.close(true);
        const opening = { statement, kind: 'blocked', waitsForLocks: true } as const;
        portal = await Portal.open(this.#options, opening, signal);
        open = true;
        return await this.#first(portal, holder, pageLength);
      });
      ({ permit } = first);
      ended = first.ended;
      if (ended) {
        open = false;
        await portal.close(true);
      } else if (permit === null) {
        open = false;
        await portal.leave();
        permit = await this.#permits.acquire(holder, signal);
        const opening = { statement, kind: 'stream', waitsForLocks: true } as const;
        portal = await Portal.open(this.#options, opening, signal);
        open = true;
        first.batches.length = 0;
      }
      if (permit !== null) portal.outgrow();
      for (let batch = first.batches.shift(); batch; batch = first.batches.shift()) yield batch;
      while (!ended) {
        const texts = await portal.fetch();
        ended = texts.length === 0;
        if (!ended) yield texts;
      }
    } catch (error) {
      ended = isStatementError(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', release);
      release();
      if (open) await portal.close(ended);
    }
  }

  #open(statement: Statement, signal: AbortSignal | undefined): Promise<Portal> {
    const opening = { statement, kind: 'stream', waitsForLocks: false } as const;
    return Portal.open(this.#options, opening, signal);
  }

  /** What may be a page: all rows, or the first ones with the leave to go on, if there is one. */
  async #first(portal: Portal, holder: string, pageLength: number) {
    const { statementTimeout } = this.#options;
    const batches: string[][] = [];
    const started = performance.now();
    let length = 0;
    for (;;) {
      const texts = await portal.fetch();
      if (texts.length === 0) return { batches, permit: null, ended: true };
      batches.push(texts);
      for (const text of texts) length += text.length;
      const time = performance.now() - started;
      const long = length > pageLength || (statementTimeout > 0 && time > statementTimeout);
      if (!long && time <= PAGE_MS) continue;
      const permit = this.#permits.tryAcquire(holder);
      if (permit !== null || long) return { batches, permit, ended: false };
    }
  }
}

/** It waited for a lock that somebody else holds. */
function isBlocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === SQLSTATE.lockNotAvailable;
}

/** Lets a pool have one connection more or less. */
function grow(pool: Pool, change: 1 | -1): void {
  pool.options.max += change;
  if (change < 0 || pool.waitingCount === 0) return;
  // Those who wait are not told of the room; they are when a connection comes back.
  pool.connect().then(
    (client) => client.release(),
    () => undefined,
  );
}
