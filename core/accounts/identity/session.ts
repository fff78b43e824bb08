/**
 * Reads and writes the rows of sessions: created by a login, renewed by token or cookie, ended as
 * families. Each function is one statement, so that it reads and writes one consistent state. Users
 * are locked before their sessions, as a suspension does, which prevents deadlocks.
 */

import { join, render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import type { IdentityTables } from './identity-tables.ts';
import { type Attempt, withoutAttempt } from './login-attempts.ts';
import { loginTimeOf } from './session-id.ts';

/** The client of a login or renewal. */
export interface Visitor {
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The Origin header. */
  readonly origin: string | null;
}

/** The new token of a session, and its client. */
export interface TokenChange {
  /** Hash of the new token. */
  readonly tokenHash: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly visitor: Visitor;
}

export interface NewSession extends TokenChange {
  /** Also the id of its family, which contains the time of the login. */
  readonly id: string;
  readonly user: string;
  /** The hash of the checked password: a login must not succeed after a change of password. */
  readonly password: string;
  readonly cookie: boolean;
  /** The successful attempt. */
  readonly attempt: Attempt;
}

/** Old rows are deleted with each login, a few at a time. */
const SWEPT_AT_ONCE = 20;
const ORIGIN_MAX_LENGTH = 255;
const USER_AGENT_MAX_LENGTH = 1_024;

/** The stored data of a client: address, user agent, origin; the last two are truncated. */
export function visitorValues({ ip, userAgent, origin }: Visitor): readonly (string | null)[] {
  return [
    ip,
    userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null,
    origin?.slice(0, ORIGIN_MAX_LENGTH) ?? null,
  ];
}

/** The same as an SQL list. */
export function visitorFacts(visitor: Visitor): Sql {
  return join(visitorValues(visitor).map((value) => sql`${value}`));
}

function later(ttl: number): Sql {
  return sql`now() + make_interval(secs => ${ttl / 1_000})`;
}

/**
 * Creates a session and its activity, and resets failed attempts.
 * @param sweepAfter milliseconds after which the row of an ended session is deleted
 * @returns false when the user is no longer active or has a new password
 */
export async function beginSession(
  { db, schema }: IdentityTables,
  session: NewSession,
  sweepAfter: number,
): Promise<boolean> {
  const table = (name: string) => systemTable(schema, name);
  const { id, user, password, cookie, attempt, tokenHash, ttl, visitor } = session;
  const { rowCount } = await db.query(
    render(sql`
      WITH entered AS (
        UPDATE ${table('users')} SET last_access = now()
        WHERE id = ${user} AND status = 'active' AND password = ${password} RETURNING id
      ), noted AS (
        INSERT INTO ${table('activity')} (action, "user", collection, item, ip, user_agent, origin)
        SELECT 'login', id, 'system_users', id::text, ${visitorFacts(visitor)} FROM entered
      ), forgiven AS (
        UPDATE ${table('logins')} SET failures = 0, closed_until = NULL,
          addresses = ${withoutAttempt(attempt)}
        WHERE "user" = (SELECT id FROM entered)
      ), swept AS (
        DELETE FROM ${table('sessions')} WHERE token IN (
          SELECT token FROM ${table('sessions')}
          WHERE expires < now() - make_interval(secs => ${sweepAfter / 1_000})
          ORDER BY expires LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)
      )
      INSERT INTO ${table('sessions')}
        (id, family, token, "user", cookie, expires, ip, user_agent, origin)
      SELECT ${id}::uuid, ${id}::uuid, ${tokenHash}, id, ${cookie}::boolean, ${later(ttl)}, ${visitorFacts(visitor)}
      FROM entered`),
  );
  return rowCount === 1;
}

/** A session, as a renewal needs it. */
export interface StoredSession {
  readonly id: string;
  readonly user: string;
  readonly role: string | null;
  /** It has not ended, and its user is active. */
  readonly live: boolean;
  /** The user has a second factor. */
  readonly secondFactor: boolean;
  /** Hash of the token of the session that replaced it. */
  readonly next: string | null;
}

async function find({ db, schema }: IdentityTables, condition: Sql): Promise<StoredSession | null> {
  const { rows } = await db.query<StoredSession>(
    render(sql`
      SELECT s.id, s."user", u.role, s.next_token AS next,
        u.tfa_secret IS NOT NULL AS "secondFactor",
        s.expires > now() AND u.status = 'active' AS live
      FROM ${systemTable(schema, 'sessions')} AS s
      JOIN ${systemTable(schema, 'users')} AS u ON u.id = s."user"
      WHERE ${condition}`),
  );
  return rows[0] ?? null;
}

/** Finds the session of a refresh token. */
export function findByToken(place: IdentityTables, hash: string): Promise<StoredSession | null> {
  return find(place, sql`s.token = ${hash} AND NOT s.cookie`);
}

/** Finds the session of a session cookie; other sessions have no cookie. */
export function findCookieSession(
  place: IdentityTables,
  id: string,
): Promise<StoredSession | null> {
  return find(place, sql`s.id = ${id} AND s.cookie`);
}

/** Finds the live session that replaced another one. */
export async function findSuccessor(
  place: IdentityTables,
  hash: string,
): Promise<StoredSession | null> {
  const found = await find(place, sql`s.token = ${hash} AND s.cookie`);
  return found?.live === true ? found : null;
}

/** Updates the last access of a session's active user; returns the user's id, or no row. */
function userOfSession(schema: string, session: Sql): Sql {
  return sql`UPDATE ${systemTable(schema, 'users')} SET last_access = now()
    WHERE status = 'active' AND id = (
      SELECT "user" FROM ${systemTable(schema, 'sessions')} WHERE ${session})
    RETURNING id`;
}

/**
 * Replaces the token of a session.
 * @returns false when its token has changed in the meantime, or its user is no longer active
 */
export async function rotateToken(
  { db, schema }: IdentityTables,
  oldHash: string,
  { tokenHash, ttl, visitor }: TokenChange,
): Promise<boolean> {
  const { rowCount } = await db.query(
    render(sql`
      WITH entered AS (${userOfSession(schema, sql`token = ${oldHash}`)})
      UPDATE ${systemTable(schema, 'sessions')} AS s
      SET token = ${tokenHash}, expires = ${later(ttl)}, renewed_on = now(),
        (ip, user_agent, origin) = ROW(${visitorFacts(visitor)})
      FROM entered WHERE s."user" = entered.id AND s.token = ${oldHash}
        AND NOT s.cookie AND s.expires > now()`),
  );
  return rowCount === 1;
}

/**
 * Replaces a session by a new one of its family; the old one remains valid for `grace`
 * milliseconds.
 * @returns the id of the new one; null when the old one has ended or was already replaced
 */
export async function replaceSession(
  { db, schema }: IdentityTables,
  id: string,
  { tokenHash, ttl, visitor }: TokenChange,
  grace: number,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    render(sql`
      WITH entered AS (${userOfSession(schema, sql`id = ${id}`)}), replaced AS (
        UPDATE ${systemTable(schema, 'sessions')} AS s
        SET next_token = ${tokenHash}, expires = least(s.expires, ${later(grace)})
        FROM entered WHERE s."user" = entered.id AND s.id = ${id}
          AND s.cookie AND s.next_token IS NULL AND s.expires > now()
        RETURNING s.family, s."user"
      )
      INSERT INTO ${systemTable(schema, 'sessions')}
        (token, family, "user", cookie, expires, ip, user_agent, origin)
      SELECT ${tokenHash}, family, "user", true, ${later(ttl)}, ${visitorFacts(visitor)}
      FROM replaced RETURNING id`),
  );
  return rows[0]?.id ?? null;
}

/**
 * When the user of a session logged in, in milliseconds since 1970. Null for sessions that have
 * ended, and for those of releases that did not record it.
 */
export async function loginTimeOfSession(
  { db, schema }: IdentityTables,
  session: string,
): Promise<number | null> {
  const { rows } = await db.query<{ family: string }>(
    render(sql`SELECT family FROM ${systemTable(schema, 'sessions')} WHERE id = ${session}`),
  );
  const [row] = rows;
  return row === undefined ? null : loginTimeOf(row.family);
}

/** Ends the family of a session. @returns the ids of the ended sessions */
export async function endFamily(
  { db, schema }: IdentityTables,
  session: string,
): Promise<readonly string[]> {
  const table = systemTable(schema, 'sessions');
  const { rows } = await db.query<{ id: string }>(
    render(sql`DELETE FROM ${table}
      WHERE family IN (SELECT family FROM ${table} WHERE id = ${session}) RETURNING id`),
  );
  return rows.map(({ id }) => id);
}

/**
 * Ends all sessions of users, for example after a change of password or address. Sessions of
 * inactive users end automatically.
 * @param except a session that remains, such as that of the user who made the change; null for no
 *   exception
 */
export async function endSessionsOf(
  { db, schema }: IdentityTables,
  users: readonly string[],
  except: string | null,
): Promise<void> {
  await db.query(
    render(sql`DELETE FROM ${systemTable(schema, 'sessions')}
      WHERE "user" = ANY(${users}::uuid[]) AND id IS DISTINCT FROM ${except}::uuid`),
  );
}
