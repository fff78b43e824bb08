/** The rules of folders: parents form no cycle, and a name is not empty. */
import { render, sql } from '#core/database/sql.ts';
import { invalidPayload } from '#core/errors/service-error.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { Done, Write } from '#core/mutation/target.ts';
import { systemTable } from '#core/system/system-table.ts';
import { schemaOf, singleKeys } from './system-schema.ts';

/**
 * Two moves at the same time could make a ring of which neither sees both ends, so they take turns.
 */
export async function beginFolders(write: Write): Promise<void> {
  const lock = `sluice folders ${schemaOf(write)}`;
  await write.client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`));
}

/** @throws ServiceError INVALID_PAYLOAD for a name of nothing */
export async function refineFolder(_: Write, __: Action, item: Item): Promise<Item> {
  const { name } = item;
  if (typeof name === 'string' && name.trim() === '') {
    throw invalidPayload('"name" must not be empty.', { field: 'name' });
  }
  return item;
}

/** @throws ServiceError INVALID_PAYLOAD when a folder has become its own ancestor */
export async function afterFolders(write: Write, { action, keys }: Done): Promise<void> {
  if (action === 'delete') return;
  const folders = systemTable(schemaOf(write), 'folders');
  const { rows } = await write.client.query(
    render(sql`
      WITH RECURSIVE above AS (
        SELECT id AS start, parent FROM ${folders} WHERE id = ANY(${singleKeys(keys)}::uuid[])
        UNION
        SELECT above.start, f.parent FROM above JOIN ${folders} AS f ON f.id = above.parent
      )
      SELECT FROM above WHERE parent = start LIMIT 1`),
  );
  if (rows.length === 0) return;
  throw invalidPayload('A folder cannot be inside itself.', { field: 'parent' });
}
