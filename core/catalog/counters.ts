/**
 * The version counters that all processes share: read together about once a second, so that a
 * lost message costs a second and not correctness. The same statement renews the process's lease.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Acknowledgement, Member } from '#core/system/member.ts';
import { systemTable } from '#core/system/table.ts';

export const COUNTER_NAMES = [
  'catalog',
  'metadata',
  'access',
  'sessions',
  'cache',
  'reset',
] as const;

/**
 * `catalog`: published versions; `metadata`, `access`: statements that wrote to those tables;
 * `sessions`: sessions that ended before their time; `cache`: writes that the caches of other
 * processes could not be told of in a better way; `reset`: demands to forget all that is kept.
 */
export type CounterName = (typeof COUNTER_NAMES)[number];

export interface Counters {
  readonly versions: Readonly<Record<CounterName, number>>;
  /** Why the last attempt to build a catalog failed; null when it did not. */
  readonly error: string | null;
  /** The lease was renewed; false when the process is not in the registry any more. */
  readonly renewed: boolean;
}

interface Row {
  readonly name: CounterName;
  readonly version: string;
  readonly error: string | null;
  readonly renewed: boolean;
}

/**
 * Reads all counters, of one moment, and renews the lease of this process.
 * @param patience longest wait for the answer, in milliseconds
 */
export async function readCounters(
  pool: Pool,
  system: string,
  renewal: { readonly member: Member; readonly standing: Acknowledgement },
  patience: number,
): Promise<Counters> {
  const { member, standing } = renewal;
  const question = {
    ...render(sql`WITH renewed AS (${member.renewal(standing)})
      SELECT name, version, value ->> 'error' AS error, EXISTS (SELECT FROM renewed) AS renewed
      FROM ${systemTable(system, 'state')} WHERE name = ANY (${COUNTER_NAMES}::text[])`),
    query_timeout: patience,
  };
  const { rows } = await pool.query<Row>(question);
  const versions = { catalog: 0, metadata: 0, access: 0, sessions: 0, cache: 0, reset: 0 };
  let error: string | null = null;
  for (const row of rows) {
    versions[row.name] = Number(row.version);
    if (row.name === 'catalog') error = row.error;
  }
  return { versions, error, renewed: rows.some((row) => row.renewed) };
}
