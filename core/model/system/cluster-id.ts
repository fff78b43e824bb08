/** The id of the installation that a database belongs to. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from './system-table.ts';

/**
 * A uuid created with the system tables. It separates channels and queues of installations that
 * share a Redis.
 */
export async function clusterId(pool: Pool, schema: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    render(sql`SELECT value #>> '{}' AS id FROM ${systemTable(schema, 'state')}
      WHERE name = 'cluster'`),
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('system_state has no row named cluster');
  return id;
}
