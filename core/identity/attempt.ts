/**
 * Failed attempts to sign in, counted in the database so that all processes count together, and
 * the one-time passwords that were used.
 */
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import type { Place } from './session.ts';

/**
 * Counts a wrong password or code of the active user with this address, who is suspended when
 * `auth_login_attempts` of the settings is reached. For an unknown address it does the same work.
 */
export async function countFailure({ db, schema }: Place, email: string): Promise<void> {
  const table = (name: string) => systemTable(schema, name);
  const most = sql`(SELECT auth_login_attempts FROM ${table('settings')} LIMIT 1)`;
  // The count that suspends begins anew, for whoever is made active again.
  await db.query(
    render(sql`
      WITH counted AS (
        INSERT INTO ${table('logins')} AS l ("user", failures)
        SELECT id, CASE WHEN ${most} <= 1 THEN 0 ELSE 1 END FROM ${table('users')}
        WHERE lower(email) = lower(${email}) AND status = 'active'
        ON CONFLICT ("user") DO UPDATE SET failures =
          CASE WHEN l.failures + 1 >= ${most} THEN 0 ELSE l.failures + 1 END
        RETURNING "user", failures
      )
      UPDATE ${table('users')} SET status = 'suspended'
      WHERE id = (SELECT "user" FROM counted WHERE failures = 0) AND status = 'active'`),
  );
}

/**
 * Marks the one-time password of a time step as used.
 * @returns false when it, or one of a later step, was used before
 */
export async function useStep({ db, schema }: Place, user: string, step: number): Promise<boolean> {
  const { rowCount } = await db.query(
    render(sql`
      INSERT INTO ${systemTable(schema, 'logins')} AS l ("user", otp_step)
      VALUES (${user}, ${step})
      ON CONFLICT ("user") DO UPDATE SET otp_step = excluded.otp_step
      WHERE l.otp_step IS NULL OR l.otp_step < excluded.otp_step`),
  );
  return rowCount === 1;
}
