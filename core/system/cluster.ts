/** Which installation a database belongs to. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from './table.ts';

/**
 * The id that this installation was given when its system tables were made: a uuid that keeps
 * apart the channels and queues of several installations that share one Redis.
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
