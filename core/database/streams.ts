/**
 * Reads long answers at the speed of their clients, without exhausting the shared connections. An
 * answer begins on a pool connection, like a page. If it ends within a mebibyte, it is a page: it
 * is read at once and the connection is returned. A longer answer becomes a stream, whose number is
 * limited. The pool may open one more connection per stream, so the stream owns the current one. An
 * answer that must wait for a stream permit releases its connection, and restarts later.
 */
import pg from 'pg';
import type { FairSemaphore, Release } from '#core/base/holders/fair-semaphore.ts';
import { isStatementError, type Pool } from './pool.ts';
import { Portal, type PortalOptions } from './portal.ts';
import type { Statement } from './sql.ts';
import { SQLSTATE } from './sqlstate.ts';
import { type StreamLimits, streamSemaphore } from './stream-semaphore.ts';

/** The maximum length of a page in characters. */
const PAGE_LENGTH = 1_048_576;
/** A page that takes longer (ms) becomes a stream if a permit is free. */
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
   * Runs a statement that yields one text per row and passes the rows on as they arrive. Leaving
   * the loop early ends the statement. Each fetch may take as long as a statement; the reader may
   * take any time.
   * @param holder the holder of the stream, for quotas
   * @param pageLength the maximum length of a page in characters
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
    // A reader that disconnects may never continue the loop, so the signal alone releases the
    // permit.
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

  /**
   * The rows of a page: all of them, or the first ones with a permit to continue, if one is free.
   */
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

/** Whether it waited for a lock of another transaction. */
function isBlocked(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === SQLSTATE.lockNotAvailable;
}

/** Changes the maximum size of a pool by one. */
function grow(pool: Pool, change: 1 | -1): void {
  pool.options.max += change;
  if (change < 0 || pool.waitingCount === 0) return;
  // The pool serves waiting callers only when a connection is returned.
  pool.connect().then(
    (client) => client.release(),
    () => undefined,
  );
}
