/**
 * Finds administrators: users with a policy that has `admin_access`, of their own or through a role
 * or its ancestors, from any address.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';

/**
 * The first part of a statement: the roles of administrators as `admin_roles (id)`, and the users
 * as `admins (id, status)`.
 * @param barred keys of policies that are ignored
 */
export function administrators(schema: string, barred: readonly string[] = []): Sql {
  const [users, roles, policies, access] = ['users', 'roles', 'policies', 'access'].map((name) =>
    systemTable(schema, name),
  );
  return sql`
    WITH RECURSIVE granted AS (
      SELECT a.role, a."user" FROM ${access} AS a JOIN ${policies} AS p ON p.id = a.policy
      WHERE p.admin_access AND p.id <> ALL(${barred}::uuid[])
    ), admin_roles AS (
      SELECT role AS id FROM granted WHERE role IS NOT NULL
      UNION
      SELECT r.id FROM ${roles} AS r JOIN admin_roles AS above ON r.parent = above.id
    ), admins AS (
      SELECT u.id, u.status FROM ${users} AS u
      WHERE u.role IN (SELECT id FROM admin_roles) OR u.id IN (SELECT "user" FROM granted)
    )`;
}

/** Whether the users of a role are administrators; false for a role that does not exist. */
export async function isAdminRole(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  role: string,
): Promise<boolean> {
  const { rows } = await pool.query(
    render(sql`${administrators(schema)} SELECT FROM admin_roles WHERE id = ${role}`),
  );
  return rows.length > 0;
}
