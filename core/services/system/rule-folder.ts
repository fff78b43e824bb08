/** The rules of folders: parents form no cycle, and a name is not empty. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { singleKeys, systemSchemaOf } from './system-schema.ts';

/**
 * Two concurrent moves could form a cycle that neither detects, so moves run one after the other.
 */
export async function beginFolders(write: WriteContext): Promise<void> {
  const lock = `sluice folders ${systemSchemaOf(write)}`;
  await write.client.query(render(sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`));
}

/** @throws ServiceError INVALID_PAYLOAD for an empty name */
export async function refineFolder(_: WriteContext, __: Action, item: Item): Promise<Item> {
  const { name } = item;
  if (typeof name === 'string' && name.trim() === '') {
    throw invalidPayload(reason('name_empty'), { field: 'name' });
  }
  return item;
}

/** @throws ServiceError INVALID_PAYLOAD when a folder has become its own ancestor */
export async function afterFolders(
  write: WriteContext,
  { action, keys }: CompletedChange,
): Promise<void> {
  if (action === 'delete') return;
  const folders = systemTable(systemSchemaOf(write), 'folders');
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
  throw invalidPayload(reason('folder_inside_itself'), { field: 'parent' });
}
