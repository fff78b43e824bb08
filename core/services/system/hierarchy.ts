/** Refuses a folder or role that has become its own ancestor. */
import type { Reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { queryInTransaction, singleKeys, systemSchemaOf } from './system-schema.ts';

/** @throws ServiceError INVALID_PAYLOAD with the reason when a changed row is its own ancestor */
export async function requireNoCycle(
  write: WriteContext,
  name: 'folders' | 'roles',
  { action, keys }: CompletedChange,
  why: Reason,
): Promise<void> {
  if (action === 'delete') return;
  const table = systemTable(systemSchemaOf(write), name);
  const found = await queryInTransaction(write)(sql`
    WITH RECURSIVE above AS (
      SELECT id AS start, parent FROM ${table} WHERE id = ANY(${singleKeys(keys)}::uuid[])
      UNION
      SELECT above.start, t.parent FROM above JOIN ${table} AS t ON t.id = above.parent
    )
    SELECT FROM above WHERE parent = start LIMIT 1`);
  if (found.length > 0) throw invalidPayload(why, { field: 'parent' });
}
