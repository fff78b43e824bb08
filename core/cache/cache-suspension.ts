/**
 * What a writer does that cannot tell the new versions of its tables: it raises a counter in the
 * database that every process looks at once a second, and which makes them keep nothing for a
 * while. It waits until each of them has seen that, or does not trust its cache for want of a look.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { coalesce } from '#core/catalog/coalesce-calls.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { unavailable } from '#core/errors/service-error.ts';
import { systemTable } from '#core/system/table.ts';

/**
 * Milliseconds, from raising on: `notice` until every process has seen it or looked in vain for
 * two seconds, `renew` until a next writer raises again, `hold` for which nothing is kept anywhere.
 */
export const SUSPENSION_MS = { notice: 2_500, renew: 3_000, hold: 10_000 } as const;

export class Suspension {
  readonly #pool: Pool;
  readonly #schema: string;
  /** When the present one began to be seen, and when it was last prolonged. */
  #first = Number.NEGATIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /**
   * Resolves when no process answers from its cache what was put there before this call. The first
   * call takes some seconds; those that follow soon go on at once.
   * @throws ServiceError SERVICE_UNAVAILABLE when the database cannot be asked
   */
  async cover(): Promise<void> {
    const age = performance.now() - this.#last;
    if (age > SUSPENSION_MS.renew) await this.#raise();
    const left = this.#first + SUSPENSION_MS.notice - performance.now();
    if (left > 0) await delay(left);
  }

  readonly #raise = coalesce(async (): Promise<void> => {
    if (performance.now() - this.#last <= SUSPENSION_MS.renew) return;
    const state = systemTable(this.#schema, 'state');
    try {
      await this.#pool.query(
        render(sql`INSERT INTO ${state} AS s (name, version) VALUES ('cache', 1)
          ON CONFLICT (name) DO UPDATE SET version = s.version + 1`),
      );
    } catch (error) {
      const reason = 'It was written, but not every process could be told to read it anew.';
      throw unavailable('database', reason, { cause: error });
    }
    const now = performance.now();
    // Seen from before this one on, where nobody has begun to keep anything in between.
    if (now - this.#last >= SUSPENSION_MS.hold / 2) this.#first = now;
    this.#last = now;
  });
}
