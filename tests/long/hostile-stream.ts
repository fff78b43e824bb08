/**
 * Writes and logins beside streams that are all taken, by clients that read slowly and clients that
 * read nothing: they take no longer than three times what they take on an idle installation.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '../harness/cluster.ts';
import { until } from '../harness/until.ts';

const ROUNDS = 400;
/** At least so many downloads try at once: more than may be streams. */
const CLIENTS = 10;
/** Bytes a second of the slow ones; 0 reads nothing. */
const PACES = [0, 10_000, 64_000, 0, 300_000];
const PASSWORD = 'a password of the tests';
const TIMES = 3;
const TABLES = `
CREATE TABLE wide (id int PRIMARY KEY, filler text);
INSERT INTO wide SELECT i, repeat('x', 2000) FROM generate_series(1, 100000) i;
CREATE TABLE things (id int PRIMARY KEY, name text);
INSERT INTO things SELECT i, 'x' FROM generate_series(1, 1000) i;
`;

interface Times {
  readonly write: number;
  readonly login: number;
}

function p99(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
}

async function timed(work: () => Promise<Response>): Promise<number> {
  const started = performance.now();
  const answer = await work();
  await answer.text();
  t.ok(answer.ok, 'it is answered') || t.comment(String(answer.status));
  return performance.now() - started;
}

async function measure(cluster: Cluster): Promise<Times> {
  const body = JSON.stringify({ email: 'admin@example.com', password: PASSWORD });
  const write: number[] = [];
  const login: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const name = JSON.stringify({ name: `round ${round}` });
    const path = `/items/things/${1 + (round % 1_000)}`;
    write.push(await timed(() => cluster.fetch(path, { method: 'PATCH', body: name })));
    login.push(await timed(() => cluster.fetch('/auth/login', { method: 'POST', body })));
  }
  return { write: p99(write), login: p99(login) };
}

/** Asks for everything, again and again, and reads it at a pace. */
async function download(port: number, pace: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket: Socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.pause();
    const closed = once(socket, 'close');
    const headers = `Host: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nConnection: close\r\n\r\n`;
    socket.write(`GET /items/wide?limit=-1 HTTP/1.1\r\n${headers}`);
    const leave = () => socket.destroy();
    signal.addEventListener('abort', leave);
    for (let allowed = 0; !socket.destroyed && !signal.aborted; ) {
      await delay(100, undefined, { signal }).catch(() => undefined);
      for (allowed += pace / 10; allowed > 0; ) {
        const chunk: Buffer | null = socket.read();
        if (chunk === null) break;
        // What was refused is asked for again.
        if (chunk.subarray(9, 12).toString() === '429') leave();
        allowed -= chunk.length;
      }
      allowed = Math.min(allowed, pace);
    }
    leave();
    await closed;
    signal.removeEventListener('abort', leave);
  }
}

t.test('writes and logins beside clients that take all streams', async (t) => {
  const env = {
    ADMIN_PASSWORD: PASSWORD,
    DATABASE_POOL_WAIT: '5s',
    RATE_LIMIT_LOGIN_ENABLED: 'false',
    STREAM_MAX_PER_USER: '4',
  };
  const cluster = await startCluster(t, { env });
  await cluster.db.query(TABLES);
  await until(async () => (await cluster.fetch('/items/things?limit=0')).ok, 'tables are known');
  await measure(cluster);
  const idle = await measure(cluster);
  const port = Number(new URL(cluster.url).port);
  const end = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    download(port, PACES[index % PACES.length] ?? 0, end.signal),
  );
  await until(async () => {
    const { rows } = await cluster.db.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'sluice edge' AND wait_event = 'ClientRead' AND state = 'active'`,
    );
    return rows.length >= 4;
  }, 'all streams are taken');
  const taken = await measure(cluster);
  end.abort();
  await Promise.all(clients);
  for (const what of ['write', 'login'] as const) {
    const figures = `p99 of a ${what}: ${idle[what].toFixed(1)} ms idle, ${taken[what].toFixed(1)} ms`;
    t.comment(figures);
    t.ok(taken[what] <= TIMES * idle[what], figures);
  }
});
