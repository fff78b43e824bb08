// @newest
/**
 * Clients of WebSockets that want the edge to fail or to hear what is not theirs: frames that no client
 * sends, floods, connections that are not read. The edge stays up, and others are answered.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { createMember } from '#tests/harness/member.ts';
import { openSocket, type TestSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, {
  env: {
    WEBSOCKETS_ENABLED: 'true',
    WEBSOCKETS_MAX_SUBSCRIPTIONS: '20',
    WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER: '50',
    WEBSOCKETS_MAX_PER_USER: '8',
    WEBSOCKETS_REST_CONN_LIMIT: '60',
    WEBSOCKETS_GRAPHQL_CONN_LIMIT: '60',
    WEBSOCKETS_MESSAGE_MAX_SIZE: '64kb',
    WEBSOCKETS_BUFFER_MAX_SIZE: '256kb',
    WEBSOCKETS_GRAPHQL_AUTH: 'public',
    WEBSOCKETS_GRAPHQL_AUTH_TIMEOUT: '5s',
  },
});
const { db, url } = cluster;
await db.query(`
  CREATE TABLE note (id serial PRIMARY KEY, title text, secret text);
  INSERT INTO note (title, secret) VALUES ('one', 'hidden')`);
await until(async () => (await cluster.fetch('/items/note')).status === 200, 'the table is served');

/** Opens a connection and upgrades it by hand; null when that is refused. */
async function upgrade(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { hostname, port } = new URL(url),
): Promise<{ readonly socket: Socket; readonly head: string }> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const lines = Object.entries({
    ...{ Host: `${hostname}:${port}`, Upgrade: 'websocket', Connection: 'Upgrade' },
    ...{ 'Sec-WebSocket-Key': randomBytes(16).toString('base64'), 'Sec-WebSocket-Version': '13' },
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [chunk] = await once(socket, 'data');
  return { socket, head: String(chunk) };
}

const statusOf = (head: string) => Number(head.split(' ')[1]);

/** A frame as clients send it (RFC 6455, 5.2). */
function frame(opcode: number, payload: Buffer, { masked = true, final = true } = {}): Buffer {
  const { length } = payload;
  const size = length < 126 ? Buffer.from([length]) : Buffer.from([126, length >> 8, length & 255]);
  const [first = 0, ...more] = size;
  const head = Buffer.from([(final ? 128 : 0) | opcode, (masked ? 128 : 0) | first, ...more]);
  if (!masked) return Buffer.concat([head, payload]);
  const mask = randomBytes(4);
  const hidden = payload.map((byte, place) => byte ^ (mask[place % 4] ?? 0));
  return Buffer.concat([head, mask, hidden]);
}

const text = (message: unknown) => frame(1, Buffer.from(JSON.stringify(message)));
const gone = (socket: Socket) => until(() => socket.destroyed || socket.readableEnded, 'the end');

t.afterEach(async () => {
  const [edge] = cluster.edges;
  t.equal(edge?.process.exitCode, null, 'the edge is alive');
  t.equal((await cluster.fetch('/items/note?limit=1')).status, 200, 'and answers');
});

t.test('frames that no client sends', async (t) => {
  const attacks: Readonly<Record<string, Buffer>> = {
    'reserved opcode': frame(3, Buffer.from('x')),
    'not masked': frame(1, Buffer.from('{}'), { masked: false }),
    'a long control frame': frame(9, Buffer.alloc(200)),
    'a control frame in parts': frame(9, Buffer.from('x'), { final: false }),
    'text that is not UTF-8': frame(1, Buffer.from([0xff, 0xfe, 0xfd])),
    'a continuation of nothing': frame(0, Buffer.from('x')),
    'a length that is never sent': Buffer.concat([
      Buffer.from([0x81, 0xff]),
      Buffer.from('7fffffffffffffff', 'hex'),
      Buffer.from('mask'),
    ]),
    'a message over the limit': frame(1, Buffer.alloc(65_500, 'a'), { final: false }),
    binary: frame(2, randomBytes(20)),
    'a closing code that is none': frame(8, Buffer.from([0, 1])),
  };
  for (const [name, bytes] of Object.entries(attacks)) {
    for (const path of ['/websocket', '/graphql']) {
      const { socket } = await upgrade(path, { 'Sec-WebSocket-Protocol': 'graphql-transport-ws' });
      socket.write(bytes);
      socket.write(frame(0, Buffer.alloc(1_000, 'a')));
      socket.end();
      socket.resume();
      await gone(socket);
      t.ok(true, `${name} on ${path}`);
    }
  }
});

t.test('random bytes and random messages', async (t) => {
  const dice = new Dice(20_261_123);
  const values = [null, 0, -1, '', 'note', 'create', [], {}, [[]], { a: {} }, '__proto__', 1e308];
  const pick = () => values[dice.below(values.length)];
  const types = [
    'auth',
    'subscribe',
    'unsubscribe',
    'items',
    'ping',
    'connection_init',
    'complete',
  ];
  for (let number = 0; number < 40; number += 1) {
    const { socket } = await upgrade('/websocket');
    socket.resume();
    socket.write(text({ type: 'auth', access_token: ADMIN_TOKEN }));
    for (let count = 0; count < 25; count += 1) {
      const type = types[dice.below(types.length)];
      const keys = ['uid', 'collection', 'event', 'item', 'query', 'action', 'id', 'ids', 'data'];
      const message = Object.fromEntries(keys.map((key) => [key, pick()]));
      socket.write(text({ ...message, type, collection: dice.below(2) === 0 ? 'note' : pick() }));
    }
    socket.write(randomBytes(dice.below(200)));
    socket.end();
    await gone(socket);
  }
  t.ok(true);
});

t.test('thousands of subscriptions of one connection', async (t) => {
  const socket = await openSocket(`${url}/websocket`);
  socket.send({ type: 'auth', access_token: ADMIN_TOKEN });
  await socket.next();
  const count = async () => {
    const found = heard();
    return found.length === 0 ? null : found;
  };
  const heard = () => socket.heard;
  for (let uid = 0; uid < 1_000; uid += 1) {
    socket.send({ type: 'subscribe', collection: 'note', event: 'create', uid });
  }
  await until(async () => ((await count())?.length ?? 0) >= 1_000, 'all answers');
  const refused = heard().filter((one) => one.error?.code === 'LIMIT_EXCEEDED');
  t.equal(refused.length, 980);
  t.ok(heard().every((one) => one.event === 'init' || one.type === 'subscribe'));
  socket.close();

  const flood = await openSocket(`${url}/graphql`, ['graphql-transport-ws']);
  flood.send({ type: 'connection_init', payload: { access_token: ADMIN_TOKEN } });
  t.match(await flood.next(), { type: 'connection_ack' });
  const query = 'subscription { note_mutated { key } }';
  for (let id = 0; id < 1_000; id += 1) {
    flood.send({ type: 'subscribe', id: `s${id}`, payload: { query } });
  }
  await until(() => flood.heard.length >= 980, 'all answers');
  t.ok(
    flood.heard.every(({ type, payload }) => {
      return type === 'error' && payload[0].extensions.code === 'LIMIT_EXCEEDED';
    }),
  );
  flood.close();
});

t.test('messages that come faster than they are answered', async (t) => {
  const { socket } = await upgrade('/websocket', { Authorization: `Bearer ${ADMIN_TOKEN}` });
  socket.pause();
  const message = text({
    type: 'items',
    action: 'read',
    collection: 'note',
    uid: 'x'.repeat(5_000),
  });
  for (let count = 0; count < 400; count += 1) socket.write(message);
  socket.resume();
  await gone(socket);
  t.ok(true, 'it was disconnected');
});

t.test('who does not read is disconnected', async (t) => {
  const reader = await openSocket(`${url}/websocket`, [], ADMIN_TOKEN);
  reader.send({ type: 'subscribe', collection: 'note', event: 'create' });
  await reader.next();
  const { socket } = await upgrade('/websocket', { Authorization: `Bearer ${ADMIN_TOKEN}` });
  let heard = '';
  socket.on('data', (chunk) => {
    heard += String(chunk);
  });
  for (const uid of Array.from({ length: 10 }, (_, index) => index)) {
    socket.write(text({ type: 'subscribe', collection: 'note', event: 'create', uid }));
  }
  await until(() => heard.split('"init"').length > 10, 'all subscriptions');
  socket.removeAllListeners('data');
  socket.pause();
  const title = 'x'.repeat(100_000);
  // What the system buffers of a connection is some megabytes.
  for (let count = 0; count < 20; count += 1) {
    await cluster.fetch('/items/note', { method: 'POST', body: JSON.stringify({ title }) });
  }
  // Writes that follow each other closely are told together.
  const told = () => reader.heard.reduce((sum, { data }) => sum + data.length, 0);
  await until(() => told() === 20, 'the others hear of everything');
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  socket.resume();
  await gone(socket);
  t.ok(bytes < 10 * 20 * title.length, 'the slow one did not get everything');
  reader.close();
});

t.test('who may not open one', async (t) => {
  const open = (path: string, headers: Readonly<Record<string, string>>) =>
    upgrade(path, headers).then(({ socket, head }) => {
      socket.destroy();
      return statusOf(head);
    });
  t.equal(await open('/websocket', { Origin: 'https://evil.example' }), 403, 'another origin');
  t.equal(await open('/websocket', { Origin: url }), 101, 'its own');
  t.equal(await open('/websocket', { Authorization: 'Bearer nobody' }), 401);
  t.equal(await open('/nothing', {}), 404);
});

t.test('connections that do not log in make room for those that do', async (t) => {
  const member = await createMember(cluster, [{ action: 'read', collection: 'note' }]);
  const flood = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const sockets: Socket[] = [];
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (let number = 0; number < 100; number += 1) {
      const { socket } = await upgrade(path, headers);
      socket.resume();
      sockets.push(socket);
    }
    return () => sockets.filter((socket) => !socket.destroyed && !socket.readableEnded).length;
  };
  const oldest = await openSocket(`${url}/websocket`);
  const left = await flood('/websocket');
  t.match(await oldest.next(), {
    ...{ type: 'auth', status: 'error' },
    error: { code: 'REQUESTS_EXCEEDED', variable: 'WEBSOCKETS_REST_CONN_LIMIT' },
  });
  t.match(await oldest.closed, { code: 1013, reason: /^REQUESTS_EXCEEDED/ });
  await until(() => left() <= 6, 'they have a tenth of all connections');
  const valid = await openSocket(`${url}/websocket`);
  valid.send({ type: 'auth', access_token: member.token });
  t.match(await valid.next(), { type: 'auth', status: 'ok' });

  const protocol = 'graphql-transport-ws';
  const first = await openSocket(`${url}/graphql`, [protocol]);
  const leftOfGraph = await flood('/graphql', { 'Sec-WebSocket-Protocol': protocol });
  t.match(await first.closed, { code: 1013, reason: /^REQUESTS_EXCEEDED/ });
  await until(() => leftOfGraph() <= 6, 'there, too');
  const graph = await openSocket(`${url}/graphql`, [protocol]);
  graph.send({ type: 'connection_init', payload: { access_token: member.token } });
  t.match(await graph.next(), { type: 'connection_ack' });
  await flood('/websocket');
  valid.send({ type: 'ping' });
  t.match(await valid.next(), { type: 'pong' }, 'whoever has logged in stays');
  valid.close();
  graph.close();
});

t.test('a user may have some connections and subscriptions, and others theirs', async (t) => {
  const read = [{ action: 'read', collection: 'note', fields: ['id'] }] as const;
  const [greedy, other] = [await createMember(cluster, read), await createMember(cluster, read)];
  const sockets: TestSocket[] = [];
  const protocol = 'graphql-transport-ws';
  while (sockets.length < 6) sockets.push(await openSocket(`${url}/websocket`, [], greedy.token));
  for (let count = 0; count < 2; count += 1) {
    const socket = await openSocket(`${url}/graphql`, [protocol], greedy.token);
    socket.send({ type: 'connection_init' });
    t.match(await socket.next(), { type: 'connection_ack' });
    sockets.push(socket);
  }
  const refused = await upgrade('/websocket', { Authorization: `Bearer ${greedy.token}` });
  t.equal(statusOf(refused.head), 429);
  t.match(refused.head, /Retry-After/i);
  refused.socket.destroy();
  const late = await openSocket(`${url}/websocket`);
  late.send({ type: 'auth', access_token: greedy.token, uid: 1 });
  t.match(await late.next(), {
    ...{ type: 'auth', status: 'error', uid: 1 },
    error: { code: 'REQUESTS_EXCEEDED', variable: 'WEBSOCKETS_MAX_PER_USER', limit: 8 },
  });
  t.match(await late.closed, { code: 1013 });
  const lateGraph = await openSocket(`${url}/graphql`, [protocol]);
  lateGraph.send({ type: 'connection_init', payload: { access_token: greedy.token } });
  t.match(await lateGraph.closed, { code: 1013, reason: /^REQUESTS_EXCEEDED/ });

  const [first, second, third] = sockets;
  const graph = sockets.at(-1);
  if (!first || !second || !third || !graph) throw new Error('there are eight');
  first.send({ type: 'auth', access_token: greedy.token });
  t.match(await first.next(), { type: 'auth', status: 'ok' }, 'the same user may log in again');
  const subscribe = { type: 'subscribe', collection: 'note', event: 'create' };
  for (const socket of [first, second, third]) {
    for (let uid = 0; uid < 20; uid += 1) socket.send({ ...subscribe, uid });
    await until(() => socket.heard.length === 20, 'all answers');
  }
  const errors = third.heard.filter(({ status }) => status === 'error');
  t.equal(errors.length, 10);
  t.match(errors[0], {
    type: 'subscribe',
    error: {
      ...{ code: 'REQUESTS_EXCEEDED', limit: 50 },
      variable: 'WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER',
    },
  });
  const query = 'subscription { note_mutated { key } }';
  graph.send({ type: 'subscribe', id: 'a', payload: { query } });
  t.match(await graph.next(), {
    type: 'error',
    payload: [{ extensions: { code: 'REQUESTS_EXCEEDED' } }],
  });

  const mine = await openSocket(`${url}/websocket`, [], other.token);
  mine.send(subscribe);
  t.match(await mine.next(), { event: 'init' });
  second.send({ type: 'unsubscribe', uid: 1 });
  await second.next(({ event }) => event === 'unsubscribe');
  third.heard.length = 0;
  third.send({ ...subscribe, uid: 'again' });
  t.match(await third.next(), { event: 'init', uid: 'again' }, 'there is room again');
  first.close();
  await first.closed;
  const again = await until(
    () => openSocket(`${url}/websocket`, [], greedy.token).catch(() => null),
    'room for a connection',
  );
  for (const socket of [...sockets, mine, again]) socket.close();
});

t.test('a connection without a name has no permissions', async (t) => {
  const mute = await openSocket(`${url}/graphql`, ['graphql-transport-ws']);
  t.equal((await mute.closed).code, 4408, 'it has to begin in time');
  const client = await openSocket(`${url}/graphql`, ['graphql-transport-ws']);
  client.send({ type: 'connection_init' });
  await client.next();
  const payload = { query: 'subscription { note_mutated { key data { secret } } }' };
  client.send({ type: 'subscribe', id: '1', payload });
  t.match(await client.next(), { type: 'error', payload: [{ message: String }] });
  client.close();
});

t.test('rules that speak of the subscriber hold for events', async (t) => {
  const [mine, other] = await Promise.all(
    ['a', 'b'].map((title) =>
      createMember(cluster, [
        {
          ...{ action: 'read', collection: 'note', fields: ['id', 'title'] },
          permissions: { title: { _eq: '$CURRENT_USER' } },
        },
      ]).then((member) => ({ ...member, title })),
    ),
  );
  const open = async (token = '') => {
    const socket = await openSocket(`${url}/websocket`, [], token);
    socket.send({ type: 'subscribe', collection: 'note', uid: 1, query: { fields: ['title'] } });
    t.strictSame((await socket.next()).data, []);
    return socket;
  };
  const [first, second] = [await open(mine?.token), await open(other?.token)];
  for (const title of [mine?.id, other?.id]) {
    await cluster.fetch('/items/note', { method: 'POST', body: JSON.stringify({ title }) });
  }
  t.strictSame((await first.next()).data, [{ title: mine?.id }]);
  t.strictSame((await second.next()).data, [{ title: other?.id }]);
  t.strictSame([first.heard, second.heard], [[], []]);
  for (const socket of [first, second]) socket.close();
});

t.test('a proxy that drops the header Connection gets an error', async (t) => {
  for (const value of ['close', 'keep-alive']) {
    const { socket, head } = await upgrade('/websocket', { Connection: value });
    t.equal(statusOf(head), 400);
    t.match(head, 'websocket_connection_header');
    socket.destroy();
  }
  const { socket, head } = await upgrade('/websocket', { Connection: 'keep-alive, Upgrade' });
  t.equal(statusOf(head), 101);
  socket.destroy();
});

t.test('messages that a user sends in part end before they fill the memory', async (t) => {
  const edge = await cluster.addEdge({
    ...{ WEBSOCKETS_MAX_PER_USER: '1000', WEBSOCKETS_REST_CONN_LIMIT: '1000' },
    ...{ WEBSOCKETS_MESSAGE_MAX_SIZE: '1mb', EDGE_MEMORY: '256mb' },
  });
  const read = [{ action: 'read', collection: 'note', fields: ['id'] }] as const;
  const [greedy, other] = [await createMember(cluster, read), await createMember(cluster, read)];
  const honest = await openSocket(`${edge.url}/websocket`, [], other.token);
  honest.answerPings();
  const headers = { Authorization: `Bearer ${greedy.token}` };
  const head = Buffer.from('81ff00000000000ff00001020304', 'hex');
  const part = Buffer.concat([head, Buffer.alloc(1_000_000, 'a')]);
  const sockets: Socket[] = [];
  const isOver = () => sockets.some(({ destroyed }) => destroyed);
  while (sockets.length < 300) {
    const { socket } = await upgrade('/websocket', headers, new URL(edge.url));
    socket.on('close', () => socket.destroy());
    socket.resume();
    socket.write(part);
    sockets.push(socket);
  }
  await until(isOver, 'the end of them');
  honest.send({ type: 'ping' });
  t.match(await honest.next(({ type }) => type === 'pong'), { type: 'pong' }, 'others stay');
  for (const socket of sockets) socket.destroy();
});
