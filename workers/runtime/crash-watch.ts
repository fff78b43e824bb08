/**
 * Notices crashes of PostgreSQL, and whose session was their cause. When a backend crashes the server ends
 * all others, and tells each of them why; the one that crashed ends without a word.
 */
import type { Pool } from '#core/database/pool.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';

export class CrashWatch {
  /** Connections that were told why they end. */
  readonly #told = new WeakSet<object>();
  /** When a connection was last told of a crash, by `performance.now()`. */
  #last = Number.NEGATIVE_INFINITY;

  /** Follows the connections of a pool. */
  follow(pool: Pick<Pool, 'on'>): void {
    pool.on('connect', (client) => {
      client.on('notice', ({ code }) => {
        if (code !== undefined) this.hear(client, code);
      });
    });
  }

  /** A connection was told something by the server. */
  hear(client: object, code: string): void {
    if (!code.startsWith('57P0')) return;
    this.#told.add(client);
    if (code === SQLSTATE.crashShutdown) this.#last = performance.now();
  }

  /**
   * Whether the session of a connection that was lost seems to have crashed the server.
   * @param since when its work began, by `performance.now()`
   */
  isCause(client: object, since: number): boolean {
    return this.#last >= since && !this.#told.has(client);
  }
}
