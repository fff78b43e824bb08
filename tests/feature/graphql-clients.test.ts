// @newest
/** Clients that exist use GraphQL as they come: the SDK of this kind of API, and one of front ends. */
import { authentication, createDirectus, graphql, staticToken } from '@directus/sdk';
import { Client, cacheExchange, fetchExchange, gql } from '@urql/core';
import t from 'tap';
import { createUser, PASSWORD, QUICK_LOGIN } from '#tests/edge/rest/fixture/sign-in.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, { env: QUICK_LOGIN });
await cluster.db.query(`
  CREATE TABLE thing (id serial PRIMARY KEY, name text);
  INSERT INTO thing (name) VALUES ('a'), ('b')`);
await until(async () => (await cluster.fetch('/items/thing')).status === 200, 'it is served');

t.test('the SDK asks both endpoints', async (t) => {
  const client = createDirectus(cluster.url).with(staticToken(ADMIN_TOKEN)).with(graphql());
  const all = 'query ($ids: [ID]) { thing(filter: { id: { _in: $ids } }) { id name } }';
  t.strictSame(await client.query(all, { ids: [2] }), { thing: [{ id: '2', name: 'b' }] });
  const me = await client.query('{ users_me { id } }', {}, 'system');
  t.match(me, { users_me: { id: /-/ } });
  await t.rejects(client.query('{ thing { no } }'), {
    errors: [{ extensions: { code: 'GRAPHQL_VALIDATION' } }],
  });
});

t.test('the SDK asks as who is logged in', async (t) => {
  const { email } = await createUser(cluster);
  const client = createDirectus(cluster.url).with(authentication('json')).with(graphql());
  await client.login({ email, password: PASSWORD });
  await t.rejects(client.query('{ thing { id } }'), { errors: [{ message: /thing/ }] });
  await client.logout();
});

t.test('urql reads, writes and caches', async (t) => {
  let asked = 0;
  const client = new Client({
    url: `${cluster.url}/graphql`,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
    fetch: (input, init) => {
      asked += 1;
      return fetch(input, init);
    },
  });
  const list = gql`query { thing(sort: ["id"]) { id name } }`;
  const first = await client.query(list, {}).toPromise();
  t.equal(first.error, undefined);
  t.strictSame(
    first.data.thing.map(({ name }: { name: string }) => name),
    ['a', 'b'],
  );
  await client.query(list, {}).toPromise();
  t.equal(asked, 1, 'the second answer is from its cache');
  const rename = gql`mutation ($id: ID!, $name: String) {
    update_thing_item(id: $id, data: { name: $name }) { id name }
  }`;
  const changed = await client.mutation(rename, { id: 1, name: 'z' }).toPromise();
  t.match(changed.data, { update_thing_item: { id: '1', name: 'z' } });
  const second = await client.query(list, {}).toPromise();
  t.match(second.data, { thing: [{ name: 'z' }, { name: 'b' }] });
  t.equal(asked, 3, 'the change emptied the cache of the type');
});
