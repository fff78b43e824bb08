/**
 * Requests that ask for more than is allowed are refused in less than 50 ms of an edge's event loop,
 * and a page of rows too large for one string costs its own request only. All that is allowed, many
 * times at once, by one user and by fifty, ends no edge and leaves others their answers. Needs an idle
 * machine.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { bodyOf } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { type Pressed, press } from './fixture/press.ts';
import { percentile, startSteadyReads } from './fixture/steady-reads.ts';

const MOST_MS = 50;
/** Beside one user who sends all that is allowed, p99 of others: times that of the idle edge, and milliseconds. */
const TIMES = 3;
const WITHIN_MS = 100;
/** Beside fifty of them every request is answered within so many milliseconds, be it with 503. */
const ANSWERED_MS = 5_000;
/** How long is measured, idle and pressed. */
const IDLE_MS = 5_000;
const PRESSED_MS = Number(process.env.PRESSED_MS ?? 20_000);
const USERS = 50;

function many<T>(count: number, value: T): T[] {
  return Array<T>(count).fill(value);
}

/** The text of an object with many members. */
function object(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
}

/** A name, the status, and method, path and body of a request. */
type Case = readonly [string, number, string, string, string];

/** A list with one entry for each of as many items as one request may write, nearly. */
function items(entry: (index: number) => unknown): string {
  return JSON.stringify(Array.from({ length: 99_000 }, (_, index) => entry(index)));
}

/** Writes within the bounds whose items are not there, or of which one is wrong. */
function refusedWrites(): readonly Case[] {
  const keys = items((index) => index + 1e6);
  const things = '/items/things';
  const first = items((index) => ({ id: index, n: index === 0 ? 'x' : 1 }));
  const last = items((index) => ({ id: index, n: index === 98_999 ? 'x' : 1 }));
  return [
    ['missing keys deleted', 403, 'DELETE', things, keys],
    ['missing keys changed', 403, 'PATCH', things, `{"keys":${keys},"data":{"name":"a"}}`],
    [
      'missing items changed',
      403,
      'PATCH',
      things,
      items((index) => ({ id: index + 1e6, name: 'a' })),
    ],
    ['missing keys related', 403, 'POST', things, `{"id":1,"parts":${keys}}`],
    ['a list with a wrong first item', 400, 'POST', things, first],
    ['a list with a wrong last item', 400, 'POST', things, last],
  ];
}

/** Requests, each of which is refused. */
function refused(): readonly Case[] {
  const search = (query: unknown) => JSON.stringify({ query });
  const or = search({ filter: { _or: many(300_000, { id: { _eq: 1 } }) } });
  const rows = JSON.stringify(many(300_000, { id: 1, name: 'a name' }));
  const byQuery = `{"query":{},"data":{"name":${JSON.stringify(many(300_000, 'abcdefgh'))}}}`;
  return [
    ['conditions over the size', 413, 'SEARCH', '/items/things', or],
    [
      'short conditions',
      400,
      'SEARCH',
      '/items/things',
      search({ filter: { _or: many(200_000, {}) } }),
    ],
    [
      'empty groups',
      400,
      'SEARCH',
      '/items/things',
      search({ filter: { _and: many(90_000, { _or: [] }) } }),
    ],
    ['sort terms', 400, 'SEARCH', '/items/things', search({ sort: many(500_000, 'a').join() })],
    ['groups', 400, 'SEARCH', '/items/things', search({ groupBy: many(200_000, 'a') })],
    ['fields', 400, 'SEARCH', '/items/things', search({ fields: many(500_000, 'a').join() })],
    [
      'list values',
      400,
      'SEARCH',
      '/items/things',
      search({ filter: { id: { _in: many(500_000, 1) } } }),
    ],
    ['nesting', 400, 'SEARCH', '/items/things', search({ sort: `${'['.repeat(500_000)}` })],
    ['a path', 400, 'SEARCH', '/items/things', search({ sort: many(500_000, 'a').join('.') })],
    ['a write by query', 413, 'PATCH', '/items/things', byQuery],
    ['rows', 400, 'POST', '/items/things', rows],
    ['keys', 400, 'DELETE', '/items/things', JSON.stringify(many(1_000_000, 1))],
    ['deep', 400, 'POST', '/items/things', '['.repeat(16_000_000)],
    ['empty items', 400, 'POST', '/items/things', `[${'{},'.repeat(5_000_000)}{}]`],
    ['numbers', 400, 'POST', '/items/things', `[${'1,'.repeat(7_000_000)}1]`],
    ['members', 400, 'POST', '/items/things', object(900_000)],
    ['members of a document', 400, 'POST', '/items/things', `{"doc":${object(900_000)}}`],
    ['related items', 400, 'POST', '/items/things', `{"parts":[${'{},'.repeat(1_000_000)}{}]}`],
    ['related keys', 400, 'POST', '/items/things', `{"parts":[${'1,'.repeat(200_000)}1]}`],
    ['a long token', 413, 'POST', '/auth/password/reset', `{"token":"${'a.b.c'.repeat(3e6)}"}`],
    [
      'relations',
      400,
      'SEARCH',
      '/items/things',
      search({ filter: { _or: many(900, { parts: { thing: { parts: { id: { _eq: 1 } } } } }) } }),
    ],
    [
      'a path into a document',
      400,
      'SEARCH',
      '/items/things',
      search({ filter: { doc: { _json: { [`${'a.'.repeat(200_000)}b`]: { _eq: 1 } } } } }),
    ],
    ['parameters', 400, 'SEARCH', '/items/things', `{"query":${object(60_000)}}`],
    ['levels', 400, 'SEARCH', '/items/things', `{"query":{"deep":${object(50_000)}}}`],
    ['a search', 400, 'SEARCH', '/items/things', search({ search: 'x'.repeat(900_000) })],
    ...refusedWrites(),
    ['malformed', 400, 'POST', '/items/things', `[${'[[]],'.repeat(3_000_000)}`],
  ];
}

async function openEdge(t: Tap): Promise<Cluster> {
  const plant = pathToFileURL(`${import.meta.dirname}/fixture/delay.ts`).href;
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${plant}`;
  const cluster = await startCluster(t, { env: { NODE_OPTIONS } });
  await cluster.db.query(`
    CREATE TABLE things (id int PRIMARY KEY, name text, n int, doc jsonb);
    CREATE TABLE parts (id int PRIMARY KEY, thing int REFERENCES things)`);
  await until(async () => (await cluster.fetch('/items/parts')).ok, 'the tables to be served');
  return cluster;
}

type Tap = Parameters<typeof startCluster>[0];

t.test('a refusal holds the event loop for less than 50 ms', async (t) => {
  const cluster = await openEdge(t);
  const [edge] = cluster.edges;
  if (edge === undefined) throw new Error('no edge');
  let asked = 0;
  /** The longest delay (ms) since it was asked last. */
  const delay = async () => {
    asked += 1;
    process.kill(edge.pid, 'SIGUSR2');
    const line = new RegExp(`^delay ${asked} ([\\d.]+)$`, 'm');
    return Number(await until(() => line.exec(edge.output())?.[1], 'the delay'));
  };
  const headers = { 'content-type': 'application/json' };
  for (const [name, status, method, path, body] of refused()) {
    // The first one of a kind is compiled while it runs.
    for (let times = 0; times < 2; times += 1) {
      await (await cluster.fetch(path, { method, body, headers })).text();
    }
    await delay();
    const response = await cluster.fetch(path, { method, body, headers });
    await response.text();
    const longest = await delay();
    t.comment(`${name}: ${longest} ms`);
    t.equal(response.status, status, name);
    t.ok(longest < MOST_MS, `${name}: ${longest} ms`);
  }
});

t.test('a page of 53 rows of 10 MB is streamed, and the edge lives', async (t) => {
  const cluster = await openEdge(t);
  await cluster.db.query(`INSERT INTO things
    SELECT n, repeat(md5(n::text), 327680) FROM generate_series(1, 53) n`);
  const [edge] = cluster.edges;
  const answers = await Promise.all([
    cluster.fetch('/items/things'),
    ...many(20, '/items/things?fields=id').map((path) => cluster.fetch(path)),
  ]);
  // Longer than a string can be, so the pieces are counted and dropped.
  const [page, ...others] = await Promise.all(
    answers.map(async ({ status, body }) => {
      let size = 0;
      for await (const piece of body ?? []) size += piece.byteLength;
      return { status, size };
    }),
  );
  t.equal(page?.status, 200);
  t.ok((page?.size ?? 0) > 53 * 10_000_000, 'it is streamed');
  for (const { status } of others) t.equal(status, 200);
  t.equal(edge?.process.exitCode, null, 'the edge lives');
});

/** An edge with a heap of 512 MB, and users with the rights to create and to read. */
async function openPressed(t: Tap): Promise<{ cluster: Cluster; tokens: readonly string[] }> {
  const env = { EDGE_MEMORY: '512mb', DATABASE_POOL_WAIT: '5s', WEBSOCKETS_ENABLED: 'true' };
  const cluster = await startCluster(t, { env });
  await cluster.db.query(`
    CREATE TABLE things (id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY, n int);
    CREATE TABLE few (id int PRIMARY KEY, name text);
    INSERT INTO few SELECT n, 'a name' FROM generate_series(1, 1000) n;
    CREATE TABLE pages (id int PRIMARY KEY, text text);
    INSERT INTO pages SELECT n, repeat(md5(n::text), 32768) FROM generate_series(1, 14) n`);
  await cluster.served('/items/pages');
  const send = async (path: string, body: unknown) => {
    const answer = await cluster.fetch(path, { method: 'POST', body: JSON.stringify(body) });
    return (await bodyOf<{ data: { id: string } }>(answer)).data;
  };
  const policy = await send('/policies', { name: 'all' });
  const collections = ['things', 'few', 'pages'];
  await send(
    '/permissions',
    collections.flatMap((collection) =>
      ['create', 'read'].map((action) => ({
        ...{ policy: policy.id, collection, action, fields: ['*'], permissions: {} },
      })),
    ),
  );
  const role = await send('/roles', {
    name: 'users',
    policies: { create: [{ policy: policy.id }] },
  });
  const tokens = Array.from({ length: USERS + 1 }, (_, n) => `token-of-user-number-${n}`);
  await send(
    '/users',
    tokens.map((token, n) => ({
      email: `u${n}@example.com`,
      token,
      role: role.id,
      status: 'active',
    })),
  );
  const [public_] = (
    await cluster.db.query("SELECT id FROM system_policies WHERE name ILIKE '%public%'")
  ).rows;
  await send('/permissions', {
    ...{ policy: public_.id, collection: 'things', action: 'read', fields: ['*'], permissions: {} },
  });
  return { cluster, tokens };
}

function rssOf(pid: number | undefined): string {
  return /VmRSS:.*/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[0] ?? '';
}

interface Answered {
  readonly request: string;
  readonly status: number;
  readonly ms: number;
}

/** Reads and small writes of another user, one after the other. */
async function answersBeside(cluster: Cluster, token: string, work: Promise<unknown>) {
  const answers: Answered[] = [];
  let isOver = false;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit) => {
    while (!isOver) {
      const since = performance.now();
      const answer = await fetch(`${cluster.url}${path}`, { ...init, headers });
      await answer.arrayBuffer();
      const request = `${init.method ?? 'GET'} ${path}`;
      answers.push({ request, status: answer.status, ms: performance.now() - since });
      await delay(20);
    }
  };
  const asking = Promise.all([
    ask('/items/few/1', {}),
    ask('/items/few?limit=100', {}),
    ask('/items/things', { method: 'POST', body: '{"n":1}' }),
    ask('/server/ping', {}),
  ]);
  await work;
  isOver = true;
  await asking;
  return answers;
}

/** What a reader beside it sees. */
async function latencies(cluster: Cluster, token: string, work: Promise<unknown>) {
  const pathOf = (n: number) => `/items/few/${(n % 1_000) + 1}`;
  const reads = startSteadyReads({ url: cluster.url, token, rate: 50, pathOf });
  await work;
  return await reads.stop();
}

function told(t: Tap & { comment(text: string): void }, name: string, counts: Pressed): void {
  t.comment(`${name} was answered ${JSON.stringify(counts)}`);
}

t.test('all that is allowed, many times at once, in a heap of 512 MB', async (t) => {
  const { cluster, tokens } = await openPressed(t);
  const [reader = '', one = '', ...others] = tokens;
  const [edge] = cluster.edges;
  const port = Number(new URL(cluster.url).port);
  const idle = async () => percentile(await latencies(cluster, reader, delay(IDLE_MS)), 99);
  await idle();

  await t.test('by one user', async (t) => {
    const quiet = await idle();
    const size = { lists: 40, halves: 100, unread: 40, documents: 10, messages: 5 };
    const pressing = press({ port, tokens: [one], ...size, ms: PRESSED_MS });
    const seen = await latencies(cluster, reader, pressing);
    told(t, 'the user', await pressing);
    const p99 = percentile(seen, 99);
    const most = Math.max(TIMES * quiet, WITHIN_MS);
    t.comment(`p99 of others: ${p99.toFixed(1)} ms, idle ${quiet.toFixed(1)} ms`);
    t.ok(p99 <= most, `p99 of others: ${p99} ms, at most ${most} ms`);
    t.equal(edge?.process.exitCode, null, 'the edge lives');
  });

  await t.test('by an address without a user', async (t) => {
    const size = { lists: 0, halves: 600, unread: 0, documents: 0, messages: 0 };
    const pressing = press({ port, tokens: [null], ...size, ms: PRESSED_MS });
    const seen = await latencies(cluster, reader, pressing);
    told(t, 'the address', await pressing);
    t.comment(`p99 of others: ${percentile(seen, 99).toFixed(1)} ms`);
    const [memory] = /\d+/.exec(rssOf(edge?.pid)) ?? [];
    t.comment(`resident memory: ${memory} kB`);
    t.equal(edge?.process.exitCode, null, 'the edge lives');
  });

  await t.test('by fifty', async (t) => {
    const size = { lists: 4, halves: 12, unread: 2, documents: 1, messages: 1 };
    const all = [...others, one];
    const pressing = press({ port, tokens: all, ...size, ms: PRESSED_MS });
    const seen = await answersBeside(cluster, reader, pressing);
    told(t, 'all', await pressing);
    const slowest = Math.max(...seen.map(({ ms }) => ms));
    const statuses = Map.groupBy(seen, ({ status }) => status);
    const numbers = [...statuses].map(([status, { length }]) => `${status}: ${length}`);
    t.comment(`others: ${numbers.join(', ')}; the slowest ${slowest.toFixed(0)} ms`);
    for (const [request, answers] of Map.groupBy(seen, ({ request }) => request)) {
      const times = answers.map(({ ms }) => ms.toFixed(0)).sort((a, b) => Number(b) - Number(a));
      t.comment(`${request}: ${answers.length}, the slowest ${times.slice(0, 5).join(', ')} ms`);
    }
    t.ok(slowest <= ANSWERED_MS, `the slowest of others: ${slowest} ms`);
    t.strictSame(
      [...statuses.keys()].filter((status) => status !== 200 && status !== 503),
      [],
      'others get an answer, or 503',
    );
    t.equal(edge?.process.exitCode, null, 'the edge lives');
  });
});
