// @newest
/**
 * Connections keep statements and plans, and no change of what these touch makes one fail: tables
 * that are dropped and made again, types that change, schemas that move, extensions that come again.
 */
import t, { type Test as Tap } from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { openSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

const cluster = await startCluster(t, {
  workers: 1,
  env: { WEBSOCKETS_ENABLED: 'true', WEBSOCKETS_REST_AUTH: 'strict', DATABASE_POOL_MAX: '3' },
});
const { db, url } = cluster;
const TABLE = `CREATE TABLE goods (id int PRIMARY KEY, name citext, mood mood, n int, doc jsonb);
  INSERT INTO system_collections (collection, accountability) VALUES ('goods', 'all')
  ON CONFLICT (collection) DO NOTHING`;
await db.query(`CREATE EXTENSION citext; CREATE TYPE mood AS ENUM ('a', 'b'); ${TABLE}`);
await cluster.served('/items/goods');

/** So often PostgreSQL makes a plan anew before it keeps one. */
const KEEPS_AFTER = 6;

const CHANGES: Readonly<Record<string, string>> = {
  'nothing yet': 'SELECT 1',
  'a table dropped and made again': `DROP TABLE goods; ${TABLE}`,
  'a column of another type':
    'ALTER TABLE goods ALTER n TYPE bigint; ALTER TABLE goods ALTER name TYPE varchar(90)',
  'a column of a type that is made again': `ALTER TABLE goods ALTER mood TYPE text; DROP TYPE mood;
    CREATE TYPE mood AS ENUM ('b', 'a'); ALTER TABLE goods ALTER mood TYPE mood USING mood::mood`,
  'columns in another order': `ALTER TABLE goods DROP doc; ALTER TABLE goods DROP n;
    ALTER TABLE goods ADD doc jsonb, ADD n int`,
  'an extension that comes again': `ALTER TABLE goods ALTER name TYPE text; DROP EXTENSION citext;
    CREATE EXTENSION citext; ALTER TABLE goods ALTER name TYPE citext`,
  'an extension in another schema': 'CREATE SCHEMA tools; ALTER EXTENSION citext SET SCHEMA tools',
  'a schema that moves': `ALTER SCHEMA public RENAME TO moved; CREATE SCHEMA public;
    ALTER SCHEMA public RENAME TO other; ALTER SCHEMA moved RENAME TO public`,
  'another table under its name': `ALTER TABLE goods RENAME TO old_goods; ${TABLE.replace(
    'citext',
    'text',
  )}`,
};

let key = 0;

/** Does everything that is done with items, once; what fails is a failure of the test. */
async function useAll(t: Tap, what: string): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json' };
    const answer = await cluster.fetch(path, { method, headers, ...init });
    const text = await answer.text();
    if (!answer.ok) t.fail(`${what}: ${method} ${path}: ${answer.status} ${text}`);
    return text;
  };
  key += 3;
  const [id, second, third] = [key, key + 1, key + 2];
  const item = { name: 'Good', mood: 'a', n: 1, doc: { a: 1 } };
  const one = { query: { filter: { id: { _eq: second } } } };
  await send('POST', '/items/goods', { id, ...item });
  await send('POST', '/items/goods', [
    { ...item, id: second },
    { ...item, id: third },
  ]);
  t.match(await send('GET', `/items/goods/${id}`), '"Good"', what);
  t.match(await send('GET', '/items/goods?filter[name][_eq]=Good&filter[mood][_eq]=a'), '"Good"');
  await send('GET', '/items/goods?aggregate[count]=*&groupBy=mood');
  await send('PATCH', `/items/goods/${id}`, { mood: 'b' });
  await send('PATCH', '/items/goods', { ...one, data: { n: 2 } });
  const history = await send('GET', `/revisions?filter[item][_eq]=${id}&fields=data`);
  t.match(history, '"mood":"b"', what);
  await send('DELETE', `/items/goods/${id}`);
  await send('DELETE', '/items/goods', [third]);
  await send('DELETE', '/items/goods', one);
}

t.test('what happens to tables between requests', async (t) => {
  for (const [what, change] of Object.entries(CHANGES)) {
    await db.query(change);
    await useAll(t, what);
    const socket = await openSocket(`${url}/websocket?access_token=${ADMIN_TOKEN}`);
    socket.send({ type: 'subscribe', collection: 'goods', query: { fields: ['id'] } });
    await socket.next(({ event }) => event === 'init');
    for (let times = 0; times < KEEPS_AFTER; times += 1) await useAll(t, what);
    const deleted = () =>
      socket.heard.filter(({ event }) => event === 'delete').flatMap(({ data }) => data).length;
    await until(() => deleted() === 3 * KEEPS_AFTER, `${what}: all deletes are told`);
    socket.close();
    const answer = await upload(cluster, 'goods', `id,name,mood\n${key + 1_000_000},Imported,a\n`);
    t.equal(answer.status, 200, `${what}: ${await answer.text()}`);
  }
});
