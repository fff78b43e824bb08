/**
 * What requests hold of the memory of a process: bodies that arrive and answers that nobody reads are
 * counted for who sent them, and are refused or wait when he has too much, while others go on.
 */
import type { Socket } from 'node:net';
import t from 'tap';
import { ProcessMemory } from '#core/base/holders/process-memory.ts';
import { MessageMemory } from '#edge/http/message-memory.ts';
import type { Handler } from '#edge/http/response.ts';
import { openSocket } from '#tests/harness/socket.ts';
import { until } from '#tests/harness/until.ts';
import { errorsOf, exchange, open, request, serve } from './fixture/client.ts';

const MEGABYTE = 1_048_576;
const LONG = MEGABYTE / 2;

/** A heap of 128 MB, so that there are 64 MB of bytes. */
function memoryOf(wait: number): ProcessMemory {
  return new ProcessMemory({ heap: 128 * MEGABYTE, used: () => 0, wait });
}

/** The holder is the path of the request, and known only when the handler begins. */
function heldByPath(handler: Handler): Handler {
  return (incoming) => {
    incoming.holdFor({ user: incoming.path, ip: null });
    return handler(incoming);
  };
}

const sizeOf: Handler = async ({ body }) => ({
  status: 200,
  body: String((await body.bytes()).length),
});

/** A client that sends the head of a body and a part of it. */
async function half(port: number, line: string, headers: readonly string[], part = 1) {
  const socket = await open(port);
  socket.write(request(line, headers, 'x'.repeat(part)));
  return socket;
}

function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
  });
}

t.test('unread responses use up the room of their holder alone', async (t) => {
  const memory = memoryOf(0);
  const body = Buffer.alloc(12 * MEGABYTE, 'x');
  const handler = heldByPath(({ method }) =>
    method === 'POST' ? { status: 200, body, done: true } : { status: 200, body },
  );
  const { port, url } = await serve(t, handler, { memory });
  const sockets: Socket[] = [];
  for (let count = 1; count <= 2; count += 1) {
    const socket = await open(port);
    socket.pause();
    socket.write(request('GET /a'));
    await until(() => memory.bytes.takenBy('user:/a') === count * body.length);
    sockets.push(socket);
  }
  const refused = await fetch(`${url}/a`);
  t.equal(refused.status, 503);
  t.match(refused.headers.get('retry-after'), /^[0-9]+$/);
  t.match(await errorsOf(refused), [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
  const done = await fetch(`${url}/a`, { method: 'POST' });
  t.equal(done.status, 200, 'who has changed something is told so');
  t.equal((await done.arrayBuffer()).byteLength, body.length);
  const other = await fetch(`${url}/b`);
  t.equal((await other.arrayBuffer()).byteLength, body.length, 'another holder is served');
  t.equal((await fetch(`${url}/a`, { method: 'HEAD' })).status, 200);
  for (const socket of sockets) socket.destroy();
  await until(() => memory.bytes.used === 0);
});

for (const [form, headers] of [
  ['of known length', ['Content-Length: 10485760']],
  ['in chunks', ['Transfer-Encoding: chunked']],
] as const) {
  const isChunked = form === 'in chunks';
  const options = { bodyLimit: 10 * MEGABYTE };
  const part = isChunked ? `8000\r\n${'x'.repeat(0x8000)}\r\n` : 'x';
  const send = async (port: number, line: string) => {
    const socket = await open(port);
    socket.write(request(line, headers, part));
    return socket;
  };

  t.test(`bodies ${form} that arrive by half are refused beyond the share`, async (t) => {
    const memory = memoryOf(20);
    const { port, url } = await serve(t, heldByPath(sizeOf), { memory, ...options });
    const sockets: Socket[] = [];
    for (let count = 1; count <= 3; count += 1) {
      sockets.push(await send(port, 'POST /a'));
      await until(() => memory.bytes.takenBy('user:/a') === count * 10 * MEGABYTE);
    }
    const late = await send(port, 'POST /a');
    sockets.push(late);
    t.match(await answerOf(late), /^HTTP\/1.1 503 [\s\S]*retry-after: 5/i);
    const other = await fetch(`${url}/b`, { method: 'POST', body: 'y'.repeat(LONG) });
    t.equal(await other.text(), String(LONG), 'another holder is served');
    const small = await fetch(`${url}/a`, { method: 'POST', body: 'small' });
    t.equal(await small.text(), '5', 'small bodies are no matter');
    for (const socket of sockets) socket.destroy();
    await until(() => memory.bytes.used === 0);
  });

  t.test(`a body ${form} waits for room, and nothing of it is lost`, async (t) => {
    const memory = memoryOf(60_000);
    const { port } = await serve(t, heldByPath(sizeOf), { memory, ...options });
    const sockets: Socket[] = [];
    for (let count = 0; count < 4; count += 1) sockets.push(await send(port, 'POST /a'));
    await until(() => memory.bytes.waiting === 1);
    const length = 10 * MEGABYTE;
    const whole = isChunked
      ? `${length.toString(16)}\r\n${'y'.repeat(length)}\r\n0\r\n\r\n`
      : 'y'.repeat(length);
    const answer = exchange(port, request('POST /a', headers, whole));
    await until(() => memory.bytes.waiting === 2);
    for (const socket of sockets) socket.destroy();
    t.match(await answer, /^HTTP\/1.1 200 [\s\S]*\r\n\r\n10485760$/);
    await until(() => memory.bytes.used === 0);
  });
}

t.test('what arrives before the caller is known is his afterwards', async (t) => {
  const memory = memoryOf(0);
  const known = Promise.withResolvers<void>();
  const handler: Handler = async (incoming) => {
    await known.promise;
    incoming.holdFor({ user: 'a', ip: null });
    return await sizeOf(incoming);
  };
  const { port } = await serve(t, handler, { memory, bodyLimit: MEGABYTE });
  const socket = await half(port, 'POST /', [`Content-Length: ${LONG}`], LONG / 4);
  await until(() => memory.bytes.takenBy('ip:127.0.0.1') === LONG / 4);
  known.resolve();
  await until(() => memory.bytes.takenBy('user:a') === LONG);
  t.equal(memory.bytes.takenBy('ip:127.0.0.1'), 0);
  socket.write('x'.repeat(LONG - LONG / 4));
  t.match(await answerOf(socket), new RegExp(`\r\n\r\n${LONG}$`));
  await until(() => memory.bytes.used === 0);
});

t.test('a body that hardly moves is ended', async (t) => {
  const memory = memoryOf(0);
  const { port } = await serve(t, sizeOf, { memory, bodyLimit: MEGABYTE, bodyPatience: 0 });
  const socket = await half(port, 'POST /', [`Content-Length: ${LONG}`]);
  t.match(await answerOf(socket), /^HTTP\/1.1 408 [\s\S]*OUT_OF_TIME/);
  await until(() => memory.bytes.used === 0);
});

t.test('values wait for room, heavy ones for their turn, and are given back', async (t) => {
  const memory = memoryOf(60_000);
  const row = '{"a":1},';
  const headers = { 'content-type': 'application/json' };
  const handler: Handler = heldByPath(async ({ body, path }) => {
    await body.json();
    if (path === '/hold') await held.promise;
    return { status: 200, body: 'done' };
  });
  const held = Promise.withResolvers<void>();
  const { url } = await serve(t, handler, { memory, bodyLimit: MEGABYTE });
  const send = (path: string, rows: number) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: `[${row.repeat(rows)}{}]` });
  // One takes some 5 MB of values, so the third waits for its turn.
  const works = [1, 2, 3].map(() => send('/hold', 4_000));
  await until(() => memory.values.takenBy('user:/hold') > 9 * MEGABYTE);
  t.equal((await send('/other', 4_000)).status, 200, 'another holder has his turn');
  held.resolve();
  for (const work of await Promise.all(works)) t.equal(work.status, 200);
  await until(() => memory.values.used === 0);
  const never = await send('/a', 100_000);
  t.equal(never.status, 413, 'what never has room is refused for good');
  t.match(await errorsOf(never), [
    { extensions: { code: 'CONTENT_TOO_LARGE', variable: 'EDGE_MEMORY' } },
  ]);
});

t.test('a long body waits for its turn before its values are counted', async (t) => {
  const memory = memoryOf(60_000);
  const held = Promise.withResolvers<void>();
  let counted = 0;
  const handler: Handler = heldByPath(async ({ body, path }) => {
    await body.json(undefined, () => {
      counted += 1;
    });
    if (path === '/hold') await held.promise;
    return { status: 200, body: 'done' };
  });
  const { url } = await serve(t, handler, { memory, bodyLimit: 4 * MEGABYTE });
  const headers = { 'content-type': 'application/json' };
  const send = (path: string, text: string) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: text });
  const rows = `[${'{"a":1},'.repeat(4_000)}{}]`;
  const works = [1, 2].map(() => send('/hold', rows));
  await until(() => memory.values.takenBy('user:/hold') > 9 * MEGABYTE);
  const before = counted;
  const text = JSON.stringify(['x'.repeat(1_500_000), 1]);
  const late = send('/hold', text);
  t.equal((await send('/other', text)).status, 200, 'another holder has his turn');
  t.equal(counted, before + 1, 'only his values were counted');
  held.resolve();
  for (const work of await Promise.all([...works, late])) t.equal(work.status, 200);
  t.equal(counted, before + 2);
  await until(() => memory.values.used === 0);
});

t.test('a client that does not read its answers keeps no turn', async (t) => {
  const memory = memoryOf(0);
  const long = Buffer.alloc(12 * MEGABYTE, 'x');
  const handler = heldByPath(async ({ body, query }) => {
    await body.json();
    return { status: 200, body: query === 'long' ? long : 'done' };
  });
  const { port, url } = await serve(t, handler, { memory, bodyLimit: MEGABYTE });
  const rows = `[${'{"a":1},'.repeat(4_000)}{}]`;
  const sockets: Socket[] = [];
  for (let count = 1; count <= 2; count += 1) {
    const socket = await open(port);
    socket.pause();
    const lines = ['Content-Type: application/json', `Content-Length: ${rows.length}`];
    socket.write(request('POST /slow?long', lines, rows));
    await until(() => memory.bytes.takenBy('user:/slow') === count * long.length);
    sockets.push(socket);
  }
  t.equal(memory.values.used, 0);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/slow`, { method: 'POST', headers, body: rows });
  t.equal(answer.status, 200, 'there is a turn for the next work');
  for (const socket of sockets) socket.destroy();
  await until(() => memory.bytes.used === 0);
});

t.test(
  'messages are counted until they are handled, and end a connection that sends too much',
  async (t) => {
    const memory = memoryOf(0);
    const handled = Promise.withResolvers<void>();
    const { url } = await serve(t, sizeOf, {
      memory,
      sockets: [
        {
          ...{ path: '/websocket', protocol: null, messageLimit: MEGABYTE, bufferLimit: MEGABYTE },
          admit: async () => ({
            ...{ holder: 'user:a', opened: () => undefined, closed: () => undefined },
            sendPing: () => false,
            message: () => handled.promise,
          }),
        },
      ],
    });
    const patient = await openSocket(`${url}/websocket`);
    patient.sendText(`[${'{"a":1},'.repeat(5_000)}{}]`);
    await until(() => memory.values.used > 5 * MEGABYTE && memory.bytes.used > 40_000);
    const other = await openSocket(`${url}/websocket`);
    other.sendText(`[${'{"a":1},'.repeat(20_000)}{}]`);
    t.match(await other.closed, { code: 1013 });
    handled.resolve();
    await until(() => memory.values.used + memory.bytes.used === 0);
    patient.close();
  },
);

t.test('concurrent messages of a socket release their memory', async (t) => {
  const memory = memoryOf(0);
  const messages = new MessageMemory(memory);
  const text = (length: number) => Buffer.from(JSON.stringify('x'.repeat(length)));
  messages.take('user:a', text(20_000))();
  t.equal(memory.bytes.used, 0);
  const works = [messages.take('user:a', text(10_000)), messages.take('user:a', text(5_000))];
  for (const giveBack of works) giveBack();
  t.equal(memory.bytes.used, 0);
  const late = [messages.take('user:a', text(20_000)), messages.take('user:a', text(20_000))];
  messages.release();
  for (const giveBack of late) giveBack();
  t.equal(memory.bytes.used, 0);
});

t.test('near the limit of the heap only small requests are answered', async (t) => {
  let used = 0;
  const memory = new ProcessMemory({ heap: 128 * MEGABYTE, used: () => used, wait: 0 });
  const { url } = await serve(t, sizeOf, { memory, bodyLimit: MEGABYTE });
  const send = (size: number) => fetch(url, { method: 'POST', body: 'x'.repeat(size) });
  t.equal((await send(LONG)).status, 200);
  used = 120 * MEGABYTE;
  const refused = await send(LONG);
  t.equal(refused.status, 503);
  t.match(refused.headers.get('retry-after'), /^[0-9]+$/);
  t.equal((await send(1_000)).status, 200);
  used = 0;
  t.equal((await send(LONG)).status, 200);
});
