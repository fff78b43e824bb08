/**
 * Suspends all response caches when a writer cannot report the new versions of its tables. It
 * raises a counter in the database that each process reads once a second and that makes it cache
 * nothing for a while. It then waits until each process has read it, or no longer trusts its cache
 * because it cannot read it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { coalesceCalls } from '#core/model/catalog/coalesce-calls.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/**
 * Milliseconds since the counter was raised. `notice`: until each process has seen it, or has
 * failed to read it for two seconds. `renew`: until the next writer raises it again. `hold`:
 * nothing is cached anywhere.
 */
export const SUSPENSION_MS = { notice: 2_500, renew: 3_000, hold: 10_000 } as const;

export class CacheSuspension {
  readonly #pool: Pool;
  readonly #schema: string;
  /** When the current suspension took effect, and when it was last extended. */
  #first = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /**
   * Resolves when no process serves an answer that was cached before this call. The first call
   * takes some seconds; calls soon after it return at once.
   * @throws ServiceError SERVICE_UNAVAILABLE when the database is not available
   */
  async cover(): Promise<void> {
    const age = performance.now() - this.#last;
    if (age > SUSPENSION_MS.renew) await this.#raise();
    const left = this.#first + SUSPENSION_MS.notice - performance.now();
    if (left > 0) await delay(left);
  }

  readonly #raise = coalesceCalls(async (): Promise<void> => {
    if (performance.now() - this.#last <= SUSPENSION_MS.renew) return;
    const state = systemTable(this.#schema, 'state');
    try {
      await this.#pool.query(
        render(sql`INSERT INTO ${state} AS s (name, version) VALUES ('cache', 1)
          ON CONFLICT (name) DO UPDATE SET version = s.version + 1`),
      );
    } catch (error) {
      throw unavailable('database', reason('cache_clearing_unconfirmed'), { cause: error });
    }
    const now = performance.now();
    // Every process read it before this call, and cached nothing since then.
    if (now - this.#last >= SUSPENSION_MS.hold / 2) this.#first = now;
    this.#last = now;
  });
}
