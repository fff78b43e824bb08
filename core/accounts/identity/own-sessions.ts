/**
 * The sessions of a user, as the user sees and ends them. Each login is one session, however often
 * it was renewed. No token leaves this file, and a user reaches only its own sessions.
 */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import { translateFailure } from '#core/database/failure.ts';
import { type Pool, transaction } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import type { WaitForEdges } from '#core/model/catalog/wait-for-edges.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { loginTimeOf } from './session-id.ts';

export interface OwnSessionsParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Waits until each edge has recorded that a session has ended. */
  readonly confirm: WaitForEdges;
}

/** One login of a user; times are ISO 8601. */
export interface OwnSession {
  readonly id: string;
  /** The login; null when the session began in a release that did not record it. */
  readonly created_on: string | null;
  /** The login or the last renewal; null when a previous release made it. */
  readonly renewed_on: string | null;
  readonly expires: string;
  /** The client of the login or of the last renewal. */
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly origin: string | null;
  /** The session belongs to the caller's request. */
  readonly current: boolean;
}

interface Row {
  readonly family: string;
  readonly renewed_on: Date | null;
  readonly expires: Date;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly origin: string | null;
  readonly current: boolean;
}

/** Logins may be many; an answer stays small. */
const MOST_LISTED = 100;

const key = v.pipe(v.string(), v.uuid());

/** The caller's user. @throws ServiceError INVALID_CREDENTIALS without one */
function userOf({ user }: Caller): string {
  if (user === null) throw new ServiceError('INVALID_CREDENTIALS');
  return user;
}

export class OwnSessions {
  readonly #parts: OwnSessionsParts;

  constructor(parts: OwnSessionsParts) {
    this.#parts = parts;
  }

  /** The caller's live sessions, at most `MOST_LISTED`; the most recently renewed one first. */
  async list(caller: Caller): Promise<readonly OwnSession[]> {
    const { pool } = this.#parts;
    const sessions = this.#table();
    const { rows } = await pool.query<Row>(
      render(sql`
        SELECT * FROM (
          SELECT DISTINCT ON (family) family, renewed_on, expires, ip, user_agent, origin,
            family IS NOT DISTINCT FROM ${this.#family(caller)} AS current
          FROM ${sessions}
          WHERE "user" = ${userOf(caller)} AND expires > now()
          ORDER BY family, next_token IS NOT NULL, expires DESC) AS newest
        ORDER BY current DESC, renewed_on DESC NULLS LAST, family
        LIMIT ${MOST_LISTED}`),
    );
    return rows.map(({ family, renewed_on, expires, ...client }) => {
      const login = loginTimeOf(family);
      return {
        id: family,
        created_on: login === null ? null : new Date(login).toISOString(),
        renewed_on: renewed_on?.toISOString() ?? null,
        expires: expires.toISOString(),
        ...client,
      };
    });
  }

  /**
   * Ends one session of the caller; every edge refuses it from then on.
   * @throws ServiceError FORBIDDEN for unknown sessions, and for those of other users
   */
  async end(caller: Caller, session: string): Promise<void> {
    if (!v.is(key, session)) throw forbidden();
    if (!(await this.#end(caller, sql`family = ${session}`))) throw forbidden();
  }

  /** Ends the caller's sessions, except the one of the request. */
  async endOthers(caller: Caller): Promise<void> {
    await this.#end(caller, sql`family IS DISTINCT FROM ${this.#family(caller)}`);
  }

  /**
   * Ends live sessions of a user. A renewal locks the user, too, and inserts a row. The deletion
   * therefore begins after the lock and also finds that row.
   * @returns whether there were any
   * @throws ServiceError INVALID_CREDENTIALS when the caller's session has ended meanwhile
   */
  async #end(caller: Caller, condition: Sql): Promise<boolean> {
    const { pool, schema, confirm } = this.#parts;
    const user = userOf(caller);
    try {
      const ended = await transaction(pool, async (client) => {
        await client.query(
          render(sql`SELECT FROM ${systemTable(schema, 'users')} WHERE id = ${user} FOR UPDATE`),
        );
        if (caller.session !== null) {
          const own = await client.query(render(sql`SELECT ${this.#family(caller)} AS family`));
          if (own.rows[0]?.family == null) throw new ServiceError('INVALID_CREDENTIALS');
        }
        const { rowCount } = await client.query(
          render(sql`DELETE FROM ${this.#table()}
            WHERE "user" = ${user} AND expires > now() AND ${condition}`),
        );
        return (rowCount ?? 0) > 0;
      });
      if (ended) await confirm();
      return ended;
    } catch (error) {
      throw translateFailure(error);
    }
  }

  /** The login that the caller's session belongs to, as an expression; null without one. */
  #family({ session }: Caller): Sql {
    return sql`(SELECT family FROM ${this.#table()} WHERE id = ${session}::uuid)`;
  }

  #table(): Sql {
    return systemTable(this.#parts.schema, 'sessions');
  }
}
