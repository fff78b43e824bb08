/**
 * The version counters that all processes share: read together about once a second, so that a
 * lost message costs a second and not correctness.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';

/**
 * `catalog`: published versions; `metadata`, `access`: statements that wrote to those tables;
 * `sessions`: sessions that ended before their time; `cache`: writes that the caches of other
 * processes could not be told of in a better way.
 */
export type CounterName = 'catalog' | 'metadata' | 'access' | 'sessions' | 'cache';

export interface Counters {
  readonly versions: Readonly<Record<CounterName, number>>;
  /** Why the last attempt to build a catalog failed; null when it did not. */
  readonly error: string | null;
}

interface Row {
  readonly name: CounterName;
  readonly version: string;
  readonly error: string | null;
}

/** Reads all counters, of one moment. */
export async function readCounters(pool: Pool, system: string): Promise<Counters> {
  const { rows } = await pool.query<Row>(
    render(sql`SELECT name, version, value ->> 'error' AS error
      FROM ${systemTable(system, 'state')}
      WHERE name IN ('catalog', 'metadata', 'access', 'sessions', 'cache')`),
  );
  const versions = { catalog: 0, metadata: 0, access: 0, sessions: 0, cache: 0 };
  let error: string | null = null;
  for (const row of rows) {
    versions[row.name] = Number(row.version);
    if (row.name === 'catalog') error = row.error;
  }
  return { versions, error };
}
