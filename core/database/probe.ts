/**
 * Queries PostgreSQL on a separate connection for the state of other connections' backends. From
 * that it determines whether a silent connection still works.
 */
import pg from 'pg';
import type { Log } from '#core/base/log/log.ts';
import { guardedClient } from './client.ts';

/** Timeouts (ms) for connecting and for the answer. */
const PATIENCE_MS = 2_000;

/** The state of a backend, as PostgreSQL reports it. */
export interface Activity {
  readonly pid: number;
  /** Null when this role may not see it. */
  readonly state: string | null;
  readonly waitType: string | null;
  readonly wait: string | null;
  /** Bytes that its COPY has processed; null without a COPY. */
  readonly copied: string | null;
}

/** The state of a connection at the time of the probe. */
export interface Silence {
  /** Bytes were sent after the last received ones. */
  readonly unanswered: boolean;
  /** All data of a COPY was sent. */
  readonly copyEnded: boolean;
  /** The number of sent bytes, and of those that are still in the send buffer. */
  readonly sent: number;
  readonly unsent: number;
  /** Received data is read immediately. */
  readonly reads: boolean;
}

/** The state of a connection and of its backend in a probe. */
export interface Finding {
  readonly silence: Silence;
  readonly activity: Activity | undefined;
}

/**
 * - `activities`: the states of the existing backends among the requested ones;
 * - `unknown`: the server responds, but without this result: there is a pooler, or it rejects
 *   logins;
 * - `unreachable`: a separate connection failed.
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

/** The driver's process id of the backend, which its type declarations lack. */
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

/** Whether there is a pooler, which assigns its own process ids. */
export async function isBehindPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<Pick<Row, 'self'>>('SELECT pg_backend_pid() AS self');
  return rows[0]?.self !== backendOf(client);
}

/** Reads the states of the backends with these ids; never throws. */
export async function probeBackends(server: Server, pids: readonly number[]): Promise<Probe> {
  try {
    return await withClient(server, async (client) => {
      const { rows } = await client.query<Row>(QUESTION, [pids]);
      // A pooler assigns its own process ids.
      if (rows[0]?.self !== backendOf(client)) return { kind: 'unknown' };
      return { kind: 'activities', activities: new Map(rows.map((row) => [row.pid, row])) };
    });
  } catch (error) {
    return { kind: error instanceof pg.DatabaseError ? 'unknown' : 'unreachable' };
  }
}

/**
 * Terminates backends without a connected client, which releases their locks; working backends may
 * finish. Never throws.
 * @returns whether the request was sent to the server
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
 * Whether a connection that waits for an answer will never receive one: its backend waits for this
 * process too, or no longer exists. A backend that works, or waits for a lock, is not lost.
 * @param before the result of the previous probe
 */
export function isLost({ silence, activity }: Finding, before: Finding | null): boolean {
  if (activity === undefined) return true;
  const { state, waitType, wait, copied } = activity;
  if (state?.startsWith('idle')) return true;
  if (state !== 'active' || waitType !== 'Client') return false;
  if (wait === 'ClientWrite') return silence.reads;
  if (wait !== 'ClientRead') return false;
  if (copied === null) return silence.unanswered;
  // In a COPY this process must send: its data must arrive.
  if (before?.activity?.copied !== copied) return false;
  const stuck = silence.unsent > 0 && before.silence.unsent > 0;
  return silence.copyEnded || stuck || silence.sent > before.silence.sent;
}
