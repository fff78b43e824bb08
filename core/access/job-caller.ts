/** The caller on whose behalf a job runs, with the current permissions of the user. */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { AccessSource } from './access-source.ts';
import type { Account } from './account-policies.ts';
import type { Caller } from './grants.ts';

/** The services that read accounts and their policies. */
export interface JobCallers {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly access: AccessSource;
}

async function accountOf({ pool, schema }: JobCallers, user: string): Promise<Account> {
  const { rows } = await pool.query<Pick<Account, 'user' | 'role'>>(
    render(sql`SELECT id AS "user", role FROM ${systemTable(schema, 'users')}
      WHERE id = ${user}::uuid AND status = 'active'`),
  );
  const [row] = rows;
  if (row === undefined) throw forbidden(reason('job_user_inactive'));
  return { ...row, session: null, secondFactor: false };
}

/**
 * Reads the user of a job without any cache.
 * @param user null: the job was submitted without a token
 * @param ip the address from which it was submitted; null when unknown
 * @throws ServiceError FORBIDDEN when the user does not exist, is suspended, or has no policy at
 *   the address
 */
export async function jobCaller(
  callers: JobCallers,
  user: string | null,
  ip: string | null,
): Promise<Caller> {
  const { access } = callers;
  const account = user === null ? null : await accountOf(callers, user);
  access.forget();
  try {
    return await access.callerOf(account, ip);
  } catch (error) {
    const isBarred = error instanceof ServiceError && error.code === 'INVALID_IP';
    throw isBarred ? forbidden(reason('no_policy_at_job_address')) : error;
  }
}
