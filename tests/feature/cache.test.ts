// @newest @slow
/** The response cache of real edges: exact over writes, imports, outages and deaths. */
import t, { type Test } from 'tap';
import { observe, type Site } from '#tests/core/write/cache/fixture/history.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { type RedisServer, startRedis } from '#tests/harness/redis.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const CACHE = { CACHE_ENABLED: 'true', CACHE_STATUS_HEADER: 'X-Cache' };
const TABLES = `
  CREATE TABLE author (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
  CREATE TABLE book (id int PRIMARY KEY, n int NOT NULL DEFAULT 0,
    author int REFERENCES author ON DELETE CASCADE);
  CREATE TABLE note (id int PRIMARY KEY, n int NOT NULL DEFAULT 0);
  INSERT INTO note VALUES (0);
  CREATE VIEW authors_seen AS SELECT * FROM author;
  INSERT INTO author VALUES (0), (1), (9);
  INSERT INTO book VALUES (0, 0, 0), (1, 0, 1), (9, 0, 9)`;

const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };

async function ask(url: string, path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
  const text = await response.text();
  return {
    status: response.status,
    data: text === '' ? null : JSON.parse(text).data,
    cache: response.headers.get('x-cache'),
    control: response.headers.get('cache-control'),
    tag: response.headers.get('etag'),
  };
}

function patch(url: string, path: string, body: object) {
  return ask(url, path, { method: 'PATCH', body: JSON.stringify(body) });
}

/** Asks until the answer comes from the cache. */
function kept(url: string, path: string) {
  return until(async () => {
    const found = await ask(url, path);
    return found.cache === 'HIT' && found;
  }, `${path} to be kept`);
}

function siteOf(url: string): Site {
  return {
    async write(row, value) {
      await patch(url, `/items/author/${row}`, { n: value });
    },
    async read() {
      const path = '/items/book?fields=author.n&filter[id][_lt]=9&sort=id';
      const { data, cache } = await ask(url, path);
      const values = data.map(({ author }: { author: { n: number } }) => author.n);
      return { values, hit: cache === 'HIT' };
    },
  };
}

async function onRedis(t: Test, redis: RedisServer) {
  const env = { ...CACHE, REDIS_URL: redis.url };
  const cluster = await startCluster(t, { edges: 1, env });
  const second = await cluster.addEdge();
  const [one, two] = [cluster.url, second.url];
  await cluster.db.query(TABLES);
  for (const url of [one, two]) {
    await until(async () => (await ask(url, '/items/book')).status === 200, 'the tables');
    await kept(url, '/items/book?fields=author.n');
  }

  await t.test('two edges never show what was overwritten', async (t) => {
    const report = await observe([siteOf(one), siteOf(two)], { rows: 2, writes: 15 });
    t.strictSame(report.stale, []);
    t.ok(report.hits > 0, `${report.hits} of ${report.reads} came from the cache`);
  });

  await t.test('a kept answer is the same to the byte, and says what may be kept', async (t) => {
    const path = '/items/author?sort=id';
    const fresh = await ask(one, path);
    const again = await kept(one, path);
    t.strictSame(again.data, fresh.data);
    t.equal(again.tag, fresh.tag);
    t.match(again.control, /^private, max-age=0$/);
    const same = await fetch(one + path, {
      headers: { ...headers, 'if-none-match': again.tag ?? '' },
    });
    t.equal(same.status, 304);
    for (const odd of ['/items/authors_seen', '/users']) {
      await ask(one, odd);
      t.not((await ask(one, odd)).cache, 'HIT', odd);
    }
  });

  await t.test('one caller is never shown what another may see', async (t) => {
    const own = { fields: ['id'], permissions: { id: { _eq: 1 } } };
    const member = await createMember(cluster, [{ collection: 'author', action: 'read', ...own }]);
    await kept(one, '/items/author');
    for (let time = 0; time < 3; time += 1) {
      t.strictSame((await member.send('GET', '/items/author')).body, { data: [{ id: 1 }] });
      t.equal((await sendAs(cluster, 'x'.repeat(20), 'GET', '/items/author')).status, 401);
    }
  });

  await t.test('what a cascade deletes is gone at once', async (t) => {
    await kept(two, '/items/book/9');
    t.equal((await ask(one, '/items/author/9', { method: 'DELETE' })).status, 204);
    t.equal((await ask(two, '/items/book/9')).status, 403);
  });

  await t.test('an edge that dies between commit and answer leaves nothing stale', async (t) => {
    const doomed = await cluster.addEdge({ FAILPOINT: 'change.committed' });
    await kept(two, '/items/author/1');
    const write = patch(doomed.url, '/items/author/1', { n: 1_000 });
    const lost = t.rejects(write);
    t.equal(await doomed.stoppedAt, 'change.committed');
    t.equal((await ask(two, '/items/author/1')).data.n, 1_000);
    await doomed.end('SIGKILL');
    await lost;
    const after = await ask(two, '/items/author/1');
    t.match(after, { data: { n: 1_000 }, cache: 'MISS' }, 'its mark keeps readers away');
  });

  await t.test('writes while Redis is away are seen by all, also when it is back', async (t) => {
    for (const url of [one, two]) await kept(url, '/items/note/0');
    await redis.stop('SIGKILL');
    t.equal((await patch(one, '/items/note/0', { n: 2_000 })).status, 200);
    t.equal((await ask(two, '/items/note/0')).data.n, 2_000);
    const again = await startRedis(Number(new URL(redis.url).port));
    t.teardown(() => again?.stop());
    for (const url of [one, two]) t.equal((await ask(url, '/items/note/0')).data.n, 2_000);
  });
}

t.test('with Redis', async (t) => {
  const redis = await startRedis();
  if (redis === null) return;
  t.teardown(() => redis.stop());
  await onRedis(t, redis);
});

t.test('without Redis one edge is exact over writes and imports', async (t) => {
  const env = { ...CACHE, CACHE_SKIP_ALLOWED: 'true' };
  const cluster = await startCluster(t, { edges: 1, workers: 1, env });
  const { url } = cluster;
  await cluster.db.query(TABLES);
  await until(async () => (await ask(url, '/items/author')).status === 200, 'the tables');
  await kept(url, '/items/author/0');
  await patch(url, '/items/author/0', { n: 5 });
  t.equal((await ask(url, '/items/author/0')).data.n, 5);
  for (let n = 6; n < 8; n += 1) {
    await kept(url, '/items/author/0');
    const imported = await upload(cluster, 'author', `id,n\n0,${n}\n`);
    t.equal(imported.status, 200);
    t.equal((await ask(url, '/items/author/0')).data.n, n);
  }
  await kept(url, '/items/author/0');
  const skipped = await ask(url, '/items/author/0', { headers: { 'cache-control': 'no-store' } });
  t.match(skipped, { cache: 'MISS', control: 'no-store', data: { n: 7 } });
});
