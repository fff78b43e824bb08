// @quick
/** Related items are written through a real edge, by hand, by a client library and by many at once. */
import {
  createDirectus,
  createItem,
  createItems,
  deleteItems,
  readItems,
  rest,
  staticToken,
  updateItem,
  updateItems,
  updateItemsBatch,
} from '@directus/sdk';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { createMember, sendAs } from '#tests/harness/member.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t);
await createSample(cluster.db);
await cluster.db.query(`
  CREATE TABLE site (id serial PRIMARY KEY, name text);
  CREATE TABLE links (id serial PRIMARY KEY, site int REFERENCES site, url text);
  INSERT INTO system_collections (collection, singleton) VALUES ('site', true);
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('links', 'site', 'site', 'links');
  CREATE TABLE baskets (id serial PRIMARY KEY, name text);
  CREATE TABLE fruits (id serial PRIMARY KEY, basket int REFERENCES baskets, weight int NOT NULL,
    changes int NOT NULL DEFAULT 0);
  CREATE INDEX ON fruits (basket);
  CREATE TABLE crates (id serial PRIMARY KEY, weight int);
  INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('fruits', 'basket', 'baskets', 'fruits');
  INSERT INTO baskets (name) SELECT 'basket ' || n FROM generate_series(1, 5) n;
`);
const admin = (method: string, path: string, body?: unknown) =>
  sendAs(cluster, ADMIN_TOKEN, method, path, body);
await until(
  async () => (await admin('GET', '/items/fruits?fields=basket.fruits')).status === 200,
  'the tables are known',
);

t.test('every form of write takes related items along', async (t) => {
  const shape = 'fields=title,author_id.name,comments.body,tags.tags_id.name';
  const created = await admin('POST', `/items/articles?${shape}`, {
    title: 'new',
    author_id: { name: 'New author' },
    comments: [{ body: 'first' }],
    tags: { create: [{ tags_id: { name: 'new tag' } }, { tags_id: 1 }], update: [], delete: [] },
  });
  t.strictSame(created.body.data, {
    title: 'new',
    author_id: { name: 'New author' },
    comments: [{ body: 'first' }],
    tags: [{ tags_id: { name: 'new tag' } }, { tags_id: { name: 'tag-1' } }],
  });
  const many = await admin('PATCH', '/items/articles?fields=id,comments.body', {
    keys: [3, 2],
    data: { comments: { create: [{ body: 'for each' }] } },
  });
  t.strictSame(
    many.body.data.map(({ id, comments }: { id: number; comments: { body: string }[] }) => [
      id,
      comments.at(-1)?.body,
    ]),
    [
      [2, 'for each'],
      [3, 'for each'],
    ],
    'in the order of reading',
  );
  const found = await admin('PATCH', '/items/articles?fields=id', {
    query: { filter: { id: { _lte: 4 } }, limit: 2 },
    data: { author_id: { id: 1, bio: 'changed' } },
  });
  t.strictSame(found.body.data, [{ id: 1 }, { id: 2 }]);
  const blocks = await admin('PATCH', '/items/pages/1?fields=blocks.item:block_text.content', {
    blocks: { create: [{ collection: 'block_text', item: { content: 'more' } }] },
  });
  t.match(blocks.body.data.blocks.at(-1), { item: { content: 'more' } });
  const site = await admin('PATCH', '/items/site?fields=name,links.url', {
    name: 'mine',
    links: [{ url: 'a' }, { url: 'b' }],
  });
  t.strictSame(site.body.data, { name: 'mine', links: [{ url: 'a' }, { url: 'b' }] });
  const bare = await admin('PATCH', '/items/articles/1', { tags: [999_999] });
  t.equal(bare.code, 'FORBIDDEN');
  t.match(bare.body.errors[0].message, /\{"tags_id": key\}/);
  const placed = await admin('POST', '/items/authors', {
    name: 'x',
    articles: [{ title: 'fine' }, { body: 'no title' }],
  });
  t.match(placed.body.errors[0].extensions, {
    code: 'FAILED_VALIDATION',
    field: 'articles',
    path: [1, 'title'],
  });
});

t.test('what a query chooses has the limit of a query', async (t) => {
  const count = async (where: string) => {
    const { rows } = await cluster.db.query(`SELECT count(*)::int AS n FROM crates WHERE ${where}`);
    return rows[0].n;
  };
  await cluster.db.query('INSERT INTO crates (weight) SELECT 1 FROM generate_series(1, 250)');
  const change = async (query: object, weight: number) => {
    const { body } = await admin('PATCH', '/items/crates', { query, data: { weight } });
    return body.data.length;
  };
  t.equal(await change({}, 2), 100);
  t.equal(await count('weight = 2 AND id <= 100'), 100, 'the first of them');
  t.equal(await change({ limit: -1 }, 3), 250);
  t.equal((await admin('DELETE', '/items/crates', { query: {} })).status, 204);
  t.equal(await count('true'), 150);
  t.equal((await admin('DELETE', '/items/crates', { query: { limit: -1 } })).status, 204);
  t.equal(await count('true'), 0);
});

t.test('what may not be read back is answered without a body', async (t) => {
  const { send } = await createMember(cluster, [
    { collection: 'articles', action: 'create' },
    { collection: 'comments', action: 'create' },
  ]);
  const body = { title: 'unread', comments: [{ body: 'c' }] };
  t.strictSame(await send('POST', '/items/articles', body), {
    ...{ status: 204, body: null, code: undefined },
  });
  const linked = await send('POST', '/items/articles', { title: 'x', author_id: 1 });
  t.equal(linked.code, 'FORBIDDEN');
});

t.test('system collections are reached as far as their rules let', async (t) => {
  const policy = await admin('POST', '/policies', { name: 'nested' });
  const role = await admin('POST', '/roles?fields=id,policies.policy.name,users.email', {
    name: 'nested',
    policies: { create: [{ policy: { id: policy.body.data.id } }], update: [], delete: [] },
    users: { create: [{ email: 'nested@example.com', password: 'pass word 1' }] },
  });
  t.match(role.body.data, {
    policies: [{ policy: { name: 'nested' } }],
    users: [{ email: 'nested@example.com' }],
  });
  const { rows } = await cluster.db.query(
    "SELECT delta::text FROM system_revisions WHERE collection = 'system_users'",
  );
  t.notMatch(JSON.stringify(rows), /pass word 1/);
});

t.test('of two who know the same item one is too late', async (t) => {
  const read = await cluster.fetch('/items/articles/5');
  const tag = read.headers.get('etag') ?? '';
  await read.text();
  const change = (title: string) =>
    cluster.fetch('/items/articles/5', {
      method: 'PATCH',
      body: JSON.stringify({ title, comments: { create: [{ body: title }] } }),
      headers: { 'if-match': tag },
    });
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map(change));
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 412, 412, 412]);
});

t.test('a condition is never ignored', async (t) => {
  const writes = [
    ['POST', { title: 'unwritten' }],
    ['PUT', { id: 5, title: 'unwritten' }],
    ['PATCH', { keys: [5], data: { title: 'unwritten' } }],
    ['DELETE', [5]],
  ] as const;
  for (const [method, body] of writes) {
    const answer = await cluster.fetch('/items/articles', {
      method,
      body: JSON.stringify(body),
      headers: { 'if-match': '"tag"' },
    });
    t.equal(answer.status, 412, method);
    await answer.text();
  }
  const { rows } = await cluster.db.query(
    `SELECT count(*) FILTER (WHERE id = 5) AS kept, count(*) FILTER (WHERE title = 'unwritten')
      AS written FROM articles`,
  );
  t.strictSame(rows, [{ kept: '1', written: '0' }]);
});

t.test('as a client library writes', async (t) => {
  interface Comment {
    id: number;
    body: string;
  }
  interface Article {
    id: number;
    title: string;
    views: number;
    comments: Comment[];
  }
  const client = createDirectus<{ articles: Article[]; comments: Comment[] }>(cluster.url)
    .with(staticToken(ADMIN_TOKEN))
    .with(rest());
  const one = await client.request(
    createItem('articles', { title: 'sdk', comments: [{ body: 'c' }] }, { fields: ['id'] }),
  );
  const two = await client.request(
    createItems('articles', [{ title: 's2' }, { title: 's3' }], { fields: ['id'] }),
  );
  await client.request(updateItem('articles', one.id, { comments: [{ body: 'other' }] }));
  const keys = two.map(({ id }) => id);
  await client.request(updateItems('articles', keys, { views: 77 }));
  await client.request(updateItemsBatch('articles', [{ id: one.id, views: 77 }]));
  const found = await client.request(
    readItems('articles', {
      filter: { views: { _eq: 77 } },
      fields: ['title', { comments: ['body'] }],
      sort: ['id'],
    }),
  );
  t.strictSame(found, [
    { title: 'sdk', comments: [{ body: 'other' }] },
    { title: 's2', comments: [] },
    { title: 's3', comments: [] },
  ]);
  await client.request(deleteItems('articles', keys));
  const left = await client.request(readItems('articles', { filter: { views: { _eq: 77 } } }));
  t.equal(left.length, 1);
});

/** A fruit and what each of its revisions tells. */
async function histories() {
  const { rows } = await cluster.db.query(`
    SELECT item, json_agg(json_build_object('data', data, 'delta', delta) ORDER BY id) AS list
    FROM system_revisions WHERE collection = 'fruits' GROUP BY item`);
  return new Map<string, { data: object; delta: object }[]>(
    rows.map(({ item, list }) => [item, list]),
  );
}

t.test('fifty writers share parents', async (t) => {
  const dice = new Dice(5);
  const statuses = new Map<number, number>();
  const until = Date.now() + 2_500;
  let weight = 0;
  const write = async () => {
    while (Date.now() < until) {
      const basket = 1 + dice.below(5);
      const fresh = 1 + dice.below(9);
      const other = 1 + dice.below(60);
      interface Body {
        name?: string;
        fruits: { create?: { weight: number }[]; update?: object[]; delete?: number[] };
      }
      const body = dice.pick<Body>([
        { fruits: { create: [{ weight: fresh }, { weight: 1 }] } },
        { name: `n${fresh}`, fruits: { update: [{ id: other, changes: fresh }], create: [] } },
        { fruits: { update: [{ id: other }, { id: 1 + dice.below(60) }] } },
        { fruits: { delete: [other] } },
      ]);
      const { status, code } = await admin('PATCH', `/items/baskets/${basket}?fields=id`, body);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200 && body.fruits.create?.length === 2) {
        weight += fresh + 1;
      }
      if (status !== 200 && code !== 'FORBIDDEN') t.fail(`${status} ${code}`);
    }
  };
  await Promise.all(Array.from({ length: 50 }, write));
  const {
    rows: [stat],
  } = await cluster.db.query(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  t.comment(JSON.stringify({ statuses: [...statuses], ...stat }));
  const { rows } = await cluster.db.query('SELECT * FROM fruits');
  const sum = rows.reduce((all, row) => all + row.weight, 0);
  t.equal(sum, weight, 'what was answered is there, and nothing else');
  const known = await histories();
  for (const row of rows) {
    const list = known.get(String(row.id)) ?? [];
    const [first] = list;
    let state = { ...first?.data };
    for (const { data, delta } of list.slice(1)) {
      state = { ...state, ...delta };
      t.strictSame(data, state, 'a revision is the one before it and what was changed');
    }
    t.strictSame(state, row, `fruit ${row.id}`);
  }
});

t.test('a creation that is refused takes no connection', async (t) => {
  const holder = await cluster.db.connect();
  // Whatever fails, nothing waits for the lock afterwards.
  t.teardown(() => holder.release(true));
  const blocked = async () => {
    const { rows } = await cluster.db.query(`SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'sluice edge%'
        AND wait_event_type = 'Lock'`);
    return rows[0].count;
  };
  const read = () => admin('GET', '/items/baskets?fields=name&limit=1');
  for (let time = 0; time < 20; time += 1) await read();
  await holder.query('BEGIN; LOCK TABLE baskets IN EXCLUSIVE MODE');
  let answered = 0;
  const create = async () => {
    const answer = await admin('POST', '/items/baskets', { name: 'late' });
    answered += 1;
    return answer;
  };
  const late = Array.from({ length: 12 }, create);
  // One table has four of the six connections of the pool. Creations use some of those for reads, too,
  // and none any more once one is stuck: how many depends on how quickly they arrive.
  await until(async () => (await blocked()) >= 4, 'all connections for writes to the table wait');
  const refused = await admin('POST', '/items/fruits', { weight: 'heavy' });
  t.match(refused, { status: 400, code: 'INVALID_PAYLOAD' });
  t.equal((await read()).status, 200, 'what was read before still is');
  t.equal(answered, 0, 'while all creations wait');
  t.ok((await blocked()) <= 8, 'and one connection is kept for reads');
  await holder.query('COMMIT');
  for (const { status } of await Promise.all(late)) t.equal(status, 200);
});

t.test('creations of many rows leave the connections of reads alone', async (t) => {
  const waiting = async (application: string) => {
    const { rows } = await cluster.db.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database()
        AND application_name = $1 AND wait_event_type = 'Lock'`,
      [application],
    );
    return rows.map(({ query }) => query);
  };
  const holder = await cluster.db.connect();
  // Whatever fails, nothing waits for the lock afterwards.
  t.teardown(() => holder.release(true));
  await holder.query('BEGIN; LOCK TABLE baskets, crates IN EXCLUSIVE MODE');
  const flat = Array(101).fill({ name: 'of many' });
  const nested = Array(60).fill({ name: 'with more', fruits: [{ weight: 1 }] });
  const many = [flat, nested, flat, nested, flat, nested, flat, nested].map((items) =>
    admin('POST', '/items/baskets?fields=id', items),
  );
  await until(async () => (await waiting('sluice edge')).length > 2, 'writes have their share');
  const short = admin('POST', '/items/crates', { weight: 1 });
  await until(async () => {
    const all = [...(await waiting('sluice edge')), ...(await waiting('sluice edge pages'))];
    return all.some((text) => text.includes('INTO "public"."crates"'));
  }, 'a short one has a connection, too');
  const fast = await waiting('sluice edge pages');
  t.notOk(
    fast.some((text) => text.includes('"baskets"')),
    'none of the many is among the reads',
  );
  await holder.query('COMMIT');
  for (const { status } of await Promise.all([...many, short])) t.equal(status, 200);
});
