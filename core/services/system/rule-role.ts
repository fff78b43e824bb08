/** The rules of roles: parents form no cycle, and users of a deleted role are suspended. */

import { reason } from '#core/base/errors/reason.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { CompletedChange, PendingChange, WriteContext } from '#core/write/write-context.ts';
import { requireNoCycle } from './hierarchy.ts';
import { singleKeys, systemSchemaOf } from './system-schema.ts';

/** A row that changes because another one is deleted. */
interface Changed {
  readonly id: string;
  readonly delta: Readonly<Record<string, unknown>>;
}

async function tell(write: WriteContext, name: string, rows: readonly Changed[]): Promise<void> {
  const collection = write.target.catalog.collections.get(name);
  if (collection === undefined) return;
  const deeds = rows.map(({ id, delta }) => ({ key: [id], delta, parent: null }));
  await write.history?.record(collection, 'update', deeds);
}

/** Users of a deleted role are suspended; the roles below it lose their parent. */
export async function beforeRoles(
  write: WriteContext,
  { action, keys }: PendingChange,
): Promise<void> {
  if (action === 'update') return;
  const schema = systemSchemaOf(write);
  const gone = singleKeys(keys);
  const users = await write.client.query<Changed>(
    render(sql`UPDATE ${systemTable(schema, 'users')}
      SET status = CASE status WHEN 'active' THEN 'suspended' ELSE status END, role = NULL
      WHERE role = ANY(${gone}::uuid[])
      RETURNING id, json_build_object('status', status, 'role', NULL) AS delta`),
  );
  await tell(write, 'system_users', users.rows);
  const roles = await write.client.query<Changed>(
    render(sql`UPDATE ${systemTable(schema, 'roles')} SET parent = NULL
      WHERE parent = ANY(${gone}::uuid[])
      RETURNING id, json_build_object('parent', NULL) AS delta`),
  );
  await tell(write, 'system_roles', roles.rows);
}

/** @throws ServiceError INVALID_PAYLOAD when a role has become its own ancestor */
export async function afterRoles(write: WriteContext, change: CompletedChange): Promise<void> {
  await requireNoCycle(write, 'roles', change, reason('role_above_itself'));
}
