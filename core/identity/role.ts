/**
 * Who administers: users with a policy that makes administrators, of their own or by a role at any
 * height above theirs, from whatever address.
 */
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';

/**
 * The beginning of a statement: the roles whose users are administrators, as `admin_roles (id)`, and
 * the users, as `admins (id, status)`.
 */
export function administrators(schema: string): Sql {
  const [users, roles, policies, access] = ['users', 'roles', 'policies', 'access'].map((name) =>
    systemTable(schema, name),
  );
  return sql`
    WITH RECURSIVE granted AS (
      SELECT a.role, a."user" FROM ${access} AS a JOIN ${policies} AS p ON p.id = a.policy
      WHERE p.admin_access
    ), admin_roles AS (
      SELECT role AS id FROM granted WHERE role IS NOT NULL
      UNION
      SELECT r.id FROM ${roles} AS r JOIN admin_roles AS above ON r.parent = above.id
    ), admins AS (
      SELECT u.id, u.status FROM ${users} AS u
      WHERE u.role IN (SELECT id FROM admin_roles) OR u.id IN (SELECT "user" FROM granted)
    )`;
}

/** Whether a role makes its users administrators; one that does not exist makes nobody one. */
export async function isAdminRole(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  role: string,
): Promise<boolean> {
  const { rows } = await pool.query(
    render(sql`${administrators(schema)} SELECT FROM admin_roles WHERE id = ${role}`),
  );
  return rows.length > 0;
}
