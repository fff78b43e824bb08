// @newest
/** The WebSocket of GraphQL, driven by graphql-ws's own client. */
import { type Client, createClient } from 'graphql-ws';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { openSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, { edges: 2, env: { WEBSOCKETS_ENABLED: 'true' } });
const { db } = cluster;
await db.query(`
  CREATE TABLE author (id serial PRIMARY KEY, name text);
  CREATE TABLE note (id serial PRIMARY KEY, title text, author int REFERENCES author);
  INSERT INTO author (name) VALUES ('Ann');
  INSERT INTO note (title, author) VALUES ('one', 1)`);
await cluster.served('/items/note?fields=author.name');

const address = (edge: number) => `${cluster.urls[edge]?.replace('http', 'ws')}/graphql`;

function open(token: string | null, edge = 0): Client {
  const client = createClient({
    url: address(edge),
    retryAttempts: 0,
    ...(token === null ? {} : { connectionParams: { access_token: token } }),
  });
  t.teardown(() => client.dispose());
  return client;
}

/** Subscribes, and keeps what is heard. */
function listen(client: Client, query: string, variables: Record<string, unknown> = {}) {
  const heard: unknown[] = [];
  const over = Promise.withResolvers<unknown>();
  const end = client.subscribe(
    { query, variables },
    {
      next: (value) => heard.push(value),
      error: (error) => over.resolve(error),
      complete: () => over.resolve(null),
    },
  );
  const next = () => until(() => heard.shift() ?? null, 'an event');
  return { heard, next, end, over: over.promise };
}

const write = (method: string, path: string, body?: unknown, edge = 1) =>
  fetch(`${cluster.urls[edge]}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function isListenedTo(collection: string): Promise<boolean> {
  const sql = 'SELECT FROM system_listeners WHERE collection = $1';
  return ((await db.query(sql, [collection])).rowCount ?? 0) > 0;
}

/** Resolves once the edges know of subscriptions to a collection. */
const listening = (collection: string) => until(() => isListenedTo(collection), 'a subscription');

/** Resolves once the edges have forgotten those that were before. */
const silent = (collection: string) =>
  until(async () => !(await isListenedTo(collection)), 'the end of the subscriptions');

t.test('each item that changes is an event of its own', async (t) => {
  const { next, end } = listen(
    open(ADMIN_TOKEN),
    `subscription Notes($with: Boolean!) {
      changes: note_mutated {
        event what: key __typename
        data { __typename name: title author @include(if: $with) { ...A } created: id }
      }
    }
    fragment A on author { name }`,
    { with: true },
  );
  await listening('note');
  await write('POST', '/items/note', [{ title: 'two', author: 1 }, { title: 'three' }]);
  const created = (key: string, name: string, author: object | null) => ({
    data: {
      changes: {
        ...{ event: 'create', what: key, __typename: 'note_mutated' },
        data: { __typename: 'note', name, author, created: key },
      },
    },
  });
  t.strictSame(JSON.stringify(await next()), JSON.stringify(created('2', 'two', { name: 'Ann' })));
  t.strictSame(await next(), created('3', 'three', null));
  await write('DELETE', '/items/note/3');
  t.strictSame(await next(), {
    data: {
      changes: { event: 'delete', what: '3', __typename: 'note_mutated', data: null },
    },
  });
  end();
});

t.test('one kind of event', async (t) => {
  const query = 'subscription ($e: EventEnum) { note_mutated(event: $e) { key } }';
  await silent('note');
  const { next, end, heard } = listen(open(ADMIN_TOKEN), query, { e: 'update' });
  await listening('note');
  await write('POST', '/items/note', { title: 'four' });
  await write('PATCH', '/items/note/1', { title: 'first' });
  t.strictSame(await next(), { data: { note_mutated: { key: '1' } } });
  t.strictSame(heard, []);
  end();
});

t.test('queries and mutations', async (t) => {
  const client = open(ADMIN_TOKEN);
  const found = listen(client, '{ note_by_id(id: 1) { title author { name } } __typename }');
  t.strictSame(await found.next(), {
    data: { note_by_id: { title: 'first', author: { name: 'Ann' } }, __typename: 'Query' },
  });
  const done = listen(
    client,
    'mutation { update_note_item(id: 1, data: { title: "m" }) { title } }',
  );
  t.strictSame(await done.next(), { data: { update_note_item: { title: 'm' } } });
  const failed = listen(client, '{ note_by_id(id: 99) { title } }');
  t.match(await failed.next(), {
    data: { note_by_id: null },
    errors: [{ extensions: { code: 'FORBIDDEN' }, path: ['note_by_id'] }],
  });
});

t.test('what is refused', async (t) => {
  const client = open(ADMIN_TOKEN);
  for (const query of [
    'subscription { nothing_mutated { key } }',
    'subscription { note_mutated { key } author_mutated { key } }',
    'subscription { system_users_mutated { key } }',
    'subscription { note_mutated { a: data { id } b: data { title } } }',
    'subscription {',
  ]) {
    t.match(await listen(client, query).over, [{ message: String }], query);
  }
  t.match(await listen(open('nobody'), 'subscription { note_mutated { key } }').over, {
    code: 4403,
  });
  t.match(await listen(open(null), 'subscription { note_mutated { key } }').over, { code: 4403 });
  const plain = await openSocket(address(0));
  t.equal((await plain.closed).code, 4406, 'without the protocol');
  const mute = await openSocket(address(0), ['graphql-transport-ws']);
  mute.sendText('[');
  t.equal((await mute.closed).code, 4400);
  t.equal((await cluster.fetch('/graphql?query={__typename}')).status, 200, 'requests go on');
});

t.test('changed permissions narrow and end subscriptions', async (t) => {
  const read = { action: 'read', collection: 'note', fields: ['id', 'title'] } as const;
  const member = await createMember(cluster, [
    { ...read, permissions: { title: { _starts_with: 'a' } } },
  ]);
  await silent('note');
  const { next, heard, over } = listen(
    open(member.token),
    'subscription { note_mutated { data { title } } }',
  );
  await listening('note');
  await write('POST', '/items/note', [{ title: 'ab' }, { title: 'b' }]);
  t.strictSame(await next(), { data: { note_mutated: { data: { title: 'ab' } } } });
  const { rows } = await db.query('SELECT id FROM system_permissions WHERE policy = $1', [
    member.policy,
  ]);
  await write('PATCH', `/permissions/${rows[0].id}`, {
    permissions: { title: { _starts_with: 'b' } },
  });
  await write('POST', '/items/note', [{ title: 'ac' }, { title: 'bc' }]);
  t.strictSame(await next(), { data: { note_mutated: { data: { title: 'bc' } } } });
  t.strictSame(heard, []);
  await write('DELETE', `/permissions/${rows[0].id}`);
  t.match(await next(), { errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  t.equal(await over, null, 'it is complete');
});
