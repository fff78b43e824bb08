// @newest

import { once } from 'node:events';
import t from 'tap';
import { ClientGoneError } from '#edge/http/request.ts';
import type { Handler } from '#edge/http/response.ts';
import { until } from '#tests/harness/until.ts';
import { errorsOf, exchange, open, request, serve } from './fixture/client.ts';

const LIMIT = 65_536;

const echo: Handler = async (request) => {
  // The body is asked for late, as by a route that looks up its caller first.
  if (request.path === '/late') for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  return { status: 200, body: JSON.stringify({ data: (await request.body.json()) ?? null }) };
};

/** Posts a body with a Content-Type, as one chunk of known length. */
function post(url: string, body: string | Uint8Array, type?: string) {
  const headers = type === undefined ? {} : { 'Content-Type': type };
  // Bytes, so that fetch adds no type of its own.
  return fetch(url, { method: 'POST', headers, body: Buffer.from(body) });
}

t.test('JSON, at once and late, whole and in chunks', async (t) => {
  const { url, port } = await serve(t, echo);
  for (const path of ['/', '/late']) {
    const answer = await post(url + path, '{"a":[1,"ü"]}', 'application/json');
    t.strictSame(await answer.json(), { data: { a: [1, 'ü'] } });
    const chunks = '5\r\n{"a":\r\n3\r\n"ü\r\n2\r\n"}\r\n0\r\n\r\n';
    const text = request(`POST ${path}`, ['Transfer-Encoding: chunked'], chunks);
    t.match(await exchange(port, text), /\{"data":\{"a":"ü"\}\}$/);
  }
});

t.test('a body that arrives byte by byte', async (t) => {
  const { port } = await serve(t, echo);
  const socket = await open(port);
  let got = '';
  socket.on('data', (chunk: Buffer) => {
    got += chunk.toString();
  });
  socket.write(request('POST /', ['Content-Length: 10']));
  for (const byte of Buffer.from('{"a":"ü"}')) {
    socket.write(Uint8Array.of(byte));
    await new Promise(setImmediate);
  }
  await once(socket, 'close');
  t.match(got, /\{"data":\{"a":"ü"\}\}$/);
});

t.test('an empty body is undefined', async (t) => {
  const { url, port } = await serve(t, echo);
  t.strictSame(await (await post(url, '', 'application/json')).json(), { data: null });
  t.strictSame(await (await fetch(url, { method: 'DELETE' })).json(), { data: null });
  const text = request('POST /', ['Transfer-Encoding: chunked'], '0\r\n\r\n');
  t.match(await exchange(port, text), /\{"data":null\}$/);
});

t.test('types that are JSON, and those that are not', async (t) => {
  const { url } = await serve(t, echo);
  for (const type of [
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/merge-patch+json',
  ]) {
    t.equal((await post(url, '{}', type)).status, 200, String(type));
  }
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'json',
  ]) {
    const answer = await post(url, '{}', type);
    t.equal(answer.status, 415, String(type));
    const extensions = { mediaType: type, where: 'Content-Type', code: 'UNSUPPORTED_MEDIA_TYPE' };
    t.strictSame((await errorsOf(answer))[0]?.extensions, extensions);
  }
  const zipped = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Encoding': 'gzip' },
    body: Buffer.from('{}'),
  });
  t.match((await errorsOf(zipped))[0]?.extensions, { mediaType: 'gzip', where: /Encoding/ });
});

t.test('malformed JSON is INVALID_PAYLOAD', async (t) => {
  const { url } = await serve(t, echo);
  const answer = await post(url, '{"a":1,}', 'application/json');
  t.equal(answer.status, 400);
  t.match(await errorsOf(answer), [
    { extensions: { code: 'INVALID_PAYLOAD', reason: /position 7 \(line 1 column 8\)/ } },
  ]);
});

t.test('a body over the limit is refused by its announced size, before it comes', async (t) => {
  const { port } = await serve(t, echo);
  const socket = await open(port);
  const answered = once(socket, 'data');
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`);
  const [head] = await answered;
  t.match(String(head), /^HTTP\/1.1 400 /);
  t.match(String(head), `"limit":${LIMIT},"variable":"BODY_MAX_SIZE"`);
  // The rest passes unread and the connection serves the next request.
  socket.write(Buffer.alloc(LIMIT + 1));
  socket.write(request('POST /', ['Content-Length: 2'], '{}'));
  const [next] = await once(socket, 'data');
  t.match(String(next), /\{"data":\{\}\}$/);
});

t.test('a body over the limit is refused while it comes in chunks', async (t) => {
  const { port } = await serve(t, echo);
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const five = request('POST /', ['Transfer-Encoding: chunked'], `${chunk.repeat(5)}0\r\n\r\n`);
  t.match(await exchange(port, five), /^HTTP\/1.1 400 .*BODY_MAX_SIZE/s);
  const four = request('POST /', ['Transfer-Encoding: chunked'], `${chunk.repeat(4)}0\r\n\r\n`);
  t.match(await exchange(port, four), /position|end of JSON/, 'as large as allowed');
});

t.test('a refused body that is very large is not waited for', async (t) => {
  const { port } = await serve(t, echo);
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 ** 40}\r\n\r\n`;
  t.match(await exchange(port, head), /^HTTP\/1.1 400 .*Connection: close.*BODY_MAX_SIZE/s);
});

t.test('a route that answers without reading leaves the connection usable', async (t) => {
  const { port } = await serve(t, async (request) => {
    if (request.query === 'late') await new Promise(setImmediate);
    if (request.query === 'lend') request.body.lend();
    return { status: 200, body: request.path };
  });
  const size = 3_000_000;
  for (const query of ['', '?late', '?lend']) {
    const socket = await open(port);
    let got = '';
    socket.on('data', (data: Buffer) => {
      got += data.toString();
    });
    socket.write(`POST /one${query} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size));
    socket.write(request('GET /two'));
    await once(socket, 'close');
    t.match(got, /\/oneHTTP.*\/two$/s, query);
  }
});

t.test('a route that throws or answers while the body is read does no harm', async (t) => {
  const { port, url, server } = await serve(t, (request) => {
    if (request.path === '/ok') return { status: 200 };
    void request.body.json();
    if (request.path === '/throw') throw new Error('expected');
    return { status: 204 };
  });
  for (const path of ['/throw', '/answer']) {
    const socket = await open(port);
    const answered = once(socket, 'data');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`);
    t.match(String((await answered)[0]), /^HTTP\/1.1 (500|204)/);
    socket.destroy();
  }
  t.equal((await fetch(`${url}/ok`)).status, 200);
  t.ok(server);
});

t.test('reading fails when the client disconnects', async (t) => {
  const failures: unknown[] = [];
  const { port } = await serve(t, async (request) => {
    try {
      if (request.path === '/json') await request.body.json();
      else for await (const _ of request.body.lend());
    } catch (error) {
      failures.push(error);
    }
    return { status: 200 };
  });
  for (const [done, path] of ['/json', '/lend'].entries()) {
    const socket = await open(port);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`);
    await new Promise(setImmediate);
    socket.destroy();
    await until(() => failures.length > done);
    t.type(failures[done], ClientGoneError, path);
  }
});

t.test('what arrived before the client disconnected is read first', async (t) => {
  const size = 3_000_000;
  let read = 0;
  const taken = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<unknown>();
  const { port } = await serve(t, async ({ body, signal }) => {
    try {
      for await (const piece of body.lend()) {
        read += piece.length;
        taken.resolve();
        if (!signal.aborted) await once(signal, 'abort');
      }
    } catch (error) {
      failed.resolve(error);
    }
    return { status: 200 };
  });
  const socket = await open(port);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size + 1}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(size), resolve));
  await taken.promise;
  socket.destroy();
  t.type(await failed.promise, ClientGoneError);
  t.equal(read, size);
});

t.test('a body can be read once', async (t) => {
  const { url } = await serve(t, async (request) => {
    await request.body.json();
    try {
      await request.body.bytes();
    } catch (error) {
      return { status: 200, body: String(error) };
    }
    return { status: 500 };
  });
  t.match(await (await post(url, '{}')).text(), /read once/);
});

t.test('bytes have a limit of their own', async (t) => {
  const { url } = await serve(t, async (request) => ({
    status: 200,
    body: await request.body.bytes(4),
  }));
  t.equal(await (await post(url, 'abcd', 'text/csv')).text(), 'abcd');
  t.equal((await post(url, 'abcde', 'text/csv')).status, 400);
});

t.test('an unread body holds the client back', async (t) => {
  const gate = Promise.withResolvers<void>();
  const size = 64 * 1_048_576;
  const { port } = await serve(t, async (request) => {
    await gate.promise;
    let read = 0;
    for await (const chunk of request.body.lend()) read += chunk.length;
    return { status: 200, body: String(read) };
  });
  const socket = await open(port);
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`,
  );
  const piece = Buffer.alloc(1_048_576);
  let sent = 0;
  while (socket.writableLength < 8 * piece.length && sent < size) {
    socket.write(piece);
    sent += piece.length;
    await new Promise(setImmediate);
  }
  t.ok(sent < size, `held back after ${sent} bytes`);
  for (; sent < size; sent += piece.length) socket.write(piece);
  gate.resolve();
  let got = '';
  socket.on('data', (data: Buffer) => {
    got += data.toString();
  });
  await once(socket, 'close');
  t.match(got, new RegExp(`\r\n\r\n${size}$`));
});
