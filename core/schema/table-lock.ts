/**
 * Takes the locks of a schema change without blocking other sessions behind it. A session that
 * queues for a strong lock blocks all later sessions, including readers. So it never queues behind
 * a session that has held its lock for long. Behind other sessions it queues only for short times,
 * which grow with the total wait.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import type { Client } from '#core/database/pool.ts';
import { identifier, join, raw, render, sql } from '#core/database/sql.ts';
import { SQLSTATE } from '#core/database/sqlstate.ts';
import type { LockMode, TableLock } from './schema-change-context.ts';

export interface LockOptions {
  /** Maximum milliseconds of one attempt. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** All attempts together take this many times the limit of one. */
const WAIT_FACTOR = 10;
/** The first attempt queues this long (ms), later ones for a share of the elapsed time. */
const FIRST_MS = 10;
/** The pause (ms) between two checks for sessions that hold a table. */
const LOOK_MS = 50;
/** Longer than the time (ms) after which PostgreSQL itself cancels an autovacuum. */
const YIELD_MS = 500;

/** Weak modes first: locks that block readers are taken last and so held for the shortest time. */
const MODES: readonly LockMode[] = ['SHARE ROW EXCLUSIVE', 'ACCESS EXCLUSIVE'];

/** A session with a conflicting lock; without a pid it is a prepared transaction. */
interface BlockingSession {
  readonly pid: number | null;
  /** Its transaction. */
  readonly transaction: string;
  /** An autovacuum, which PostgreSQL cancels when another session waits long enough. */
  readonly autovacuum: boolean;
}

/** The sessions whose locks conflict with these, also on partitions and inheriting tables. */
async function holdersOf(client: Client, locks: readonly Required<TableLock>[]) {
  const { rows } = await client.query<BlockingSession>(
    render(sql`
      WITH RECURSIVE wanted AS (
        SELECT c.oid, w.mode
        FROM unnest(${locks.map(({ schema }) => schema)}::text[],
          ${locks.map(({ name }) => name)}::text[],
          ${locks.map(({ mode }) => mode)}::text[]) AS w (nspname, relname, mode)
        JOIN pg_namespace n ON n.nspname = w.nspname
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.relname
        UNION
        SELECT i.inhrelid, w.mode FROM wanted w JOIN pg_inherits i ON i.inhparent = w.oid)
      SELECT l.pid, l.virtualtransaction AS transaction,
        bool_and(l.mode = 'ShareUpdateExclusiveLock' AND a.usesysid IS NULL
          AND a.datid IS NOT NULL) AS autovacuum
      FROM pg_locks l JOIN wanted w ON w.oid = l.relation
      LEFT JOIN pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'relation' AND l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (w.mode = 'ACCESS EXCLUSIVE' OR l.mode NOT IN ('AccessShareLock', 'RowShareLock'))
      GROUP BY l.pid, l.virtualtransaction`),
  );
  return rows;
}

/** Queues for at most `wait` milliseconds; on failure it holds no lock. */
class Attempt {
  readonly #client: Client;
  readonly #locks: readonly Required<TableLock>[];

  constructor(client: Client, locks: readonly Required<TableLock>[]) {
    this.#client = client;
    this.#locks = locks;
  }

  /** @returns whether the locks are held now */
  async make(wait: number, autovacuum: boolean): Promise<boolean> {
    const client = this.#client;
    await client.query('SAVEPOINT before_locks');
    try {
      if (autovacuum) await this.#endAutovacuum();
      await this.#within(wait);
      for (const mode of MODES) await this.#lock(mode, mode);
      await client.query('RELEASE before_locks');
      return true;
    } catch (error) {
      await client.query('ROLLBACK TO before_locks');
      if (error instanceof pg.DatabaseError && error.code === SQLSTATE.lockNotAvailable)
        return false;
      throw error;
    }
  }

  /**
   * Waits, until the autovacuum is cancelled, for a lock that blocks neither readers nor writers.
   */
  async #endAutovacuum(): Promise<void> {
    const { rows } = await this.#client.query<{ ms: number }>(
      `SELECT setting::int AS ms FROM pg_settings WHERE name = 'deadlock_timeout'`,
    );
    await this.#within((rows[0]?.ms ?? 0) + YIELD_MS);
    for (const mode of MODES) await this.#lock(mode, 'SHARE UPDATE EXCLUSIVE');
  }

  async #within(ms: number): Promise<void> {
    await this.#client.query(render(sql`SELECT set_config('lock_timeout', ${String(ms)}, true)`));
  }

  async #lock(wanted: LockMode, mode: LockMode | 'SHARE UPDATE EXCLUSIVE'): Promise<void> {
    const tables = this.#locks.filter((lock) => lock.mode === wanted);
    if (tables.length === 0) return;
    const names = tables.map(({ schema, name }) => identifier(schema, name));
    await this.#client.query(render(sql`LOCK TABLE ${join(names)} IN ${raw(mode)} MODE`));
  }
}

function inOrder(locks: readonly TableLock[]): Required<TableLock>[] {
  const key = ({ schema, name }: TableLock) => JSON.stringify([schema, name]);
  const sorted = [...locks].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return sorted.map((lock) => ({ mode: 'ACCESS EXCLUSIVE', ...lock }));
}

function refused(locks: readonly TableLock[], holders: readonly BlockingSession[], ms: number) {
  const tables = locks.map(({ schema, name }) => `${schema}.${name}`).join(', ');
  const pids = holders.flatMap(({ pid }) => pid ?? []).sort((a, b) => a - b);
  const others = holders.some(({ pid }) => pid === null) ? ['a prepared transaction'] : [];
  const sessions = pids.length === 0 ? [] : [`the sessions with the pids ${pids.join(', ')}`];
  const who = [...sessions, ...others].join(' and ') || 'other sessions';
  const why = reason('table_lock_timeout', {
    seconds: Math.ceil(ms / 1_000),
    tables,
    holders: who,
  });
  return unavailable('database', why, { retryAfter: 10 });
}

/**
 * Locks tables until the transaction ends: all of them or, between attempts, none.
 * @throws SERVICE_UNAVAILABLE naming the sessions that still hold conflicting locks
 * @throws the signal's reason when it is aborted
 */
export async function lockTables(
  client: Client,
  tables: readonly TableLock[],
  { limit, signal }: LockOptions,
): Promise<void> {
  const locks = inOrder(tables);
  const attempt = new Attempt(client, locks);
  const begun = performance.now();
  let seen = new Map<string, number>();
  for (;;) {
    signal.throwIfAborted();
    const holders = await holdersOf(client, locks);
    const now = performance.now();
    const passed = now - begun;
    const wait = Math.ceil(Math.min(limit, Math.max(FIRST_MS, passed / WAIT_FACTOR)));
    const known = seen;
    const since = ({ transaction }: BlockingSession) => known.get(transaction) ?? now;
    seen = new Map(holders.map((holder) => [holder.transaction, since(holder)]));
    // Does not queue behind a session that has held its lock for longer than the permitted wait.
    const long = holders.some((one) => !one.autovacuum && now - since(one) > wait);
    const autovacuum = holders.some((one) => one.autovacuum);
    if (!long && (await attempt.make(wait, autovacuum))) return;
    if (passed > limit * WAIT_FACTOR) throw refused(locks, holders, passed);
    // Sessions that queued behind the attempt get at least the same time without it.
    await delay(long ? LOOK_MS : LOOK_MS + wait, null, { signal });
  }
}
