/**
 * Counts attempts at passwords and one-time passwords, in the database, for all processes together.
 * An attempt counts as failed before its result is used, so that concurrent attempts cannot exceed
 * the limit. A successful one is subtracted again. Too many failures temporarily block the login by
 * password. The user's status, sessions and tokens remain valid, so that no client can lock out
 * another user.
 */
import { addressKey } from '#core/access/quota-key.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { IdentityTables } from './identity-tables.ts';

/**
 * Failures of one user from one address within a minute; further attempts are refused without a
 * check.
 */
const MOST_FROM_ADDRESS = 10;
const FIRST_CLOSURE_SECONDS = 60;
const LONGEST_CLOSURE_SECONDS = 3_600;
/** Enough steps from the first block to the longest. */
const MOST_DOUBLINGS = 6;

/** An attempt that counts as failed until it is subtracted. */
export interface Attempt {
  readonly user: string;
  /** As in `addresses`. */
  readonly address: string;
  /** The minute in which it counts. */
  readonly minute: string;
  /** The end of the block that it starts if it remains failed; null when it starts no block. */
  readonly closes: string | null;
}

/** The maximum number of consecutive failures. */
function mostFailures(schema: string): Sql {
  return sql`(SELECT auth_login_attempts FROM ${systemTable(schema, 'settings')} LIMIT 1)`;
}

/** The end of the block after this number of failures; null below the limit. */
function closedUntil(schema: string, failures: Sql): Sql {
  const most = mostFailures(schema);
  const doublings = sql`least(${failures} - greatest(${most}, 1), ${MOST_DOUBLINGS})`;
  return sql`CASE WHEN ${failures} >= ${most} THEN now() + make_interval(
    secs => least(${FIRST_CLOSURE_SECONDS} * 2 ^ ${doublings}, ${LONGEST_CLOSURE_SECONDS})) END`;
}

/**
 * Counts an attempt of an active user as failed. From `auth_login_attempts` failures on, each
 * failure blocks the login by password. The first block takes a minute, and each further block
 * twice as long, up to an hour. A successful login, or a day without failures, resets the count. An
 * attempt during a block, or above the limit of its address, does not count. Unknown users cost the
 * same work.
 * @param isUser the condition that selects the user's row
 * @param ip the client's address; all unknown ones count together
 * @returns null when the attempt must be refused, regardless of its password and code
 */
export async function takeAttempt(
  { db, schema }: IdentityTables,
  isUser: Sql,
  ip: string | null,
): Promise<Attempt | null> {
  const table = (name: string) => systemTable(schema, name);
  const address = sql`${ip === null ? 'unknown' : addressKey(ip)}::text`;
  // A statement that waited for the row may have started in the previous minute.
  const minute = sql`greatest(l.minute, date_trunc('minute', now()))`;
  const addresses = sql`(CASE WHEN l.minute = ${minute} THEN l.addresses ELSE '{}' END)`;
  const fromAddress = sql`coalesce((${addresses} ->> ${address})::int, 0)`;
  const failures = sql`(1 + CASE WHEN l.failed_on > now() - interval '1 day' THEN l.failures ELSE 0 END)`;
  const { rows } = await db.query<Attempt>(
    render(sql`
      INSERT INTO ${table('logins')} AS l
        ("user", failures, failed_on, closed_until, minute, addresses)
      SELECT id, 1, now(), ${closedUntil(schema, sql`1`)}, date_trunc('minute', now()),
        jsonb_build_object(${address}, 1)
      FROM ${table('users')} WHERE ${isUser} AND status = 'active'
      ON CONFLICT ("user") DO UPDATE SET
        failures = ${failures},
        failed_on = now(),
        closed_until = ${closedUntil(schema, failures)},
        minute = ${minute},
        addresses = ${addresses} || jsonb_build_object(${address}, ${fromAddress} + 1)
      WHERE (l.closed_until IS NULL OR l.closed_until <= now())
        AND ${fromAddress} < ${MOST_FROM_ADDRESS}
      RETURNING "user"::text AS user, ${address} AS address, minute::text AS minute,
        closed_until::text AS closes`),
  );
  return rows[0] ?? null;
}

/** Subtracts one failure from the address of an attempt, for an UPDATE of `logins`. */
export function withoutAttempt({ address, minute }: Attempt): Sql {
  return sql`CASE WHEN minute = ${minute}::timestamptz AND addresses ? ${address}
    THEN addresses || jsonb_build_object(${address}::text,
      greatest((addresses ->> ${address})::int - 1, 0)) ELSE addresses END`;
}

/** Subtracts an attempt that succeeded or was never made. */
export async function giveBackAttempt(
  { db, schema }: IdentityTables,
  attempt: Attempt,
): Promise<void> {
  // During the block, no other attempt was admitted that could have started a block.
  await db.query(
    render(sql`UPDATE ${systemTable(schema, 'logins')} SET
        failures = greatest(failures - 1, 0),
        closed_until = CASE WHEN failures - 1 < ${mostFailures(schema)}
          OR closed_until = ${attempt.closes}::timestamptz THEN NULL ELSE closed_until END,
        addresses = ${withoutAttempt(attempt)}
      WHERE "user" = ${attempt.user}`),
  );
}

/** Resets the failures of users with a new password. */
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
