/** Planner settings for statements that read PostgreSQL's own catalogs completely. */
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';

/** Above this number of names, catalogs are read as if completely. */
const MANY = 50;

/**
 * Whether a statement about these tables reads the catalogs completely.
 * @param names null for all tables
 */
export function readsWholeCatalogs(names: readonly string[] | null): boolean {
  return names === null || names.length > MANY;
}

/**
 * Runs statements of an open transaction that read complete catalogs. Catalog tables of a new
 * schema have no statistics, and the planner would join thousands of rows with nested loops.
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
