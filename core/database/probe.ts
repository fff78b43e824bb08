/**
 * Asks PostgreSQL over a connection of its own what the backends of other connections do, and tells
 * from that whether a connection that is silent still carries anything.
 */
import pg from 'pg';
import type { Log } from '#core/base/log/log.ts';
import { guardedClient } from './client.ts';

/** Longest time (ms) to connect, and longest time to answer. */
const PATIENCE_MS = 2_000;

/** What a backend does, as PostgreSQL tells it. */
export interface Activity {
  readonly pid: number;
  /** Null where this role may not see it. */
  readonly state: string | null;
  readonly waitType: string | null;
  readonly wait: string | null;
  /** Bytes that its COPY has taken; null when it runs none. */
  readonly copied: string | null;
}

/** What a connection knows of itself, now of the probe. */
export interface Silence {
  /** Bytes were sent after the last ones came in. */
  readonly unanswered: boolean;
  /** All of a COPY was sent. */
  readonly copyEnded: boolean;
  /** Bytes that were sent, and those of them that the system has not taken yet. */
  readonly sent: number;
  readonly unsent: number;
  /** What came in is read as soon as it is there. */
  readonly reads: boolean;
}

/** A connection and its backend as a probe found them. */
export interface Finding {
  readonly silence: Silence;
  readonly activity: Activity | undefined;
}

/**
 * - `activities`: what was asked for, of those backends that exist;
 * - `unknown`: the server answers, but not this: a pooler stands between, or it takes nobody in;
 * - `unreachable`: a connection of its own found nobody.
 */
export type Probe =
  | { readonly kind: 'activities'; readonly activities: ReadonlyMap<number, Activity> }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unreachable' };

interface Row extends Activity {
  readonly self: number;
}

const QUESTION = `SELECT a.pid, a.state, a.wait_event_type AS "waitType", a.wait_event AS wait,
    c.bytes_processed AS copied, pg_backend_pid() AS self
  FROM pg_stat_activity a LEFT JOIN pg_stat_progress_copy c ON c.pid = a.pid
  WHERE a.pid = ANY ($1::int[]) OR a.pid = pg_backend_pid()`;

/** What the driver knows of its server; its declarations lack it. */
function backendOf(client: object): number | null {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : null;
}

export interface Server {
  readonly url: string;
  readonly log: Log;
}

async function withClient<T>(
  { url, log }: Server,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const Client = guardedClient(log);
  const client = new Client({
    connectionString: url,
    application_name: 'sluice probe',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.end().catch(() => undefined);
  }
}

/** Whether a pooler stands between, which gives out ids of its own. */
export async function isBehindPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<Pick<Row, 'self'>>('SELECT pg_backend_pid() AS self');
  return rows[0]?.self !== backendOf(client);
}

/** Looks at the backends with these ids; never throws. */
export async function probeBackends(server: Server, pids: readonly number[]): Promise<Probe> {
  try {
    return await withClient(server, async (client) => {
      const { rows } = await client.query<Row>(QUESTION, [pids]);
      // A pooler gives out ids of its own.
      if (rows[0]?.self !== backendOf(client)) return { kind: 'unknown' };
      return { kind: 'activities', activities: new Map(rows.map((row) => [row.pid, row])) };
    });
  } catch (error) {
    return { kind: error instanceof pg.DatabaseError ? 'unknown' : 'unreachable' };
  }
}

/**
 * Ends backends that nobody is connected to any more, and with them what they have locked; those at
 * work are left to finish. Never throws.
 * @returns whether the server was asked
 */
export async function endBackends(server: Server, pids: readonly number[]): Promise<boolean> {
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid = ANY ($1::int[]) AND usename = current_user AND wait_event_type = 'Client'`;
  try {
    return await withClient(server, async (client) => {
      if (!(await isBehindPooler(client))) await client.query(end, [pids]);
      return true;
    });
  } catch {
    return false;
  }
}

/**
 * Whether a connection that waits for an answer waits in vain: its backend waits for this process,
 * too, or is gone. One that works, however long, or waits for a lock is none of these.
 * @param before what the last probe found
 */
export function isLost({ silence, activity }: Finding, before: Finding | null): boolean {
  if (activity === undefined) return true;
  const { state, waitType, wait, copied } = activity;
  if (state?.startsWith('idle')) return true;
  if (state !== 'active' || waitType !== 'Client') return false;
  if (wait === 'ClientWrite') return silence.reads;
  if (wait !== 'ClientRead') return false;
  if (copied === null) return silence.unanswered;
  // In a COPY it is this process's turn to send: what it sent has to arrive.
  if (before?.activity?.copied !== copied) return false;
  const stuck = silence.unsent > 0 && before.silence.unsent > 0;
  return silence.copyEnded || stuck || silence.sent > before.silence.sent;
}
