/** The WebSocket of REST: logins, items, subscriptions, and what other edges write. */
import t from 'tap';
import { ADMIN_TOKEN, type Edge, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { openSocket, type TestSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, {
  edges: 2,
  workers: 1,
  env: { WEBSOCKETS_ENABLED: 'true' },
});
const { db } = cluster;
await db.query(`
  CREATE TABLE note (id serial PRIMARY KEY, title text, secret text, owner uuid);
  CREATE TABLE pair (a int, b text, n int, PRIMARY KEY (a, b));
  INSERT INTO note (title) VALUES ('one'), ('two');
  INSERT INTO pair VALUES (1, 'x,y', 1)`);
await cluster.served('/items/note');

async function login(token: string = ADMIN_TOKEN, edge = 0): Promise<TestSocket> {
  const socket = await openSocket(`${cluster.urls[edge]}/websocket`);
  t.teardown(() => socket.close());
  socket.send({ type: 'auth', access_token: token });
  t.match(await socket.next(), { type: 'auth', status: 'ok' });
  return socket;
}

const write = (method: string, path: string, body?: unknown, edge = 1) =>
  fetch(`${cluster.urls[edge]}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

t.test('a subscriber receives the writes of another edge', async (t) => {
  const socket = await login();
  socket.send({
    type: 'subscribe',
    collection: 'note',
    uid: 'n',
    query: { fields: ['id', 'title'], sort: ['id'] },
  });
  t.strictSame(await socket.next(), {
    type: 'subscription',
    event: 'init',
    data: [
      { id: 1, title: 'one' },
      { id: 2, title: 'two' },
    ],
    uid: 'n',
  });
  await write('POST', '/items/note', { title: 'three' });
  t.strictSame(await socket.next(), {
    ...{ type: 'subscription', event: 'create', data: [{ id: 3, title: 'three' }], uid: 'n' },
  });
  await write('PATCH', '/items/note/3', { title: 'third' });
  t.strictSame(await socket.next(), {
    ...{ type: 'subscription', event: 'update', data: [{ id: 3, title: 'third' }], uid: 'n' },
  });
  await write('DELETE', '/items/note/3');
  t.strictSame(await socket.next(), {
    ...{ type: 'subscription', event: 'delete', data: [3], uid: 'n' },
  });
  socket.send({ type: 'unsubscribe', uid: 'n' });
  t.strictSame(await socket.next(), { type: 'subscription', event: 'unsubscribe', uid: 'n' });
});

t.test('each created item has a separate message, in order', async (t) => {
  const socket = await login();
  socket.send({
    type: 'subscribe',
    collection: 'note',
    query: { fields: ['id'], filter: { id: { _gte: 500 } } },
  });
  t.match(await socket.next(), { event: 'init', data: [] });
  const ids = [500, 501, 502, 503, 504];
  await write(
    'POST',
    '/items/note',
    ids.map((id) => ({ id, title: 'many' })),
  );
  for (const id of ids) t.match(await socket.next(), { event: 'create', data: [{ id }] });
  await write('DELETE', '/items/note', ids);
  const gone: unknown = await socket.next();
  t.match(gone, { event: 'delete' }, 'keys are told together');
  t.strictSame(gone, { type: 'subscription', event: 'delete', data: ids });
});

t.test('items are read and written', async (t) => {
  const socket = await login();
  const ask = async (message: object) => {
    socket.send({ type: 'items', uid: 1, ...message });
    return await socket.next((one) => one.uid === 1);
  };
  const collection = 'note';
  t.match(
    await ask({ action: 'create', collection, data: { title: 'x' }, query: { fields: ['title'] } }),
    {
      type: 'items',
      data: { title: 'x' },
    },
  );
  t.match(await ask({ action: 'read', collection, id: 1, query: { fields: ['title'] } }), {
    data: { title: 'one' },
  });
  t.match(
    await ask({ action: 'read', collection, ids: [2, 1], query: { fields: 'id', sort: 'id' } }),
    {
      data: [{ id: 1 }, { id: 2 }],
    },
  );
  t.match(
    await ask({
      action: 'read',
      collection,
      query: { filter: { title: { _eq: 'x' } }, meta: '*' },
    }),
    { data: [{ title: 'x' }], meta: { filter_count: 1 } },
  );
  t.match(await ask({ action: 'update', collection, id: 1, data: { title: 'y' } }), {
    data: { id: 1, title: 'y' },
  });
  t.match(await ask({ action: 'update', collection, ids: [1, 2], data: { title: 'z' } }), {
    data: [{ title: 'z' }, { title: 'z' }],
  });
  t.match(
    await ask({
      ...{ action: 'update', collection, data: { title: 'q' } },
      query: { filter: { title: { _eq: 'x' } } },
    }),
    { data: [{ title: 'q' }] },
  );
  t.match(await ask({ action: 'update', collection, data: [{ id: 1, title: 'a' }] }), {
    data: [{ id: 1, title: 'a' }],
  });
  const gone = await ask({
    action: 'delete',
    collection,
    query: { filter: { title: { _eq: 'q' } } },
  });
  t.equal(gone.data.length, 1);
  t.match(await ask({ action: 'read', collection, id: gone.data[0] }), {
    ...{ type: 'items', status: 'error', error: { code: 'FORBIDDEN' } },
  });
  t.match(await ask({ action: 'read', collection: 'system_users' }), {
    error: { code: 'INVALID_COLLECTION' },
  });
  t.match(await ask({ action: 'read', collection: 'directus_users' }), {
    error: { code: 'INVALID_COLLECTION' },
  });
  t.match(await ask({ action: 'dance', collection }), { error: { code: 'INVALID_PAYLOAD' } });
  socket.sendText('{');
  t.match(await socket.next(), { status: 'error', error: { code: 'INVALID_PAYLOAD' } });
  socket.send({ type: 'ping', uid: 2 });
  t.strictSame(await socket.next(), { type: 'pong', uid: 2 });
});

t.test('hidden items send no event, and visible ones send their deletion', async (t) => {
  const rule = { owner: { _eq: '$CURRENT_USER' } };
  const read = { action: 'read', collection: 'note', fields: ['id', 'title', 'owner'] } as const;
  const [first, second] = [
    await createMember(cluster, [{ ...read, permissions: rule }]),
    await createMember(cluster, [{ ...read, permissions: rule }]),
  ];
  const [one, two] = [await login(first.token), await login(second.token)];
  for (const socket of [one, two]) {
    socket.send({ type: 'subscribe', collection: 'note', query: { fields: '*' } });
    t.strictSame((await socket.next()).data, []);
  }
  await write('POST', '/items/note', [
    { title: 'mine', owner: first.id, secret: 's' },
    { title: 'yours', owner: second.id, secret: 's' },
  ]);
  const [mine] = (await one.next()).data;
  t.strictSame(Object.keys(mine), ['id', 'title', 'owner']);
  t.equal(mine.title, 'mine');
  t.equal((await two.next()).data[0].title, 'yours');
  await write('DELETE', `/items/note/${mine.id}`);
  t.strictSame((await one.next()).data, [mine.id]);
  await write('DELETE', `/items/note/${mine.id + 1}`);
  t.strictSame((await two.next()).data, [mine.id + 1]);
  t.strictSame([one.heard, two.heard], [[], []], 'of the others nothing was told');
});

t.test('an item of a key of several fields', async (t) => {
  const socket = await login();
  socket.send({ type: 'subscribe', collection: 'pair', item: '1,x%2Cy', event: 'update', uid: 5 });
  t.strictSame(await socket.next(), { type: 'subscription', event: 'init', uid: 5 });
  await write('PATCH', '/items/pair/1,x%2Cy', { n: 2 });
  t.match((await socket.next()).data, { a: 1, b: 'x,y', n: 2 });
});

t.test('deletes are sent after a table was dropped and recreated', async (t) => {
  const make = 'CREATE TABLE again (id int PRIMARY KEY, mood mood)';
  await db.query(`CREATE TYPE mood AS ENUM ('a'); ${make}`);
  const remakes = [
    `DROP TABLE again; ${make}`,
    `DROP TABLE again; DROP TYPE mood; CREATE TYPE mood AS ENUM ('a'); ${make}`,
    'ALTER TABLE again ALTER mood TYPE text; ALTER TABLE again ALTER mood TYPE mood USING mood::mood',
  ];
  for (const [round, remake] of ['SELECT 1', ...remakes].entries()) {
    await db.query(remake);
    await cluster.served('/items/again');
    const socket = await login();
    const query = { fields: ['id'], filter: { mood: { _eq: 'a' } } };
    socket.send({ type: 'subscribe', collection: 'again', query });
    t.match(await socket.next(({ event }) => event === 'init'), { data: [] });
    // Often enough for a connection to keep the plan.
    for (let id = 1; id <= 8; id += 1) {
      const made = await write('POST', '/items/again', { id, mood: 'a' }, 0);
      t.equal(made.status, 200, `round ${round}: ${await made.text()}`);
      t.equal((await write('DELETE', `/items/again/${id}`, undefined, 0)).status, 204);
      const told = ({ event }: { event?: string }) => event === 'delete' || event === 'init';
      t.match(await socket.next(told), { event: 'delete', data: [id] });
    }
    socket.close();
  }
});

t.test('what goes with a deleted item', async (t) => {
  await db.query(`
    CREATE TABLE parent (id serial PRIMARY KEY);
    CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE);
    CREATE TABLE toy (id int PRIMARY KEY, child int REFERENCES child ON DELETE CASCADE,
      giver int REFERENCES parent ON DELETE SET NULL);
    INSERT INTO parent VALUES (1), (2);
    INSERT INTO child VALUES (10, 1), (11, 2);
    INSERT INTO toy VALUES (100, 10, 2), (101, 11, 1), (102, 11, null)`);
  await cluster.served('/items/toy');
  const socket = await login();
  for (const collection of ['child', 'toy']) {
    socket.send({ type: 'subscribe', collection, uid: collection, query: { sort: ['id'] } });
    await socket.next();
  }
  await write('DELETE', '/items/parent/1');
  const about = (uid: string, event: string) =>
    socket.next((one) => one.uid === uid && one.event === event);
  t.strictSame((await about('child', 'delete')).data, [10]);
  t.strictSame((await about('toy', 'delete')).data, [100]);
  t.strictSame((await about('toy', 'update')).data, [{ id: 101, child: 11, giver: null }]);
  t.strictSame(socket.heard, []);
});

t.test('many changes at once are a fresh start', async (t) => {
  const socket = await login();
  const query = { fields: ['id'], filter: { title: { _eq: 'many' } }, limit: -1 };
  socket.send({ type: 'subscribe', collection: 'note', query, uid: 'm' });
  await socket.next();
  const many = Array.from({ length: 300 }, () => ({ title: 'many' }));
  await write('POST', '/items/note', many);
  const { event, data } = await socket.next();
  t.equal(event, 'init');
  t.equal(data.length, 300);
  const strict = await login();
  strict.send({ type: 'subscribe', collection: 'note', event: 'create' });
  await strict.next();
  await write('POST', '/items/note', many);
  t.equal((await strict.closed).code, 1012, 'who asked for no items has to begin again');
});

t.test('an import is a fresh start, and a client can know of all this', async (t) => {
  const socket = await login();
  const query = { fields: ['title'], filter: { title: { _eq: 'imported' } } };
  socket.send({ type: 'subscribe', collection: 'note', query });
  t.strictSame((await socket.next()).data, []);
  const form = new FormData();
  form.set('file', new Blob(['title\nimported\n'], { type: 'text/csv' }), 'notes.csv');
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  await fetch(`${cluster.urls[1]}/utils/import/note`, { method: 'POST', headers, body: form });
  t.match(await socket.next(), { event: 'init', data: [{ title: 'imported' }] });
  const info = JSON.parse(await (await cluster.fetch('/server/info')).text());
  t.match(info.data.websocket, {
    rest: { authentication: 'handshake', path: '/websocket' },
    graphql: { authentication: 'handshake', path: '/graphql' },
    heartbeat: 30,
  });
});

let hasty: Edge | null = null;
/** An edge that waits for little. */
const addHasty = async () => {
  hasty ??= await cluster.addEdge({ WEBSOCKETS_REST_AUTH_TIMEOUT: '1s', QUERY_TIMEOUT: '2s' });
  return hasty;
};

t.test('a question that cannot be answered delays no other, and begins again alone', async (t) => {
  await db.query(`
    CREATE TABLE talk (id serial PRIMARY KEY, title text);
    CREATE TABLE remark (id int PRIMARY KEY, talk int REFERENCES talk)`);
  const edge = await addHasty();
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const path = `${edge.url}/items/talk?fields=remark.id`;
  await until(async () => (await fetch(path, { headers })).ok, 'the tables are served');
  const member = await createMember(cluster, [
    { action: 'read', collection: 'talk' },
    { action: 'read', collection: 'remark' },
  ]);
  const subscribe = async (token: string, fields: readonly string[]) => {
    const socket = await openSocket(`${edge.url}/websocket`, [], token);
    t.teardown(() => socket.close());
    socket.send({ type: 'subscribe', collection: 'talk', event: 'create', query: { fields } });
    await socket.next();
    return socket;
  };
  const stuck = await subscribe(member.token, ['id', 'remark.id']);
  const same = await subscribe(member.token, ['title']);
  const other = await subscribe(ADMIN_TOKEN, ['title']);
  const lock = await db.connect();
  await lock.query('BEGIN; LOCK TABLE remark IN ACCESS EXCLUSIVE MODE');
  for (const title of ['one', 'two', 'three']) {
    await write('POST', '/items/talk?fields=id', { title });
    for (const socket of [same, other]) t.strictSame((await socket.next()).data, [{ title }]);
  }
  t.equal((await stuck.closed).code, 1012, 'it has to begin again');
  await lock.query('ROLLBACK');
  lock.release();
  await write('POST', '/items/talk?fields=id', { title: 'four' });
  for (const socket of [same, other]) {
    t.strictSame((await socket.next()).data, [{ title: 'four' }], 'these go on');
  }
  t.strictSame([same.heard, other.heard, stuck.heard], [[], [], []]);
});

t.test('who is not let in', async (t) => {
  const edge = await addHasty();
  const late = await openSocket(`${edge.url}/websocket`);
  const timeout = { code: 'AUTH_TIMEOUT', message: 'No login came in time.' };
  t.match(await late.next(), { type: 'auth', status: 'error', error: timeout });
  await late.closed;
  const wrong = await openSocket(`${cluster.url}/websocket`);
  wrong.send({ type: 'auth', access_token: 'nobody' });
  t.match(await wrong.next(), { type: 'auth', status: 'error', error: { code: 'AUTH_FAILED' } });
  await wrong.closed;
  const unnamed = await openSocket(`${cluster.url}/websocket`);
  unnamed.send({ type: 'items', action: 'read', collection: 'note' });
  t.match(await unnamed.next(), { type: 'auth', status: 'error' });
  await unnamed.closed;
  await t.rejects(openSocket(`${cluster.url}/websocket`, [], 'nobody'));
});

t.test('who logs in by a message is not known by a token in the URL', async (t) => {
  for (const token of [ADMIN_TOKEN, 'nobody']) {
    const socket = await openSocket(`${cluster.url}/websocket?access_token=${token}`);
    socket.send({ type: 'items', action: 'read', collection: 'note' });
    t.match(await socket.next(), { type: 'auth', status: 'error' });
    await socket.closed;
  }
});

t.test('permissions and sessions end subscriptions', async (t) => {
  const read = { action: 'read', collection: 'note', fields: ['id', 'title'] } as const;
  const member = await createMember(cluster, [read]);
  const [socket, other] = [await login(member.token), await login(member.token, 1)];
  for (const one of [socket, other]) {
    one.send({ type: 'subscribe', collection: 'note', query: { fields: ['*'] }, uid: 's' });
    await one.next();
  }
  const { rows } = await db.query('SELECT id FROM system_permissions WHERE policy = $1', [
    member.policy,
  ]);
  await write('PATCH', `/permissions/${rows[0].id}`, { fields: ['id'] });
  await write('POST', '/items/note', { title: 'narrow' });
  for (const one of [socket, other]) {
    t.strictSame(Object.keys((await one.next()).data[0]), ['id'], 'narrowed');
  }
  await write('DELETE', `/permissions/${rows[0].id}`);
  t.match(await socket.next(), {
    ...{ type: 'subscribe', status: 'error', error: { code: 'FORBIDDEN' }, uid: 's' },
  });
  await write('PATCH', `/users/${member.id}`, { status: 'suspended' });
  t.match(await socket.next(), { type: 'auth', status: 'error', error: { code: 'AUTH_FAILED' } });
  await Promise.all([socket.closed, other.closed]);
});
