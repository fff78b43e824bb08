/**
 * The storages that workers can access: each worker records its storage while it can use it. A job
 * that needs an inaccessible storage waits for it.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/** Seconds after its last record for which a storage counts as accessible. */
const REACHED_WITHIN_S = 20;

/** The condition that a worker can access a storage. */
export function isReached(schema: string, identity: Sql): Sql {
  return sql`EXISTS (SELECT FROM ${systemTable(schema, 'storages')} reached
    WHERE reached.identity = ${identity} AND reached.reached_on > now() - make_interval(secs => ${REACHED_WITHIN_S}))`;
}

/** The condition that a job with this storage, which may be null, need not wait for it. */
export function canRun(schema: string, storage: Sql): Sql {
  return sql`(${storage} IS NULL OR ${isReached(schema, storage)})`;
}

/** Records that this worker can use a storage now. */
export async function noteReached(
  pool: Pool,
  schema: string,
  { identity, location }: { readonly identity: string; readonly location: string },
): Promise<void> {
  await pool.query(
    render(sql`INSERT INTO ${systemTable(schema, 'storages')} AS s (identity, location)
      VALUES (${identity}, ${location})
      ON CONFLICT (identity) DO UPDATE SET location = excluded.location, reached_on = now()`),
  );
}
