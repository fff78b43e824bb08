/**
 * Elects one process of a cluster for a task, with a row that contains the holder and the time
 * until which the lease is valid. The holder renews it; when it dies, another process takes over
 * afterwards.
 */
import { randomUUID } from 'node:crypto';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from './system-table.ts';

export class Lease {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #name: string;
  readonly #duration: number;
  readonly #holder = randomUUID();
  /** On this process's monotonic clock; never later than the time in the row. */
  #heldUntil = 0;

  /** @param duration milliseconds of one renewal */
  constructor(pool: Pool, schema: string, name: string, duration: number) {
    this.#pool = pool;
    this.#schema = schema;
    this.#name = name;
    this.#duration = duration;
  }

  /**
   * Takes or renews the lease when possible and due, and returns whether this process holds it.
   * Call it several times within the duration; most calls cost nothing.
   */
  async hold(): Promise<boolean> {
    const now = performance.now();
    if (now < this.#heldUntil - this.#duration / 2) return true;
    const table = systemTable(this.#schema, 'leases');
    // The first condition prevents the other processes from locking the row again and again.
    const { rowCount } = await this.#pool.query(
      render(sql`
        INSERT INTO ${table} AS held (name, holder, expires)
        SELECT ${this.#name}, ${this.#holder}::uuid,
          clock_timestamp() + ${this.#duration}::float8 * interval '1 ms'
        WHERE NOT EXISTS (
          SELECT FROM ${table} WHERE name = ${this.#name} AND holder <> ${this.#holder}::uuid
            AND expires > clock_timestamp())
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires = excluded.expires
        WHERE held.holder = excluded.holder OR held.expires <= clock_timestamp()`),
    );
    this.#heldUntil = rowCount === 1 ? now + this.#duration : 0;
    return rowCount === 1;
  }

  /** Releases the lease, so that another process can take it at once. */
  async release(): Promise<void> {
    this.#heldUntil = 0;
    await this.#pool.query(
      render(sql`DELETE FROM ${systemTable(this.#schema, 'leases')}
        WHERE name = ${this.#name} AND holder = ${this.#holder}::uuid`),
    );
  }
}
