/**
 * Analyzes small tables that grow quickly. A plan made for an almost empty table scans the whole
 * table. Sessions cache that plan, including those of foreign keys, until the table is analyzed.
 * Autovacuum runs once a minute, and until then each row costs more than the previous one. One
 * worker does this.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '#core/base/log/log.ts';
import { type Pool, transaction } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { Lease } from '#core/model/system/lease.ts';

const ROUND_MS = 1_000;
const LEASE_MS = 6_000;
/** Limits rounds over many tables to 1/SHARE of the time. */
const SHARE = 100;
/** Smaller tables are scanned with any plan, and larger ones were analyzed while they grew. */
const FEWEST_ROWS = 100;
const MOST_ROWS = 100_000;
/** A table is analyzed when it has this many times the rows that the planner assumes. */
const GROWTH = 3;
/** A table that cannot be analyzed in time is skipped for a while. */
const LIMITS = `SET LOCAL lock_timeout = '100ms'; SET LOCAL statement_timeout = '10s'`;
const AGAIN_AFTER_MS = 60_000;

export interface StatisticsWatchOptions {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** The schemas whose tables are checked. */
  readonly schemas: readonly string[];
  readonly log: Log;
}

export class StatisticsWatch {
  readonly #options: StatisticsWatchOptions;
  readonly #lease: Lease;
  readonly #stopping = new AbortController();
  /** Tables that could not be analyzed, and until when they are skipped. */
  readonly #failed = new Map<string, number>();
  #rounds: Promise<void> | null = null;

  constructor(options: StatisticsWatchOptions) {
    this.#options = options;
    this.#lease = new Lease(options.pool, options.schema, 'statistics', LEASE_MS);
  }

  start(): void {
    this.#rounds ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds;
    await this.#lease.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const begun = performance.now();
      try {
        if (await this.#lease.hold()) await this.look();
      } catch (error) {
        this.#options.log.debug({ err: error }, 'could not read the growth of tables');
      }
      const pause = Math.max(ROUND_MS, (performance.now() - begun) * SHARE);
      await delay(pause, null, { signal }).catch(() => undefined);
    }
  }

  /** Analyzes the tables that have outgrown the planner's statistics. */
  async look(): Promise<void> {
    const { pool, schemas } = this.#options;
    // The functions read only counters, and wait for no lock.
    const { rows } = await pool.query<{ name: string }>(
      render(sql`
        SELECT format('%I.%I', n.nspname, c.relname) AS name
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND n.nspname = ANY (${schemas}::text[])
          AND c.reltuples < ${MOST_ROWS}::float4 AND pg_has_role(c.relowner, 'USAGE')
          AND pg_stat_get_live_tuples(c.oid) > greatest(${FEWEST_ROWS}::float8, ${GROWTH} * c.reltuples)`),
    );
    for (const { name } of rows) {
      if (this.#stopping.signal.aborted) return;
      if ((this.#failed.get(name) ?? 0) < performance.now()) await this.#analyze(name);
    }
  }

  async #analyze(name: string): Promise<void> {
    const { pool, log } = this.#options;
    try {
      await transaction(pool, async (client) => {
        await client.query(LIMITS);
        await client.query(`ANALYZE (SKIP_LOCKED) ${name}`);
      });
      this.#failed.delete(name);
    } catch (error) {
      this.#failed.set(name, performance.now() + AGAIN_AFTER_MS);
      log.debug({ err: error, table: name }, 'could not analyze a table that has grown');
    }
  }
}
