// @newest
/** Clients as people use them: the realtime client of the Directus SDK, with a login that is renewed. */
import {
  authentication,
  createDirectus,
  createItem,
  createItems,
  realtime,
  rest,
  staticToken,
} from '@directus/sdk';
import { Client, cacheExchange, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

interface Schema {
  note: { id: number; title: string }[];
}

const cluster = await startCluster(t, {
  edges: 2,
  env: {
    WEBSOCKETS_ENABLED: 'true',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'a secret of 12',
  },
});
await cluster.db.query(`
  CREATE TABLE note (id serial PRIMARY KEY, title text);
  CREATE TABLE letter (id serial PRIMARY KEY, title text)`);
await cluster.served('/items/letter');
const [first = '', second = ''] = cluster.urls;

/** Ends a connection, and waits: the client does not survive a server that ends first. */
async function leave(client: { disconnect(): void; isConnected(): Promise<boolean> }) {
  client.disconnect();
  await until(async () => !(await client.isConnected()), 'the connection is closed');
}

t.test('a subscription of the SDK', async (t) => {
  const client = createDirectus<Schema>(first).with(staticToken(ADMIN_TOKEN)).with(realtime());
  await client.connect();
  t.teardown(() => leave(client));
  const { subscription, unsubscribe } = await client.subscribe('note', {
    query: { fields: ['id', 'title'], sort: ['id'] },
  });
  const writer = createDirectus<Schema>(second).with(staticToken(ADMIN_TOKEN)).with(rest());
  const next = async () => {
    const { value } = await subscription.next();
    return value;
  };
  t.match(await next(), { event: 'init', data: [] });
  await writer.request(createItem('note', { title: 'one' }));
  t.match(await next(), { event: 'create', data: [{ id: 1, title: 'one' }] });
  unsubscribe();
});

t.test('it comes back when it is told to begin again', async (t) => {
  const client = createDirectus<Schema>(first)
    .with(staticToken(ADMIN_TOKEN))
    .with(realtime({ reconnect: { delay: 100, retries: 10 } }));
  await client.connect();
  t.teardown(() => leave(client));
  const heard: string[] = [];
  client.onWebSocket('message', (message) => heard.push(JSON.stringify(message)));
  const query = { fields: ['title'] } as const;
  await client.subscribe('note', { query: { fields: ['title'] }, event: 'create' });
  const count = (part: string) => heard.filter((one) => one.includes(part)).length;
  await until(() => count('"init"') === 1, 'the beginning');
  const many = Array.from({ length: 300 }, () => ({ title: 'many' }));
  const writer = createDirectus<Schema>(second).with(staticToken(ADMIN_TOKEN)).with(rest());
  await writer.request(createItems('note', many, query));
  await until(() => count('"init"') === 2, 'the second beginning');
  await writer.request(createItem('note', { title: 'after' }));
  await until(() => count('"after"') === 1, 'what happened then');
  t.equal(count('"many"'), 0);
});

t.test('a login whose token is renewed', async (t) => {
  const client = createDirectus<Schema>(second)
    .with(authentication('json', { autoRefresh: true }))
    .with(realtime({ authMode: 'handshake' }));
  await client.login({ email: 'admin@example.com', password: 'a secret of 12' });
  await client.connect();
  const { subscription } = await client.subscribe('note', {
    query: { fields: ['id'] },
    event: 'create',
  });
  t.match((await subscription.next()).value, { event: 'init' });
  await leave(client);
  // It renews its token as long as it is logged in.
  await client.logout();
});

t.test('urql with graphql-ws', async (t) => {
  const socket = createClient({
    url: `${first.replace('http', 'ws')}/graphql`,
    connectionParams: { access_token: ADMIN_TOKEN },
  });
  t.teardown(() => socket.dispose());
  const client = new Client({
    url: `${first}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
    exchanges: [
      cacheExchange,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: (request) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe(
              { ...request, query: request.query ?? '' },
              {
                // The types of both packages differ, not what they mean.
                next: ({ data = null }) => sink.next({ data }),
                error: (error) => sink.error(error),
                complete: () => sink.complete(),
              },
            ),
          }),
        }),
      }),
    ],
  });
  const heard: unknown[] = [];
  const query = 'subscription { letter_mutated(event: create) { event data { title } } }';
  const { unsubscribe } = client.subscription(query, {}).subscribe(({ data }) => heard.push(data));
  // Of a collection that nobody else has subscribed to: what is known of listeners outlives them.
  const listeners = "SELECT FROM system_listeners WHERE collection = 'letter'";
  await until(async () => (await cluster.db.query(listeners)).rowCount, 'the subscription');
  const create = 'mutation { create_letter_item(data: { title: "by urql" }) { title } }';
  const { error } = await client.mutation(create, {}).toPromise();
  t.equal(error, undefined);
  await until(() => heard.length > 0, 'the event');
  t.match(heard, [{ letter_mutated: { event: 'create', data: { title: 'by urql' } } }]);
  unsubscribe();
});
