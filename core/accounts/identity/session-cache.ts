/**
 * Caches live sessions until one ends or its user changes. No session is cached while this process
 * cannot detect that.
 */
import type { Account } from '#core/access/account-policies.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { AccountCache } from './account-cache.ts';

/** Sessions cached per process. */
const MAX_SESSIONS = 20_000;

export interface IdentityParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: Pick<CatalogSource, 'onAccess' | 'inContact' | 'trust'>;
}

interface Live {
  readonly account: Account;
  /** When it expires, on the clock of `performance.now()`. */
  readonly until: number;
}

interface Row {
  readonly user: string;
  readonly role: string | null;
  readonly secondFactor: boolean;
  readonly rest: number;
}

export class SessionMemory {
  readonly #parts: IdentityParts;
  readonly #live = new AccountCache(MAX_SESSIONS, (session) => this.#read(session));

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    parts.catalog.onAccess((changes) => this.#forget(changes));
  }

  /**
   * The account of a session; null when it has ended or its user is not active.
   * @throws ServiceError SERVICE_UNAVAILABLE when the database is unavailable
   */
  async accountOf(session: string): Promise<Account | null> {
    const { catalog } = this.#parts;
    if (!catalog.inContact()) await catalog.trust();
    const live = await this.#live.get(session);
    return live === null || live.until <= performance.now() ? null : live.account;
  }

  #forget(changes: AccessChanges | null): void {
    if (changes === null) {
      this.#live.forgetAll();
      return;
    }
    this.#live.forget(changes.sessions);
    if (changes.users.size > 0) this.#live.forgetUsers(changes.users);
  }

  async #read(session: string): Promise<Live | null> {
    const { pool, schema } = this.#parts;
    const sentAt = performance.now();
    const { rows } = await pool.query<Row>(
      render(sql`
        SELECT s."user", u.role, u.tfa_secret IS NOT NULL AS "secondFactor",
          (extract(epoch FROM s.expires - now()) * 1000)::float8 AS rest
        FROM ${systemTable(schema, 'sessions')} AS s
        JOIN ${systemTable(schema, 'users')} AS u ON u.id = s."user"
        WHERE s.id = ${session} AND s.expires > now() AND u.status = 'active'`),
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { user, role, secondFactor, rest } = row;
    return { account: { user, role, session, secondFactor }, until: sentAt + rest };
  }
}
