/**
 * The registry of live processes. Each process renews a lease on its row and records there which
 * versions it has applied. A process that made a change waits until all have applied it. It does
 * not wait for a process without a lease, which must not serve requests before it is up to date
 * again.
 */
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '#core/database/pool.ts';
import { render, type Sql, sql } from '#core/database/sql.ts';
import { systemTable } from './system-table.ts';

/** The versions that a process has applied. */
export interface Acknowledgement {
  /** The version of the catalog that it serves. */
  readonly catalog: number;
  /** The versions of the counters of permissions and of ended sessions that it has applied. */
  readonly access: number;
  readonly sessions: number;
  /** The last reset that it has applied. */
  readonly reset: number;
  /** Why it cannot load the published catalog; other processes do not wait for it then. */
  readonly trouble: string | null;
}

export interface RegisteredProcessParts {
  /** The unique id of the process. */
  readonly id: string;
  readonly pool: Pool;
  /** The schema of the system tables. */
  readonly schema: string;
  /** Such as `edge` or `worker`. */
  readonly kind: string;
  /** Milliseconds of one renewal. */
  readonly lease: number;
  /** The catalog format that this release publishes. */
  readonly form: number;
  /**
   * The names of the keys with which it decrypts the secrets of second factors; none by default.
   */
  readonly secretKeys?: readonly string[] | undefined;
  /** The status report of this process, as JSON; read whenever the lease is renewed. */
  readonly report?: (() => unknown) | undefined;
}

/** The row of this process. */
export class RegisteredProcess {
  readonly id: string;
  readonly name: string;
  readonly lease: number;
  readonly #parts: RegisteredProcessParts;
  readonly #table: Sql;

  constructor(parts: RegisteredProcessParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.#table = systemTable(parts.schema, 'members');
    this.name = `${parts.kind} ${hostname()}:${process.pid}`;
    this.lease = parts.lease;
  }

  /**
   * Adds this process to the registry. Then compare with the database once more: a change that read
   * the registry before did not wait for this process.
   */
  async join({ catalog, access, sessions, reset, trouble }: Acknowledgement): Promise<void> {
    const { pool, kind, form, secretKeys = [] } = this.#parts;
    await pool.query(
      render(sql`INSERT INTO ${this.#table} (id, name, kind, expires, form, catalog, access, sessions,
          reset, trouble, secret_keys)
        VALUES (${this.id}, ${this.name}, ${kind}, ${this.#expiry}, ${form}, ${catalog}, ${access},
          ${sessions}, ${reset}, ${trouble}, ${secretKeys}::text[])
        ON CONFLICT (id) DO UPDATE SET expires = excluded.expires, catalog = excluded.catalog,
          access = excluded.access, sessions = excluded.sessions, reset = excluded.reset,
          trouble = excluded.trouble`),
    );
  }

  /**
   * The statement that renews the lease, for a WITH; it returns a row when the entry still exists.
   * The lease is then valid for {@link lease}, starting shortly after it was sent.
   */
  renewal(acknowledgement: Acknowledgement): Sql {
    return sql`${this.#update(
      acknowledgement,
      sql`expires = ${this.#expiry},
      report = ${this.#report()}::jsonb,`,
    )} RETURNING id`;
  }

  /** Records the versions that this process has applied, without renewing the lease. */
  async acknowledge(acknowledgement: Acknowledgement): Promise<void> {
    await this.#parts.pool.query(render(this.#update(acknowledgement, sql``)));
  }

  /** Removes this process from the registry, so that no process waits for it. */
  async leave(): Promise<void> {
    await this.#parts.pool.query(render(sql`DELETE FROM ${this.#table} WHERE id = ${this.id}`));
  }

  #report(): string | null {
    const { report } = this.#parts;
    return report === undefined ? null : JSON.stringify(report());
  }

  get #expiry(): Sql {
    return sql`clock_timestamp() + ${this.lease}::float8 * interval '1 ms'`;
  }

  #update({ catalog, access, sessions, reset, trouble }: Acknowledgement, more: Sql): Sql {
    return sql`UPDATE ${this.#table} SET ${more} catalog = ${catalog}::bigint,
      access = ${access}::bigint, sessions = ${sessions}::bigint, reset = ${reset}::bigint, trouble = ${trouble}::text
      WHERE id = ${this.id}::uuid AND ${UNFLUSHED}`;
  }
}

/**
 * True. The commit of this transaction does not wait for the disk: losing the registry in a crash
 * of the server does no harm.
 */
const UNFLUSHED = sql`set_config('synchronous_commit', 'off', true) = 'off'`;

/** Pauses between two checks, in milliseconds: each twice the previous one. */
const PAUSE_MS = { first: 2, most: 40 };

interface Missing {
  readonly id: string;
  readonly name: string;
  /** Its lease has expired, or it cannot load the published catalog. */
  readonly lost: boolean;
}

/** Conditions on entries: which have not applied the change, and which of these to ignore. */
interface Question {
  readonly behind: Sql;
  readonly excused: Sql;
}

export interface Waiting {
  /** Aborts the wait with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout in milliseconds; missing processes then count as lost. */
  readonly within?: number;
}

/** The versions that edges must have applied; versions that are not named are ignored. */
export type Known = Partial<Pick<Acknowledgement, 'catalog' | 'access' | 'sessions'>>;

/** The kind of processes that answer requests. */
const ANSWERING = 'edge';

/** All live processes, for callers that wait for them. */
export class Members {
  readonly #pool: Pool;
  readonly #table: Sql;

  /** @param schema the schema of the system tables */
  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#table = systemTable(schema, 'members');
  }

  /**
   * Resolves when each live edge has applied these versions or later ones. It does not wait for an
   * edge that cannot load a catalog. Other processes check for themselves before they begin.
   */
  acknowledged({ catalog, access, sessions }: Known, waiting: Waiting = {}): Promise<string[]> {
    // The value is null in releases that do not record it, and is ignored.
    const rights = sql`coalesce(access < ${access ?? 0}::bigint
      OR sessions < ${sessions ?? 0}::bigint, false)`;
    const outdated = sql`catalog < ${catalog ?? 0}::bigint`;
    return this.#all(
      {
        behind: sql`kind = ${ANSWERING} AND (${rights} OR ${outdated})`,
        excused: sql`trouble IS NOT NULL AND NOT ${rights}`,
      },
      waiting,
    );
  }

  /**
   * Resolves when each live process has applied this reset or a later one.
   * @returns the names of processes that have not applied it and are ignored
   */
  confirmed(reset: number, waiting: Waiting = {}): Promise<string[]> {
    const excused = sql`trouble IS NOT NULL`;
    return this.#all({ behind: sql`reset < ${reset}`, excused }, waiting);
  }

  async #all(question: Question, { signal, within }: Waiting): Promise<string[]> {
    const until = within === undefined ? Number.POSITIVE_INFINITY : performance.now() + within;
    const lost = new Map<string, string>();
    for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.most)) {
      signal?.throwIfAborted();
      const missing = await this.#missing(question);
      const late = performance.now() >= until;
      const waited = missing.filter((member) => !member.lost && !late);
      for (const { id, name } of missing) lost.set(id, name);
      for (const { id } of waited) lost.delete(id);
      if (waited.length === 0) return [...lost.values()];
      // The reason for ending is checked in the next round.
      await delay(pause, undefined, { signal }).catch(() => undefined);
    }
  }

  /**
   * Finds processes that are behind. This statement removes those whose lease has expired, so that
   * one that is still alive notices before it serves requests again. It waits for one that renews
   * its lease meanwhile.
   */
  async #missing({ behind, excused }: Question): Promise<Missing[]> {
    const { rows } = await this.#pool.query<Missing>(
      render(sql`
        WITH dead AS (
          DELETE FROM ${this.#table} WHERE expires <= clock_timestamp() RETURNING *)
        SELECT id, name, true AS lost FROM dead WHERE ${behind}
        UNION ALL
        SELECT id, name, ${excused} FROM ${this.#table} AS m
        WHERE ${behind} AND NOT EXISTS (SELECT FROM dead WHERE dead.id = m.id)`),
    );
    return rows;
  }
}
