/** What a role would make of a user. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';

/**
 * Whether some policy of the role, or of a role above it, makes its users administrators, from
 * whatever address. A role that does not exist makes nobody one.
 */
export async function isAdminRole(
  { pool, schema }: { readonly pool: Pool; readonly schema: string },
  role: string,
): Promise<boolean> {
  const { rows } = await pool.query<{ admin: boolean }>(
    render(sql`
      WITH RECURSIVE chain AS (
        SELECT id, parent FROM ${systemTable(schema, 'roles')} WHERE id = ${role}
        UNION
        SELECT r.id, r.parent FROM ${systemTable(schema, 'roles')} AS r
        JOIN chain ON r.id = chain.parent
      )
      SELECT EXISTS (
        SELECT FROM ${systemTable(schema, 'access')} AS a
        JOIN ${systemTable(schema, 'policies')} AS p ON p.id = a.policy
        WHERE a.role IN (SELECT id FROM chain) AND p.admin_access
      ) AS admin`),
  );
  return rows[0]?.admin ?? false;
}
