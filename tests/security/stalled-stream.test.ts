// @newest @slow
/** Long answers that nobody reads take nothing from anybody else. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { bodyOf, type ErrorsBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const SECOND = 'a-second-token-for-tests';
const PASSWORD = 'a password of somebody';
const ENV = { STREAM_MAX: '3', DATABASE_POOL_MAX: '4', DATABASE_POOL_WAIT: '3s' };
const TABLES = `
CREATE TABLE wide (id int PRIMARY KEY, filler text);
INSERT INTO wide SELECT i, repeat('x', 2000) FROM generate_series(1, 20000) i;
CREATE TABLE things (id int PRIMARY KEY, name text);
INSERT INTO things SELECT i, repeat('x', 1000) FROM generate_series(1, 900) i;
`;

t.test('updates, imports and logins go on while all streams are stalled', async (t) => {
  const cluster = await startCluster(t, { workers: 1, env: ENV });
  await cluster.db.query(TABLES);
  const { rows } = await cluster.db.query<{ role: string }>(
    'SELECT role FROM system_users WHERE token IS NOT NULL',
  );
  const user = { email: 'second@example.com', password: PASSWORD, role: rows[0]?.role };
  await until(async () => (await cluster.fetch('/items/things?limit=0')).ok, 'tables are known');
  const made = await cluster.fetch('/users', {
    method: 'POST',
    body: JSON.stringify({ ...user, token: SECOND }),
  });
  t.equal(made.status, 200);

  const port = Number(new URL(cluster.url).port);
  const stall = async (token: string, how = ''): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1' }).pause();
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    socket.write(`GET /items/wide?limit=-1${how} HTTP/1.1\r\n${head}`);
    return socket;
  };
  const stalled = async () => {
    const { rows: found } = await cluster.db.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'sluice edge' AND wait_event = 'ClientRead' AND state <> 'idle'`,
    );
    return found.length;
  };
  const sockets = [await stall(ADMIN_TOKEN), await stall(ADMIN_TOKEN, '&export=csv')];
  await until(async () => (await stalled()) === 2, 'two are stalled');
  sockets.push(await stall(SECOND));
  await until(async () => (await stalled()) === 3, 'all are stalled');

  const ask = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await cluster.fetch(path, { headers });
    return { answer, retry: answer.headers.get('retry-after') };
  };
  const refusals = Promise.all([
    ask('/items/wide?limit=-1', ADMIN_TOKEN),
    ask('/items/wide?limit=20000', SECOND),
    ask('/items/wide?limit=-1&export=json', SECOND),
  ]);
  for (let id = 1; id <= 20; id += 1) {
    const body = JSON.stringify({ name: 'changed' });
    const { status } = await cluster.fetch(`/items/things/${id}`, { method: 'PATCH', body });
    t.equal(status, 200, 'an update');
  }
  const { email, password } = user;
  const login = await cluster.fetch('/auth/login', {
    method: 'POST',
    body: JSON.stringify({ email, password }),
  });
  t.equal(login.status, 200, 'a login');
  t.equal((await upload(cluster, 'things', 'id,name\n1000,new\n')).status, 200, 'an import');
  for (const token of [ADMIN_TOKEN, SECOND]) {
    const { answer } = await ask('/items/things?limit=-1', token);
    t.equal((await bodyOf<{ data: unknown[] }>(answer)).data.length, 901, 'a short answer');
  }
  const [own, others, exported] = await refusals;
  for (const [{ answer, retry }, status, code] of [
    [own, 429, 'REQUESTS_EXCEEDED'],
    [others, 503, 'SERVICE_UNAVAILABLE'],
    [exported, 503, 'SERVICE_UNAVAILABLE'],
  ] as const) {
    t.equal(answer.status, status);
    t.match(retry, /^\d+$/);
    t.equal((await bodyOf<ErrorsBody>(answer)).errors[0]?.extensions.code, code);
  }

  sockets.pop()?.destroy();
  const whole = await until(async () => {
    const { answer } = await ask('/items/wide?limit=-1', SECOND);
    return answer.ok && (await answer.text());
  }, 'a place is free again');
  t.equal(whole.match(/"id":/g)?.length, 20_000);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await stalled()) === 0, 'nothing is left of them');
});
