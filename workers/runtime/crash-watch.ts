/**
 * Detects crashes of PostgreSQL, and which session caused them. When a backend crashes, the server
 * ends all other sessions and sends each of them a notice. The crashed session ends without a
 * notice.
 */
import type { Pool } from '#core/database/pool.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';

export class CrashWatch {
  /** Connections that received a notice before they ended. */
  readonly #told = new WeakSet<object>();
  /** When a connection last received a notice of a crash, by `performance.now()`. */
  #last = Number.NEGATIVE_INFINITY;

  /** Observes the connections of a pool. */
  follow(pool: Pick<Pool, 'on'>): void {
    pool.on('connect', (client) => {
      client.on('notice', ({ code }) => {
        if (code !== undefined) this.hear(client, code);
      });
    });
  }

  /** Processes a notice that the server sent to a connection. */
  hear(client: object, code: string): void {
    if (!code.startsWith('57P0')) return;
    this.#told.add(client);
    if (code === SQLSTATE.crashShutdown) this.#last = performance.now();
  }

  /**
   * Whether the session of a lost connection seems to have crashed the server.
   * @param since when its work began, by `performance.now()`
   */
  isCause(client: object, since: number): boolean {
    return this.#last >= since && !this.#told.has(client);
  }
}
