// @newest @slow
/**
 * A throw in a callback costs one request or one connection, never the process: planted in those of
 * the driver, of the socket library, of COPY, of timers and of messages.
 */
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { BrokenConnectionError, MESSAGE_MAX_SIZE } from '#core/database/client.ts';
import { translateFailure } from '#core/database/failure.ts';
import { createPool } from '#core/database/pool.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { Reader } from '#core/database/reader.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { STREAMS } from '#tests/harness/stream.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const log = pino({ level: 'silent' });

async function open(t: Teardown) {
  const url = await createDatabase(t);
  const pool = createPool(loadConfig({}), url, log, { name: 'test', max: 1, statementTimeout: 0 });
  const shares = new PoolShares({ pool, url, log, wait: 60_000 });
  const reader = new Reader({
    ...STREAMS,
    url,
    name: 'test',
    log,
    shares,
    pipelined: 1,
    statementTimeout: 0,
  });
  await reader.open();
  t.teardown(() => Promise.all([reader.close(), pool.end()]));
  return { pool, reader };
}

const planted = () => {
  throw new Error('planted');
};

/** The driver's connection behind a client. */
function connectionOf(client: object): pg.Connection {
  if ('connection' in client && client.connection instanceof pg.Connection)
    return client.connection;
  throw new Error('the driver has changed');
}

t.test('a throw in a callback of the driver ends the connection it came on', async (t) => {
  const { pool } = await open(t);
  const works = async () => {
    const { rows } = await pool.query<{ one: number }>('SELECT 1 AS one');
    t.strictSame(rows, [{ one: 1 }], 'the pool goes on');
  };
  for (const event of ['dataRow', 'commandComplete', 'readyForQuery', 'parseComplete']) {
    const client = await pool.connect();
    connectionOf(client).prependOnceListener(event, planted);
    await t.rejects(client.query('SELECT $1::int', [1]), BrokenConnectionError, event);
    client.release(true);
    await works();
  }
  const client = await pool.connect();
  client.on('notification', planted);
  client.on('notice', planted);
  await client.query("LISTEN l; NOTIFY l; DO $$BEGIN RAISE NOTICE 'n'; END$$");
  const broken = new Promise((resolve) => client.once('error', resolve));
  client.on('error', planted);
  client.on('end', planted);
  const cursor = client.query(new Cursor('SELECT generate_series(1, 9)'));
  connectionOf(client).prependOnceListener('dataRow', planted);
  await t.rejects(cursor.read(1), BrokenConnectionError, 'a cursor');
  t.type(await broken, BrokenConnectionError, 'its connection');
  client.release(true);
  await works();
});

t.test('a message that is too long is refused without harm to others', async (t) => {
  const { reader, pool } = await open(t);
  const long = { text: "SELECT repeat('x', $1::int)", values: [MESSAGE_MAX_SIZE] };
  const short = { text: "SELECT repeat('x', $1::int)", values: [2] };
  const beside = { text: 'SELECT $1::text', values: ['y'] };
  for (const statement of [short, short, beside, beside]) await reader.text(statement);
  const memory = process.memoryUsage().rss;
  const [refused, ...others] = await Promise.allSettled([
    reader.text(long),
    ...[1, 2, 3].map(() => reader.text(beside)),
  ]);
  t.match(
    others,
    [1, 2, 3].map(() => ({ status: 'fulfilled', value: 'y' })),
    'on the same line',
  );
  const error = refused?.status === 'rejected' ? translateFailure(refused.reason) : null;
  t.type(error, ServiceError);
  t.match(error, { code: 'CONTENT_TOO_LARGE', details: { limit: MESSAGE_MAX_SIZE } });
  t.ok(process.memoryUsage().rss - memory < MESSAGE_MAX_SIZE / 2, 'it was never read');
  await t.rejects(pool.query(long.text, long.values), 'of the pool');
  t.equal(await reader.text(beside), 'y');
});

t.test('a process under a rain of throws goes on', async (t) => {
  const plant = pathToFileURL(`${import.meta.dirname}/fixture/plant.ts`).href;
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${plant}`;
  const cluster = await startCluster(t, { workers: 1, env: { NODE_OPTIONS } });
  const [edge] = cluster.edges;
  const [worker] = cluster.workers;
  if (!edge || !worker) throw new Error('nothing was started');
  const created = await cluster.fetch('/collections', {
    method: 'POST',
    body: JSON.stringify({
      collection: 'things',
      schema: {},
      fields: [{ field: 'name', type: 'string', schema: {} }],
    }),
  });
  t.equal(created.status, 200);
  const statuses = new Map<string, number>();
  const note = async (work: Promise<Response>) => {
    const whole = work.then(async (response) => {
      await response.text();
      return String(response.status);
    });
    const status = await whole.catch(() => 'cut');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  const one = (): readonly Promise<Response>[] => [
    cluster.fetch('/items/things?limit=-1'),
    cluster.fetch('/items/things?fields=name&sort=-id'),
    cluster.fetch('/items/things', { method: 'POST', body: '{"name":"a"}' }),
    cluster.fetch('/items/things', { method: 'POST', body: `{"name":"${'b'.repeat(200)}"}` }),
    cluster.fetch('/items/things', { signal: AbortSignal.timeout(3) }),
    upload(cluster, 'things', 'name\nc\nd\n', { headers: { Prefer: 'respond-async' } }),
    cluster.fetch('/items/things/1', { method: 'PATCH', body: '{"name":"e"}' }),
    cluster.fetch('/permissions', { method: 'SEARCH', body: '{}' }),
  ];
  for (const { pid } of [edge, worker]) process.kill(pid, 'SIGUSR2');
  const round = async () => {
    // What is lost with a throw may leave somebody without an answer, as a lost connection does.
    const works = one().map((work) =>
      note(Promise.race([work, new Promise<never>((_, no) => setTimeout(no, 2_000))])),
    );
    await Promise.all(works);
  };
  for (let rounds = 0; rounds < 25; rounds += 1) await round();
  for (const { pid } of [edge, worker]) process.kill(pid, 'SIGUSR2');
  t.comment(JSON.stringify(Object.fromEntries(statuses)));
  t.strictSame([edge.process.exitCode, worker.process.exitCode], [null, null], 'both live');
  for (const [name, { output }] of Object.entries({ edge, worker })) {
    t.match(output(), /planted in \w+/, `throws were planted in the ${name}`);
  }
  const count = () =>
    cluster.fetch('/items/things?aggregate[count]=*').then(
      (response) => response.text(),
      () => null,
    );
  await until(async () => {
    const before = await count();
    const answer = await upload(cluster, 'things', 'name\nf\n').catch(() => null);
    await answer?.text();
    return answer?.status === 200 && before !== null && before !== (await count());
  }, 'all to work as before');
});
