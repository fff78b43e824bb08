/**
 * The sessions that this process knows to live. A session that ends early is forgotten within
 * a second; while the process cannot know of ends, nothing is remembered for longer than that.
 */
import { LRUCache } from 'lru-cache';
import type { Account } from '#core/access/account.ts';
import type { CatalogSource } from '#core/catalog/source.ts';
import { translateFailure } from '#core/database/failure.ts';
import type { Pool } from '#core/database/pool.ts';
import { render, sql } from '#core/database/sql.ts';
import type { Log } from '#core/log/log.ts';
import { systemTable } from '#core/system/table.ts';

/** Sessions remembered in one process. */
const MAX_SESSIONS = 20_000;
/** How long what was read counts without contact, in milliseconds: as long as a change may take. */
const TRUSTED_MS = 1_000;

export interface IdentityParts {
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: Pick<CatalogSource, 'onCounter' | 'inContact'>;
  readonly log: Log;
}

interface Live {
  readonly account: Account;
  /** When it ends by itself, on the clock of `performance.now()`. */
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
  // Promises are kept before reading begins: who is forgotten meanwhile does not come back.
  readonly #live = new LRUCache<string, Promise<Live | null>>({ max: MAX_SESSIONS });
  /** The last version of the counter whose ends were heard of; null before the first. */
  #heard: number | null = null;
  #forgotAt = 0;

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    parts.catalog.onCounter('access', () => this.forget());
    parts.catalog.onCounter('reset', () => this.forget());
    parts.catalog.onCounter('sessions', (version) => void this.#hear(version));
  }

  /**
   * The account of a session; null when it has ended or its user is not active.
   * @throws ServiceError SERVICE_UNAVAILABLE when the database cannot be asked
   */
  async accountOf(session: string): Promise<Account | null> {
    this.#distrust();
    const known = this.#live.get(session) ?? this.#remember(session);
    const live = await known;
    return live === null || live.until <= performance.now() ? null : live.account;
  }

  /** Forgets one session, which this process itself has ended. */
  drop(session: string): void {
    this.#live.delete(session);
  }

  /** Forgets all of them. */
  forget(): void {
    this.#forgotAt = performance.now();
    this.#live.clear();
  }

  #distrust(): void {
    if (this.#parts.catalog.inContact()) return;
    if (performance.now() - this.#forgotAt > TRUSTED_MS) this.forget();
  }

  #remember(session: string): Promise<Live | null> {
    const reading = this.#read(session).then(
      (live) => {
        // What does not live may begin to, and would only fill the memory.
        if (live === null && this.#live.peek(session) === reading) this.#live.delete(session);
        return live;
      },
      (error: unknown) => {
        if (this.#live.peek(session) === reading) this.#live.delete(session);
        throw translateFailure(error);
      },
    );
    this.#live.set(session, reading);
    return reading;
  }

  async #read(session: string): Promise<Live | null> {
    const { pool, schema } = this.#parts;
    const asked = performance.now();
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
    return { account: { user, role, session, secondFactor }, until: asked + rest };
  }

  /** Forgets the sessions that ended since the last time; all of them when some end was missed. */
  async #hear(version: number): Promise<void> {
    const { pool, schema, log } = this.#parts;
    const heard = this.#heard;
    this.#heard = version;
    if (heard === null) {
      this.forget();
      return;
    }
    try {
      const { rows } = await pool.query<{ session: string | null }>(
        render(sql`SELECT session FROM ${systemTable(schema, 'session_ends')}
          WHERE version > ${heard} AND version <= ${version}`),
      );
      const all = rows.length < version - heard || rows.some(({ session }) => session === null);
      if (all) this.forget();
      for (const { session } of rows) if (session !== null) this.#live.delete(session);
    } catch (error) {
      log.debug({ err: error }, 'ended sessions could not be read');
      this.forget();
    }
  }
}
