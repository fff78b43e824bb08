/** Plans for statements that read all of PostgreSQL's own catalogs. */
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';

/**
 * Runs statements of an open transaction that read whole catalogs. Those of a schema that was just
 * made have no statistics, and a planner that expects a handful of rows would join thousands of them
 * in nested loops.
 */
export async function withoutNestedLoops<T>(client: Client, work: () => Promise<T>): Promise<T> {
  const set = (value: string) =>
    client.query(render(sql`SELECT set_config('enable_nestloop', ${value}, true)`));
  const { rows } = await client.query<{ value: string }>(
    render(sql`SELECT current_setting('enable_nestloop') AS value`),
  );
  await set('off');
  const result = await work();
  await set(rows[0]?.value ?? 'on');
  return result;
}
