/** The rules of folders: parents form no cycle, and a name is not empty. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { requireNoCycle } from './hierarchy.ts';
import { systemSchemaOf } from './system-schema.ts';

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
export async function afterFolders(write: WriteContext, change: CompletedChange): Promise<void> {
  await requireNoCycle(write, 'folders', change, reason('folder_inside_itself'));
}
