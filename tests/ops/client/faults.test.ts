// @newest
/**
 * What the client makes of networks and servers that fail: nothing is written twice, nothing hangs
 * beyond its time-out, and every error has a class.
 */
import t from 'tap';
import {
  createClient,
  NetworkError,
  PreconditionFailedError,
  RequestsExceededError,
  ServiceUnavailableError,
  TimeoutError,
} from '#ops/client/source/index.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { type Fault, startFaultProxy } from '#tests/harness/fault-proxy.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, { workers: 1 });
await cluster.db.query('CREATE TABLE note (id serial PRIMARY KEY, body text)');
await until(async () => (await cluster.fetch('/items/note')).ok, 'the table is served');
const proxy = await startFaultProxy(t, cluster.url);
const client = createClient(proxy.url, { token: ADMIN_TOKEN, timeout: 20_000 });
t.teardown(() => client.close());
const notes = client.items('note');
const bodies = async () =>
  (await cluster.db.query<{ body: string }>('SELECT body FROM note ORDER BY id')).rows.map(
    ({ body }) => body,
  );

const BUSY = { status: 503, headers: { 'Retry-After': '0' } };
const LIMITED = { status: 429, headers: { 'Retry-After': '0' } };
const CODES = /^(NETWORK|SERVICE_UNAVAILABLE|REQUESTS_EXCEEDED)$/;
const PASSING: Readonly<Record<string, Fault>> = {
  'a reset before the answer': { reset: 'before' },
  'a reset after it was done': { reset: 'after' },
  'a truncated answer': { truncate: 3 },
  'a busy server': BUSY,
  'a limit': LIMITED,
  'a gateway without a server': { status: 502 },
};

t.beforeEach(() => proxy.forget());

for (const [name, fault] of Object.entries(PASSING)) {
  t.test(`reads are repeated after ${name}`, async (t) => {
    proxy.next(fault, fault);
    t.type(await notes.list(), Array);
    t.equal(proxy.seen.length, 3);
    proxy.forget();
    proxy.next(fault);
    const names = Array.from({ length: 500 }, (_, index) => `a long name ${index}`);
    t.strictSame(await notes.list({ filter: { body: { _in: names } } }), []);
    t.strictSame(proxy.seen, ['SEARCH /items/note', 'SEARCH /items/note']);
  });

  t.test(`writes are sent once after ${name}`, async (t) => {
    const [before, mark] = [await bodies(), `written at ${name}`];
    proxy.next(fault);
    await t.rejects(notes.create({ body: mark }), { code: CODES });
    t.equal(proxy.seen.length, 1);
    const after = await bodies();
    t.ok(after.length - before.length <= 1);
  });

  t.test(`writes with If-Match are repeated after ${name}`, async (t) => {
    const [row] = (await cluster.db.query(`INSERT INTO note (body) VALUES ('old') RETURNING id`))
      .rows;
    const { tag } = await notes.getWithTag(row.id);
    proxy.forget();
    proxy.next(fault);
    const writing = notes.update(row.id, { body: name }, {}, { ifMatch: tag ?? '' });
    // Done the first time, whose answer was lost: the second finds another tag.
    const isDone = 'truncate' in (fault ?? {}) || name.includes('after');
    if (isDone) await t.rejects(writing, PreconditionFailedError);
    else t.match(await writing, { body: name });
    t.equal(proxy.seen.length, 2);
    t.equal((await notes.get(row.id)).body, name);
  });
}

t.test('imports are repeated only under a key, and done once', async (t) => {
  await cluster.db.query('CREATE TABLE row (id serial PRIMARY KEY, name text)');
  await until(async () => (await cluster.fetch('/items/row')).ok, 'the table is served');
  const file = { name: 'rows.csv', content: 'name\nfirst\n' };
  proxy.next({ reset: 'after' });
  await t.rejects(Promise.resolve(client.items('row').import(file)), NetworkError);
  t.equal(proxy.seen.length, 1);
  const rows = async () => (await cluster.db.query('SELECT FROM row')).rowCount;
  await until(async () => (await rows()) === 1, 'what was accepted is done');
  proxy.next({ reset: 'after' }, BUSY, { reset: 'before' });
  const named = { name: 'more.csv', content: 'name\nsecond\n' };
  t.match(await client.items('row').import(named, { idempotencyKey: 'k1' }), { inserted: 1 });
  t.equal(await rows(), 2);
});

t.test('a job is followed over broken connections', async (t) => {
  await client.queues.pause('transfer');
  const run = client.items('row').import({ name: 'third.csv', content: 'name\nthird\n' });
  await run.job;
  proxy.next({ reset: 'after' }, { truncate: 5 });
  await client.queues.resume('transfer').catch(() => client.queues.resume('transfer'));
  t.match(await run, { inserted: 1 });
});

t.test('what hangs ends with its time-out, and is not sent again', async (t) => {
  for (const hang of ['answer', 'body'] as const) {
    proxy.forget();
    proxy.next({ hang });
    await t.rejects(notes.list({}, { timeout: 1_500 }), TimeoutError);
    t.equal(proxy.seen.length, 1);
  }
  proxy.next({ hang: 'answer' });
  const count = (await bodies()).length;
  await t.rejects(notes.create({ body: 'hung' }, {}, { timeout: 1_500 }), TimeoutError);
  await until(async () => (await bodies()).length === count + 1, 'it was written');
  t.equal((await bodies()).filter((body) => body === 'hung').length, 1);
});

t.test('half-open connections end with the time-out', async (t) => {
  const tcp = await startProxy(t, cluster.url);
  const other = createClient(tcp.url, { token: ADMIN_TOKEN, timeout: 400, retry: false });
  t.teardown(() => other.close());
  const ping = async () => await other.server.ping().catch(() => null);
  await until(ping, 'a connection is there');
  tcp.freezeNew(true);
  tcp.freeze();
  await t.rejects(other.items('note').list(), TimeoutError);
  const content = new Blob([new Uint8Array(5_000_000)]);
  await t.rejects(other.files.upload({ name: 'x', content }), TimeoutError);
  tcp.freezeNew(false);
  const asks = () => other.server.ping().then(Boolean, () => false);
  await until(asks, 'new connections work');
  await tcp.down();
  await t.rejects(other.server.ping(), NetworkError);
});

t.test('Retry-After is obeyed, and one that is too long is told', async (t) => {
  const soon = { status: 429, headers: { 'Retry-After': '1' } };
  const begin = performance.now();
  proxy.next(soon);
  await notes.list();
  t.ok(performance.now() - begin >= 1_000);
  proxy.next({ status: 429, headers: { 'Retry-After': '3600' } });
  const limited = notes.list();
  await t.rejects(limited, RequestsExceededError);
  t.match(await limited.catch((error) => error), { retryAfter: 3_600_000, status: 429 });
  const date = new Date(Date.now() - 1_000).toUTCString();
  proxy.next({ status: 503, headers: { 'Retry-After': date } });
  t.type(await notes.list(), Array);
});

t.test('it gives up after so many tries, or at once where it may not try', async (t) => {
  proxy.next(BUSY, BUSY, BUSY, BUSY, null);
  await t.rejects(notes.list(), ServiceUnavailableError);
  t.equal(proxy.seen.length, 4);
  await notes.list();
  proxy.forget();
  const once = createClient(proxy.url, { token: ADMIN_TOKEN, retry: false });
  t.teardown(() => once.close());
  proxy.next(BUSY);
  await t.rejects(once.items('note').list(), ServiceUnavailableError);
  t.equal(proxy.seen.length, 1);
});

t.test('a signal ends requests, pauses and streams, with its own reason', async (t) => {
  const reason = new Error('enough');
  const aborted = AbortSignal.abort(reason);
  await t.rejects(notes.list({}, { signal: aborted }), reason);
  const controller = new AbortController();
  proxy.next({ hang: 'answer' });
  const hanging = notes.list({}, { signal: controller.signal });
  await until(() => proxy.seen.length === 1, 'it is asked');
  controller.abort(reason);
  await t.rejects(hanging, reason);
  const pausing = new AbortController();
  proxy.next({ status: 503, headers: { 'Retry-After': '20' } });
  const waiting = notes.list({}, { signal: pausing.signal });
  await until(() => proxy.seen.length === 2, 'it waits');
  pausing.abort(reason);
  await t.rejects(waiting, reason);
});

t.test('streams that break off are errors', async (t) => {
  await cluster.db.query(
    `INSERT INTO note (body) SELECT repeat('x', 1000) FROM generate_series(1, 50)`,
  );
  proxy.next({ truncate: 2_000 });
  const read = async () => {
    for await (const item of notes.each()) t.ok(item);
  };
  await t.rejects(read(), NetworkError);
});

t.test('a resumable upload goes on where it broke off', async (t) => {
  const bytes = new Uint8Array(2_000_000).fill(7);
  proxy.next(null, { reset: 'after' }, null, BUSY, null, { hang: 'answer' });
  const file = { name: 'pieces.bin', content: new Blob([bytes]) };
  const stored = await client.files.upload(
    file,
    {},
    {
      timeout: 5_000,
      resumable: { pieceSize: 500_000 },
    },
  );
  t.equal(stored?.filesize, '2000000');
  const begun = proxy.seen.filter((line) => line.startsWith('POST'));
  t.equal(begun.length, 1);
});

t.test('a resumable upload goes on as long as something of it arrives', async (t) => {
  const content = new Blob([new Uint8Array(800_000).fill(7)]);
  const answers = Array.from({ length: 8 }, (): Fault[] => [{ reset: 'after' }, null]);
  proxy.next(null, ...answers.flat());
  const resumable = { pieceSize: 100_000 };
  const stored = await client.files
    .upload({ name: 'many.bin', content }, {}, { resumable })
    .catch((error: unknown) => void t.fail('it is given up', { error, answers: proxy.answers }));
  t.equal(stored?.filesize, '800000');
  t.equal(proxy.seen.filter((line) => line.startsWith('POST')).length, 1, 'it is the same upload');
});
