/** Protects administrators: only an administrator may appoint or remove administrators. */

import { administrators } from '#core/accounts/identity/administrators.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Client } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/**
 * A text that stays equal while the same users, roles and policies confer administrator rights,
 * with the same addresses and second factors. The public policy is included.
 */
export async function describeAdministrators(client: Client, schema: string): Promise<string> {
  const policies = systemTable(schema, 'policies');
  const access = systemTable(schema, 'access');
  const { rows } = await client.query<{ list: string }>(
    render(sql`${administrators(schema)}, above AS (
        SELECT role AS id FROM ${systemTable(schema, 'users')}
        WHERE id IN (SELECT id FROM admins) AND role IS NOT NULL
        UNION SELECT r.parent FROM ${systemTable(schema, 'roles')} AS r
        JOIN above ON r.id = above.id WHERE r.parent IS NOT NULL
      )
      SELECT coalesce(string_agg(mark, ' ' ORDER BY mark), '') AS list FROM (
        SELECT id::text AS mark FROM admins UNION ALL SELECT id::text FROM admin_roles
        UNION ALL SELECT concat_ws(',', id, enforce_tfa, ip_access)
        FROM ${policies} WHERE admin_access
        UNION ALL SELECT a.id::text FROM ${access} AS a
        JOIN ${policies} AS p ON p.id = a.policy WHERE p.admin_access OR p.enforce_tfa AND (
          a.role IN (SELECT id FROM above) OR a."user" IN (SELECT id FROM admins)
          OR a.role IS NULL AND a."user" IS NULL)
      ) AS marks`),
  );
  return rows[0]?.list ?? '';
}

/**
 * Protects the accounts of administrators: a caller that takes over an account gains its rights.
 * @throws ServiceError FORBIDDEN when one of the users is an administrator
 */
export async function forbidAdministrators(
  client: Client,
  schema: string,
  users: readonly string[],
): Promise<void> {
  const { rows } = await client.query(
    render(sql`${administrators(schema)}
      SELECT FROM admins WHERE id = ANY(${users}::uuid[]) LIMIT 1`),
  );
  if (rows.length > 0) throw forbidden(reason('only_administrators_change_administrators'));
}
