// @newest
/** What one user may take up: jobs, bytes that wait for them, streams of events. */
import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { SpoolQuota } from '#core/jobs/quota.ts';
import { bodyOf, type ErrorsBody, type JobBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const UPLOADS = 8;
const ENV = {
  ...{ JOBS_MAX_PER_USER: '5', SPOOL_MAX_PER_USER: '100kb', EVENTS_MAX_PER_USER: '2' },
  UPLOADS_MAX_PER_USER: String(UPLOADS),
};
const BACKGROUND = { query: '?background=true' };

/** A file of so many KB that no other is identical with. */
let files = 0;
const file = (kilobytes: number) =>
  `name\n${(files++).toString().padStart(9)}${'\n'.repeat(kilobytes * 1_024)}`;

let cluster: Cluster;
let second: Cluster;

t.before(async () => {
  cluster = await startCluster(t, { env: ENV });
  const { url } = await cluster.addEdge(ENV);
  second = {
    ...cluster,
    url,
    fetch: (path, init) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }),
  };
  await cluster.db.query('CREATE TABLE things (id serial PRIMARY KEY, name text)');
  for (const edge of [cluster, second]) {
    await until(async () => (await edge.fetch('/items/things')).ok, 'the table is known');
  }
});

const spooled = () => storedFiles(cluster);

async function arriving(): Promise<number> {
  return (await cluster.db.query('SELECT FROM system_uploads')).rows.length;
}

async function accepted(answer: Response): Promise<string> {
  t.equal(answer.status, 202);
  return (await bodyOf<JobBody>(answer)).data.id;
}

async function refused(answer: Response, variable: string, status = 429): Promise<void> {
  t.equal(answer.status, status, variable);
  if (status === 429) t.match(answer.headers.get('retry-after'), /^\d+$/);
  const [error] = (await bodyOf<ErrorsBody>(answer)).errors;
  t.match(error?.extensions, { variable, limit: Number });
}

async function cancel(id: string): Promise<void> {
  t.equal((await cluster.fetch(`/jobs/${id}`, { method: 'DELETE' })).status, 204);
}

t.test('bytes that wait to be imported', async (t) => {
  const waiting = await accepted(await upload(cluster, 'things', file(60), BACKGROUND));
  for (const edge of [cluster, second]) {
    await refused(await upload(edge, 'things', file(60), BACKGROUND), 'SPOOL_MAX_PER_USER');
  }
  await refused(await upload(cluster, 'things', file(200)), 'SPOOL_MAX_PER_USER', 413);
  t.equal(spooled().length, 1, 'nothing is left of what was refused');
  t.equal(await arriving(), 0);
  await cancel(waiting);
  const next = await accepted(await upload(second, 'things', file(60), BACKGROUND));
  await cancel(next);
  t.equal(spooled().length, 0);
});

t.test('bytes that are still arriving, of unknown length, too', async (t) => {
  const socket = connect(Number(new URL(cluster.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString();
  });
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n';
  const send = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
  socket.write(
    `POST /utils/import/things?background HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  send(`${head}Content-Type: text/csv\r\n\r\n${file(60)}`);
  const claimed = async () => {
    const { rows } = await cluster.db.query<{ bytes: number }>(
      'SELECT coalesce(sum(bytes), 0)::int AS bytes FROM system_uploads',
    );
    return rows[0]?.bytes ?? 0;
  };
  await until(async () => (await claimed()) >= 50 * 1_024, 'what has arrived is counted');
  await refused(await upload(second, 'things', file(60), BACKGROUND), 'SPOOL_MAX_PER_USER');
  send(file(60));
  await until(async () => answer !== '', 'the rest of it is refused');
  t.match(answer, /^HTTP\/1.1 429 .*SPOOL_MAX_PER_USER/s);
  socket.destroy();
  await until(async () => (await arriving()) === 0 && spooled().length === 0, 'nothing is left');
});

t.test('uploads that arrive slowly', async () => {
  const begin = async (part: string) => {
    const socket = connect(Number(new URL(cluster.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(
      `POST /utils/import/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n${part}`,
    );
    return socket;
  };
  // Some have not even begun their file.
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\nna';
  const parts = Array.from({ length: UPLOADS }, (_, index) => (index % 2 === 0 ? '-' : head));
  const sockets = await Promise.all(parts.map(begin));
  const keep = setInterval(() => {
    for (const socket of sockets) socket.write('-');
  }, 1_000);
  const send = () => upload(cluster, 'things', file(0), BACKGROUND);
  let answer = await send();
  while (answer.status === 202) {
    await cancel(await accepted(answer));
    answer = await send();
  }
  await refused(answer, 'UPLOADS_MAX_PER_USER');
  await cancel(await accepted(await upload(second, 'things', file(0), BACKGROUND)));
  clearInterval(keep);
  for (const socket of sockets) socket.destroy();
  const again = await until(async () => {
    const free = await send();
    return free.status === 202 ? free : null;
  }, 'there is room again');
  await cancel(await accepted(again));
  await until(async () => spooled().length === 0, 'nothing is left');
});

t.test('what a killed process left counts no more after a while', async (t) => {
  const { rows } = await cluster.db.query<{ id: string }>('SELECT id FROM system_users');
  const holder = quotaKeyOf({ user: rows[0]?.id ?? '', ip: null });
  await cluster.db.query(
    `INSERT INTO system_uploads (id, holder, bytes) VALUES (gen_random_uuid(), $1, 90000)`,
    [holder],
  );
  const quota = new SpoolQuota({ pool: cluster.db, schema: 'public', max: 102_400 });
  const id = '00000000-0000-4000-8000-000000000000';
  await t.rejects(quota.begin(id, holder, 60_000), { code: 'REQUESTS_EXCEEDED' });
  const other = quotaKeyOf({ user: null, ip: '2001:db8::1' });
  await (await quota.begin(id, other, 60_000)).end();
  await cluster.db.query(`UPDATE system_uploads SET seen_on = now() - interval '11 minutes'`);
  await (await quota.begin(id, holder, 60_000)).end();
  t.equal(await arriving(), 0);
});

t.test('jobs that wait and run', async (t) => {
  const same = file(0);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      upload(index % 2 ? cluster : second, 'things', index === 0 ? same : file(0), BACKGROUND),
    ),
  );
  const taken = answers.filter(({ status }) => status === 202);
  t.equal(taken.length, 5, 'as many as may, on both edges together');
  for (const answer of answers)
    if (answer.status !== 202) await refused(answer, 'JOBS_MAX_PER_USER');
  t.equal(spooled().length, 5);
  const [first, ...others] = await Promise.all(taken.map(accepted));
  await cancel(first ?? '');
  const again = await accepted(await upload(cluster, 'things', 'name\nagain\n', BACKGROUND));
  const joined = await accepted(await upload(second, 'things', 'name\nagain\n', BACKGROUND));
  t.equal(joined, again, 'what is joined is no job more');
  const change = await cluster.fetch('/collections/things', {
    method: 'PATCH',
    body: '{"meta":{"note":"x"}}',
  });
  await refused(change, 'JOBS_MAX_PER_USER');
  for (const id of [...others, again]) await cancel(id);
  t.equal(spooled().length, 0);
});

t.test('streams of events', async (t) => {
  const id = await accepted(await upload(cluster, 'things', file(0), BACKGROUND));
  const open = async () => {
    const gone = new AbortController();
    const answer = await cluster.fetch(`/jobs/${id}/events`, { signal: gone.signal });
    return { answer, leave: () => gone.abort() };
  };
  const [one, two] = [await open(), await open()];
  t.strictSame([one.answer.status, two.answer.status], [200, 200]);
  await refused((await open()).answer, 'EVENTS_MAX_PER_USER');
  one.leave();
  await until(async () => {
    const { answer, leave } = await open();
    leave();
    return answer.status === 200;
  }, 'there is room again');
  two.leave();
  await cancel(id);
});
