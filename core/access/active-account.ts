/** Finds the account of a user without a token, for work that is done after the request. */
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import type { Account } from './account-policies.ts';

/** The account of an active user; null when there is none, or it is suspended. */
export async function activeAccount(
  pool: Pool,
  schema: string,
  user: string,
): Promise<Account | null> {
  const { rows } = await pool.query<Pick<Account, 'user' | 'role'>>(
    render(sql`SELECT id AS "user", role FROM ${systemTable(schema, 'users')}
      WHERE id = ${user}::uuid AND status = 'active'`),
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, session: null, secondFactor: false };
}
