import { createDirectus, readSingleton, rest, staticToken, updateSingleton } from '@directus/sdk';
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

let cluster: Cluster;

async function send(method: string, path: string, body?: unknown) {
  const response = await cluster.fetch(path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const get = (path: string) => send('GET', path);

/** More than a function of PostgreSQL takes arguments. */
const WIDE = Array.from({ length: 120 }, (_, index) => `c${index + 1}`);

t.before(async () => {
  cluster = await startCluster(t);
  await cluster.db.query(`
    CREATE SEQUENCE looked;
    CREATE TABLE globals (id serial PRIMARY KEY, site text DEFAULT 'it''s ours', motto text,
      size int NOT NULL DEFAULT 3, exact numeric DEFAULT 1.5, open boolean DEFAULT true,
      seen int DEFAULT nextval('looked'), made timestamptz DEFAULT now());
    CREATE TABLE wide (id serial PRIMARY KEY, ${WIDE.map((name) => `${name} int DEFAULT 7`)});
    INSERT INTO system_collections (collection, singleton)
      VALUES ('globals', true), ('wide', true);`);
  await until(async () => (await get('/items/globals')).status === 200, 'the table is known');
});

t.test(
  'a singleton that nobody wrote shows its defaults, and reading runs no function',
  async (t) => {
    t.strictSame(await get('/items/globals'), {
      status: 200,
      body: { data: { id: null, site: "it's ours", size: 3, exact: '1.5', open: true } },
    });
    t.strictSame((await get('/items/globals?fields=size,motto')).body, { data: { size: 3 } });
    t.equal((await get('/items/globals?fields=nothing')).status, 403);
    const { rows } = await cluster.db.query('SELECT is_called FROM looked');
    t.strictSame(rows, [{ is_called: false }]);
  },
);

t.test('a singleton of many fields shows its defaults', async (t) => {
  const { status, body } = await get('/items/wide');
  t.equal(status, 200);
  t.strictSame(body.data, { id: null, ...Object.fromEntries(WIDE.map((name) => [name, 7])) });
});

t.test('its items are neither added nor addressed', async (t) => {
  for (const [method, path] of [
    ['POST', '/items/globals'],
    ['PATCH', '/items/globals/1'],
  ] as const) {
    const { status, body } = await send(method, path, { site: 'x' });
    t.equal(status, 404, method);
    t.strictSame(body.errors[0].extensions, { code: 'ROUTE_NOT_FOUND', path });
  }
});

t.test('of callers that read the same state, one writes', async (t) => {
  for (const state of ['defaults', 'an item']) {
    const tag = (await cluster.fetch('/items/wide')).headers.get('etag') ?? '';
    const answers = await Promise.all(
      [1, 2, 3, 4].map((c1) =>
        cluster.fetch('/items/wide', {
          method: 'PATCH',
          body: JSON.stringify({ c1: `${c1}${state.length}` }),
          headers: { 'if-match': tag },
        }),
      ),
    );
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 412, 412, 412], state);
  }
  t.equal((await cluster.db.query('SELECT FROM wide')).rowCount, 1);
});

t.test('the first of many writers creates the only item', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => send('PATCH', '/items/globals', { size: i })),
  );
  for (const { status, body } of answers) {
    t.equal(status, 200);
    t.equal(body.data.id, 1);
  }
  t.equal((await cluster.db.query('SELECT FROM globals')).rowCount, 1);
  t.equal((await get('/items/globals')).body.data.id, 1);
  t.equal((await get('/items/globals/1')).body.data.id, 1);
  t.equal((await send('SEARCH', '/items/globals', { query: { fields: 'id' } })).body.data.id, 1);
});

t.test('a well-known client reads and writes it', async (t) => {
  interface Schema {
    globals: { id: number; site: string; motto: string | null };
  }
  const client = createDirectus<Schema>(cluster.url).with(rest()).with(staticToken(ADMIN_TOKEN));
  const updated = await client.request(
    updateSingleton('globals', { motto: 'calm' }, { fields: ['motto', 'site'] }),
  );
  t.strictSame(updated, { motto: 'calm', site: "it's ours" });
  t.equal((await client.request(readSingleton('globals'))).motto, 'calm');
});
