/** Finds the earlier import of a file that was sent again. */
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import type { ClaimedJob } from './claim.ts';

/** So many of the latest jobs of the user are looked at. */
const LATEST = 1_000;

/**
 * The latest completed job of the same user, kind and collection with the same file, whatever its
 * parameters, unless it was a dry run; null when there is none. A fingerprint is the format, the digest of the file, and that
 * of the parameters if there are any.
 */
export async function sameFileJob(
  client: Pick<Client, 'query'>,
  schema: string,
  { id, user }: Pick<ClaimedJob, 'id' | 'user'>,
): Promise<string | null> {
  const jobs = systemTable(schema, 'jobs');
  const own = user === null ? sql`"user" IS NULL` : sql`"user" = ${user}`;
  const { rows } = await client.query<{ id: string }>(
    render(sql`SELECT l.id FROM ${jobs} o JOIN (
        SELECT id, kind, collection, state, fingerprint, finished_on, result FROM ${jobs}
        WHERE ${own} ORDER BY sequence DESC LIMIT ${LATEST}) l
      ON l.kind = o.kind AND l.collection = o.collection AND l.id <> o.id
        AND l.state = 'completed' AND l.result ->> 'dry_run' IS NULL
        AND split_part(l.fingerprint, ':', 2) = split_part(o.fingerprint, ':', 2)
      WHERE o.id = ${id} ORDER BY l.finished_on DESC LIMIT 1`),
  );
  return rows[0]?.id ?? null;
}
