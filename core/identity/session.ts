/**
 * The rows of sessions: begun by a login, renewed by their token or cookie, ended as families. Each
 * function is one statement, so that what it reads and writes belongs to one point in time. Users are locked
 * before their sessions, as they are by a suspension, so that nobody waits in a circle.
 */
import type { Client, Pool } from '#core/database/pool.ts';
import { join, render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/system/table.ts';
import { isClosed } from './login-attempts.ts';

/** Where the tables are, and a connection to them or a transaction on them. */
export interface IdentityTables {
  readonly db: Pool | Client;
  /** The schema of the system tables. */
  readonly schema: string;
}

/** What is noted of whoever begins or renews a session. */
export interface Visitor {
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The Origin header. */
  readonly origin: string | null;
}

/** The token that a session gets, and from whom it was asked. */
export interface TokenChange {
  /** Hash of the token that counts from now on. */
  readonly tokenHash: string;
  /** Milliseconds. */
  readonly ttl: number;
  readonly visitor: Visitor;
}

export interface NewSession extends TokenChange {
  readonly id: string;
  readonly user: string;
  /** The hash of the password that was right: a login does not outrun a change of password. */
  readonly password: string;
  readonly cookie: boolean;
}

/** Rows that ended long ago are removed by those who come, a few each time. */
const SWEPT_AT_ONCE = 20;
const ORIGIN_MAX_LENGTH = 255;
const USER_AGENT_MAX_LENGTH = 1_024;

/** What is kept of a visitor: address, program, origin; the latter two cut to size. */
export function visitorValues({ ip, userAgent, origin }: Visitor): readonly (string | null)[] {
  return [
    ip,
    userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null,
    origin?.slice(0, ORIGIN_MAX_LENGTH) ?? null,
  ];
}

/** The same as a list. */
export function visitorFacts(visitor: Visitor): Sql {
  return join(visitorValues(visitor).map((value) => sql`${value}`));
}

function later(ttl: number): Sql {
  return sql`now() + make_interval(secs => ${ttl / 1_000})`;
}

/**
 * Begins a session, with its entry in the activity, and forgets failed attempts.
 * @param sweepAfter milliseconds after which the row of an ended session serves nobody
 * @returns false when the user is not active any more, has another password by now, or too many
 *   passwords have failed meanwhile
 */
export async function beginSession(
  { db, schema }: IdentityTables,
  session: NewSession,
  sweepAfter: number,
): Promise<boolean> {
  const table = (name: string) => systemTable(schema, name);
  const { id, user, password, cookie, tokenHash, ttl, visitor } = session;
  const { rowCount } = await db.query(
    render(sql`
      WITH entered AS (
        UPDATE ${table('users')} SET last_access = now()
        WHERE id = ${user} AND status = 'active' AND password = ${password}
          AND NOT ${isClosed(schema, sql`${user}::uuid`, visitor.ip)} RETURNING id
      ), noted AS (
        INSERT INTO ${table('activity')} (action, "user", collection, item, ip, user_agent, origin)
        SELECT 'login', id, 'system_users', id::text, ${visitorFacts(visitor)} FROM entered
      ), forgiven AS (
        UPDATE ${table('logins')} SET failures = 0, closed_until = NULL
        WHERE "user" = (SELECT id FROM entered) AND failures > 0
      ), swept AS (
        DELETE FROM ${table('sessions')} WHERE token IN (
          SELECT token FROM ${table('sessions')}
          WHERE expires < now() - make_interval(secs => ${sweepAfter / 1_000})
          ORDER BY expires LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)
      )
      INSERT INTO ${table('sessions')}
        (id, token, "user", cookie, expires, ip, user_agent, origin)
      SELECT ${id}::uuid, ${tokenHash}, id, ${cookie}::boolean, ${later(ttl)}, ${visitorFacts(visitor)}
      FROM entered`),
  );
  return rowCount === 1;
}

/** A session as renewing it needs it. */
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

/** The session that a refresh token renews. */
export function findByToken(place: IdentityTables, hash: string): Promise<StoredSession | null> {
  return find(place, sql`s.token = ${hash} AND NOT s.cookie`);
}

/** The session that a session cookie names; the token of others is no such cookie. */
export function findCookieSession(
  place: IdentityTables,
  id: string,
): Promise<StoredSession | null> {
  return find(place, sql`s.id = ${id} AND s.cookie`);
}

/** The live session that replaced another one. */
export async function findSuccessor(
  place: IdentityTables,
  hash: string,
): Promise<StoredSession | null> {
  const found = await find(place, sql`s.token = ${hash} AND s.cookie`);
  return found?.live === true ? found : null;
}

/**
 * Replaces the token of a session.
 * @returns false when its token is another one by now, or its user is not active any more
 */
export async function rotateToken(
  { db, schema }: IdentityTables,
  oldHash: string,
  { tokenHash, ttl, visitor }: TokenChange,
): Promise<boolean> {
  const { rowCount } = await db.query(
    render(sql`
      WITH entered AS (
        UPDATE ${systemTable(schema, 'users')} SET last_access = now()
        WHERE status = 'active' AND id = (
          SELECT "user" FROM ${systemTable(schema, 'sessions')} WHERE token = ${oldHash})
        RETURNING id
      )
      UPDATE ${systemTable(schema, 'sessions')} AS s
      SET token = ${tokenHash}, expires = ${later(ttl)},
        (ip, user_agent, origin) = ROW(${visitorFacts(visitor)})
      FROM entered WHERE s."user" = entered.id AND s.token = ${oldHash}
        AND NOT s.cookie AND s.expires > now()`),
  );
  return rowCount === 1;
}

/**
 * Replaces a session by a new one of its family; the old one counts for `grace` milliseconds more.
 * @returns the id of the new one; null when the old one ended or was replaced meanwhile
 */
export async function replaceSession(
  { db, schema }: IdentityTables,
  id: string,
  { tokenHash, ttl, visitor }: TokenChange,
  grace: number,
): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    render(sql`
      WITH entered AS (
        UPDATE ${systemTable(schema, 'users')} SET last_access = now()
        WHERE status = 'active' AND id = (
          SELECT "user" FROM ${systemTable(schema, 'sessions')} WHERE id = ${id})
        RETURNING id
      ), replaced AS (
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

/** Ends the family of a session. @returns the ids of those that ended */
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
 * Ends all sessions of users, as after a change of password or address. Sessions of users who are
 * not active any more end by themselves.
 * @param except a session that stays, as that of the user who made the change; null: none
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
