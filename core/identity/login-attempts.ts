/**
 * Counts failed logins and used one-time passwords, in the database, for all processes together.
 * Too many failures block the login by password for a while. The user's status, sessions and tokens
 * stay as they are, so that nobody can lock out somebody else.
 */
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/system-table.ts';
import type { IdentityTables } from './session.ts';

/** Failures of one user from one address within a minute; further attempts are not checked. */
const MOST_FROM_ADDRESS = 10;
const FIRST_CLOSURE_SECONDS = 60;
const LONGEST_CLOSURE_SECONDS = 3_600;
/** Enough steps from the first block to the longest. */
const MOST_DOUBLINGS = 6;

function addressOf(ip: string | null): Sql {
  return sql`${ip ?? 'unknown'}::text`;
}

/**
 * The condition that logins are blocked: too many failures of a user, or within this minute from
 * one address.
 * @param user an SQL expression with the user's key
 */
export function isClosed(schema: string, user: Sql, ip: string | null): Sql {
  return sql`EXISTS (SELECT FROM ${systemTable(schema, 'logins')} AS closing
    WHERE closing."user" = ${user} AND (closing.closed_until > now()
      OR closing.minute = date_trunc('minute', now())
        AND (closing.addresses ->> ${addressOf(ip)})::int >= ${MOST_FROM_ADDRESS}))`;
}

/** The end of the block after this number of failures; null below the limit. */
function closedUntil(schema: string, failures: Sql): Sql {
  const most = sql`(SELECT auth_login_attempts FROM ${systemTable(schema, 'settings')} LIMIT 1)`;
  const doublings = sql`least(${failures} - greatest(${most}, 1), ${MOST_DOUBLINGS})`;
  return sql`CASE WHEN ${failures} >= ${most} THEN now() + make_interval(
    secs => least(${FIRST_CLOSURE_SECONDS} * 2 ^ ${doublings}, ${LONGEST_CLOSURE_SECONDS})) END`;
}

/**
 * Counts a wrong password or code of the active user with this address. At `auth_login_attempts`
 * failures, and at each one after that, the login by password is blocked: for a minute first, then
 * twice as long each time, up to an hour. A successful login, or a day without failures, resets the
 * count. Attempts during a block do not count. Unknown addresses cost the same work.
 * @param ip the client's address; unknown ones count as one
 */
export async function countFailure(
  { db, schema }: IdentityTables,
  email: string,
  ip: string | null,
): Promise<void> {
  const table = (name: string) => systemTable(schema, name);
  const address = addressOf(ip);
  const minute = sql`date_trunc('minute', now())`;
  const addresses = sql`(CASE WHEN l.minute = ${minute} THEN l.addresses ELSE '{}' END)`;
  const fromAddress = sql`coalesce((${addresses} ->> ${address})::int, 0)`;
  const failures = sql`(1 + CASE WHEN l.failed_on > now() - interval '1 day' THEN l.failures ELSE 0 END)`;
  await db.query(
    render(sql`
      INSERT INTO ${table('logins')} AS l
        ("user", failures, failed_on, closed_until, minute, addresses)
      SELECT id, 1, now(), ${closedUntil(schema, sql`1`)}, ${minute},
        jsonb_build_object(${address}, 1)
      FROM ${table('users')} WHERE lower(email) = lower(${email}) AND status = 'active'
      ON CONFLICT ("user") DO UPDATE SET
        failures = ${failures},
        failed_on = now(),
        closed_until = ${closedUntil(schema, failures)},
        minute = ${minute},
        addresses = ${addresses} || jsonb_build_object(${address}, ${fromAddress} + 1)
      WHERE (l.closed_until IS NULL OR l.closed_until <= now())
        AND ${fromAddress} < ${MOST_FROM_ADDRESS}`),
  );
}

/** Resets the failures of users who have a new password. */
export async function forgiveFailures(
  { db, schema }: IdentityTables,
  users: readonly string[],
): Promise<void> {
  await db.query(
    render(sql`UPDATE ${systemTable(schema, 'logins')} SET failures = 0, closed_until = NULL
      WHERE "user" = ANY(${users}::uuid[]) AND failures > 0`),
  );
}

/**
 * Marks the one-time password of a time step as used.
 * @returns false when it, or a later one, was used before
 */
export async function useStep(
  { db, schema }: IdentityTables,
  user: string,
  step: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    render(sql`
      INSERT INTO ${systemTable(schema, 'logins')} AS l ("user", otp_step)
      VALUES (${user}, ${step})
      ON CONFLICT ("user") DO UPDATE SET otp_step = excluded.otp_step
      WHERE l.otp_step IS NULL OR l.otp_step < excluded.otp_step`),
  );
  return rowCount === 1;
}
