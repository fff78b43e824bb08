/**
 * The version counters shared by all processes. They are read together about once a second, so that
 * a lost message costs a second and not correctness. The same statement renews the lease of the
 * process.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Acknowledgement, RegisteredProcess } from '../system/process-registry.ts';
import { systemTable } from '../system/system-table.ts';
import {
  type AccessChanges,
  accessRows,
  type ChangeRow,
  combinedChanges,
  sessionRows,
} from './access-changes.ts';

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
 * `sessions`: sessions that ended early; `cache`: writes that could not be reported to other caches
 * in another way; `reset`: requests to clear all caches.
 */
export type CounterName = (typeof COUNTER_NAMES)[number];

export type Versions = Readonly<Record<CounterName, number>>;

export interface Counters {
  readonly versions: Versions;
  /**
   * The changes of users, permissions and sessions since the last read; null: any may have changed.
   */
  readonly changes: AccessChanges | null;
  /** Why the last build of a catalog failed; null when it succeeded. */
  readonly error: string | null;
  /** The lease was renewed; false when the process is no longer in the registry. */
  readonly renewed: boolean;
}

interface Row {
  readonly name: CounterName;
  readonly version: string;
  readonly error: string | null;
  readonly renewed: boolean;
  readonly noted: readonly ChangeRow[] | null;
}

export interface LeaseRenewal {
  readonly member: RegisteredProcess;
  readonly acknowledgement: Acknowledgement;
}

/**
 * Reads all counters at one point in time, and renews the lease of this process.
 * @param before the last versions; null when nothing depends on them yet
 * @param timeout in milliseconds
 */
export async function readCounters(
  pool: Pool,
  system: string,
  { member, acknowledgement }: LeaseRenewal,
  { before, timeout }: { readonly before: Versions | null; readonly timeout: number },
): Promise<Counters> {
  const version = sql`s.version`;
  const question = {
    ...render(sql`WITH renewed AS (${member.renewal(acknowledgement)})
      SELECT s.name, s.version, s.value ->> 'error' AS error,
        EXISTS (SELECT FROM renewed) AS renewed,
        CASE s.name WHEN 'access' THEN ${accessRows(system, before?.access ?? null, version)}
          WHEN 'sessions' THEN ${sessionRows(system, before?.sessions ?? null, version)}
          END AS noted
      FROM ${systemTable(system, 'state')} AS s WHERE s.name = ANY (${COUNTER_NAMES}::text[])`),
    query_timeout: timeout,
  };
  const { rows } = await pool.query<Row>(question);
  const versions = { catalog: 0, metadata: 0, access: 0, sessions: 0, cache: 0, reset: 0 };
  let error: string | null = null;
  for (const row of rows) {
    versions[row.name] = Number(row.version);
    if (row.name === 'catalog') error = row.error;
  }
  const notedOf = (name: CounterName) => rows.find((row) => row.name === name)?.noted ?? [];
  const advance = (name: 'access' | 'sessions') => ({
    from: before?.[name] ?? 0,
    to: versions[name],
    noted: notedOf(name),
  });
  const changes = combinedChanges([advance('access'), advance('sessions')]);
  return { versions, changes, error, renewed: rows.some((row) => row.renewed) };
}
