// @newest
/** The calls of the client for items, against a real server. */
import t from 'tap';
import { createClient, ForbiddenError, PreconditionFailedError } from '#ops/client/source/index.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t);
await cluster.db.query(`
  CREATE TABLE author (id serial PRIMARY KEY, name text UNIQUE);
  CREATE TABLE article (id serial PRIMARY KEY, title text, author int REFERENCES author);
  CREATE TABLE pair (shop text, number int, note text, PRIMARY KEY (shop, number));
`);
await until(async () => (await cluster.fetch('/items/pair')).ok, 'the tables are served');
const client = createClient(cluster.url, { token: ADMIN_TOKEN });
t.teardown(() => client.close());

t.test('items are created, read, changed and deleted', async (t) => {
  const articles = client.items('article');
  const created = await articles.create(
    { title: 'One', author: { name: 'Ada' } },
    { fields: ['id', 'title', { author: ['name'] }] },
  );
  t.strictSame(created, { id: 1, title: 'One', author: { name: 'Ada' } });
  const more = await articles.createMany([{ title: 'Two' }, { title: 'Three' }]);
  t.strictSame(
    more?.map(({ title }) => title),
    ['Two', 'Three'],
  );
  t.strictSame(await articles.get(1, { fields: ['title'] }), { title: 'One' });
  t.strictSame(await articles.update(1, { title: 'Uno' }, { fields: ['title'] }), { title: 'Uno' });
  t.strictSame(await articles.updateMany([2, 3], { author: 1 }, { fields: ['author'] }), [
    { author: 1 },
    { author: 1 },
  ]);
  t.strictSame(
    await articles.updateMany(
      { query: { filter: { id: { _eq: 3 } } } },
      { title: 'Tre' },
      { fields: ['title'] },
    ),
    [{ title: 'Tre' }],
  );
  t.strictSame(await articles.updateBatch([{ id: 2, title: 'Due' }], { fields: ['title'] }), [
    { title: 'Due' },
  ]);
  const { data, meta } = await articles.page({ limit: 1, sort: '-id', filter: { id: { _gt: 1 } } });
  t.strictSame(meta, { total_count: 3, filter_count: 2 });
  t.equal(data[0]?.title, 'Tre');
  t.strictSame(await articles.aggregate({ aggregate: { count: '*' } }), [{ count: '3' }]);
  await articles.delete(1);
  await articles.deleteMany([2]);
  await articles.deleteMany({ query: { filter: { id: { _eq: 3 } } } });
  t.strictSame(await articles.list(), []);
});

t.test('keys of several fields, and items found by another key', async (t) => {
  const pairs = client.items('pair');
  await pairs.create({ shop: 'a,b/c', number: 5, note: 'x' });
  t.match(await pairs.get(['a,b/c', 5]), { note: 'x' });
  await pairs.delete(['a,b/c', 5]);
  const authors = client.items('author');
  await authors.upsert({ name: 'Grace' }, {}, { match: 'name' });
  await authors.upsertMany([{ name: 'Grace' }, { name: 'Joan' }], {}, { match: ['name'] });
  t.strictSame(await authors.list({ fields: ['name'], sort: ['name'] }), [
    { name: 'Ada' },
    { name: 'Grace' },
    { name: 'Joan' },
  ]);
});

t.test('errors are of the class of their code', async (t) => {
  await t.rejects(client.items('article').get(9), ForbiddenError);
  await t.rejects(client.items('article').get(9), { code: 'FORBIDDEN', status: 403 });
  const { data, tag } = await client.items('author').getWithTag(1);
  await client.items('author').update(1, { name: 'Ada L.' }, {}, { ifMatch: tag ?? '' });
  await t.rejects(
    client.items('author').update(1, { name: data.name }, {}, { ifMatch: tag ?? '' }),
    PreconditionFailedError,
  );
});

t.test(
  'a query that is too long for a URL, or would mean something else there, is searched',
  async (t) => {
    const names = Array.from({ length: 2_000 }, (_, index) => `name ${index}`);
    const authors = client.items('author');
    t.strictSame(await authors.list({ filter: { name: { _in: names } } }), []);
    t.strictSame(await authors.list({ filter: { name: { _eq: 'null' } } }), []);
    t.match(
      await authors.get(1, { deep: {}, alias: { x: 'name' }, filter: { name: { _nin: names } } }),
      { id: 1 },
    );
    await t.rejects(authors.get(99, { filter: { name: { _nin: names } } }), ForbiddenError);
  },
);

t.test('system collections and singletons go by their routes', async (t) => {
  const [admin] = await client.users.list({ fields: ['id', 'email'] });
  t.type(admin?.email, 'string');
  t.match(await client.me.read({ fields: ['id'] }), { id: admin?.id });
  t.ok((await client.me.access()).admin_access);
  t.type(await client.settings.readSingleton(), 'object');
  await client.settings.updateSingleton({ project_name: 'Test' });
  t.equal((await client.server.info()).project.project_name, 'Test');
  t.equal(await client.server.ping(), 'pong');
  t.match(await client.server.health(), { status: /ok|warn/ });
});
