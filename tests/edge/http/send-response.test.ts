// @newest

import { once } from 'node:events';
import t from 'tap';
import { ValueBytes } from '#core/database/value-bytes.ts';
import { TAG_MAX_LENGTH } from '#edge/http/entity-tag.ts';
import type { Handler, Pieces, Response } from '#edge/http/response.ts';
import { until } from '#tests/harness/until.ts';
import { exchange, open, request, serve } from './fixture/client.ts';

function answering(response: Response): Handler {
  return () => response;
}

t.test('a route’s own headers replace the standard ones, whatever their case', async (t) => {
  const headers = { 'content-type': 'text/html; charset=utf-8', VARY: 'Accept', Location: '/x' };
  const { url, port } = await serve(t, answering({ status: 202, headers, body: 'pong' }));
  const answer = await fetch(url);
  t.equal(answer.status, 202);
  t.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(answer.headers.get('vary'), 'Origin, Cache-Control, Accept', 'which is added to');
  t.equal(answer.headers.get('location'), '/x');
  t.equal(answer.headers.get('cache-control'), 'no-cache');
  t.equal((await exchange(port, request('GET /'))).match(/\r\ncontent-type:/gi)?.length, 1);
});

t.test('values cannot break out of their line', async (t) => {
  const value = 'a\r\nSet-Cookie: x=1\r\n\r\n<html>\0\tü';
  const { url, port } = await serve(t, answering({ status: 200, headers: { 'X-Own': value } }));
  const answer = await fetch(url);
  t.equal(answer.headers.has('set-cookie'), false);
  t.equal(await answer.text(), '');
  t.match(
    await exchange(port, request('GET /')),
    /\r\nX-Own: a {2}Set-Cookie: x=1 {4}<html> \tü\r\n/,
  );
});

t.test('without content there is no type, and 204 and 304 have no length', async (t) => {
  const { port } = await serve(t, (request) => ({
    status: Number(request.path.slice(1)),
    body: null,
  }));
  const empty = await exchange(port, request('GET /200'));
  t.match(empty, /Content-Length: 0\r\n/);
  t.notMatch(empty, /\r\nContent-Type/);
  for (const status of ['204', '304']) {
    const answer = await exchange(port, request(`GET /${status}`));
    t.match(answer, new RegExp(`^HTTP/1.1 ${status} .*\r\n\r\n$`, 's'));
    t.notMatch(answer, /\r\nContent-(Length|Type):/);
  }
});

t.test('bytes are sent as they are', async (t) => {
  const bytes = Uint8Array.of(0, 255, 13, 10, 0);
  const headers = { 'Content-Type': 'application/octet-stream' };
  const { url } = await serve(t, answering({ status: 200, headers, body: bytes }));
  t.strictSame(new Uint8Array(await (await fetch(url)).arrayBuffer()), bytes);
});

t.test('an unknown status, and a large body', async (t) => {
  const body = 'ü'.repeat(4_000_000);
  const { url } = await serve(t, answering({ status: 299, body }));
  const answer = await fetch(url);
  t.equal(answer.status, 299);
  t.ok((await answer.text()) === body);
});

t.test('JSON has a weak tag, and a client with it gets 304', async (t) => {
  let body = '{"data":1}';
  const { url } = await serve(t, () => ({ status: 200, body }));
  const first = await fetch(url);
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^W\/"[\w-]{27}"$/);
  const conditional = (value: string, method = 'GET') =>
    fetch(url, { method, headers: { 'If-None-Match': value, 'Cache-Control': 'no-cache' } });
  for (const value of [tag, tag.slice(2), `"x", ${tag}`, '*']) {
    const answer = await conditional(value);
    t.equal(answer.status, 304, value);
    t.equal(answer.headers.get('etag'), tag);
    t.equal(answer.headers.get('vary'), 'Origin, Cache-Control');
    t.equal(await answer.text(), '');
  }
  t.equal((await conditional(tag, 'HEAD')).status, 304);
  t.equal((await conditional('"x"')).status, 200);
  t.equal((await conditional(tag, 'POST')).status, 200);
  body = '{"data":2}';
  t.equal((await conditional(tag)).status, 200);
});

t.test('what has no tag: other methods, statuses, types, streams, huge bodies', async (t) => {
  const huge = 'x'.repeat(TAG_MAX_LENGTH + 1);
  const answers: Record<string, Response> = {
    '/created': { status: 201, body: '{}' },
    '/text': { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'x' },
    '/stream': { status: 200, body: pieces('x') },
    '/huge': { status: 200, body: huge },
    '/empty': { status: 200 },
  };
  const { url } = await serve(t, ({ path }) => answers[path] ?? { status: 200, body: '{}' });
  for (const path of Object.keys(answers)) {
    t.equal((await fetch(url + path)).headers.has('etag'), false, path);
  }
  t.equal((await fetch(url, { method: 'SEARCH' })).headers.has('etag'), false);
  t.equal((await fetch(url)).headers.has('etag'), true);
});

t.test('a route’s own tag is used and compared', async (t) => {
  const headers = { ETag: '"1700000000"', 'Content-Type': 'image/png' };
  const { url } = await serve(t, answering({ status: 200, headers, body: 'x' }));
  t.equal((await fetch(url)).headers.get('etag'), '"1700000000"');
  const again = { headers: { 'If-None-Match': '"1700000000"', 'Cache-Control': 'x' } };
  t.equal((await fetch(url, again)).status, 304);
});

async function* pieces(...texts: (string | Uint8Array | Error)[]): Pieces {
  for (const text of texts) {
    // What was written in the turn of a cut would be lost with it.
    await new Promise(setImmediate);
    if (text instanceof Error) throw text;
    yield text;
  }
}

t.test('pieces are sent in order, empty ones left out', async (t) => {
  const body = () => pieces('a', '', Buffer.from('ü'), 'c');
  const { port } = await serve(t, () => ({ status: 200, body: body() }));
  const answer = await exchange(port, request('GET /'));
  t.match(answer, /Transfer-Encoding: chunked/);
  t.match(answer, /\r\n\r\n1\r\na\r\n2\r\nü\r\n1\r\nc\r\n0\r\n\r\n$/);
});

t.test('a failure before the first piece is a coded answer, after it a cut', async (t) => {
  const { port, lines } = await serve(t, ({ path }) => ({
    status: 200,
    body: path === '/first' ? pieces(new Error('e')) : pieces('[1,', new Error('e')),
  }));
  t.match(await exchange(port, request('GET /first')), /^HTTP\/1.1 500 .*INTERNAL_SERVER_ERROR/s);
  const cut = await exchange(port, request('GET /later'));
  t.match(cut, /^HTTP\/1.1 200 .*\[1,/s);
  t.notMatch(cut, /\r\n0\r\n/, 'it does not look whole');
  t.match(lines, [
    { level: 50, err: { message: 'e' } },
    { level: 50, err: { message: 'e' } },
  ]);
});

t.test('HEAD asks for the first piece only, and lets go of the others', async (t) => {
  let asked = 0;
  let left = 0;
  async function* begun(): Pieces {
    try {
      for (;;) {
        asked += 1;
        yield 'piece';
      }
    } finally {
      left += 1;
    }
  }
  const { url } = await serve(t, () => ({ status: 200, body: begun() }));
  const answer = await fetch(url, { method: 'HEAD' });
  t.strictSame([answer.status, await answer.text()], [200, '']);
  t.strictSame([asked, left], [1, 1]);
});

t.test('a piece is not held back until the next one, however slow the client reads', async (t) => {
  const gate = Promise.withResolvers<void>();
  const size = 24 * 1_048_576;
  async function* slowly(): Pieces {
    yield 'x'.repeat(size);
    await gate.promise;
    yield 'end';
  }
  const { port } = await serve(t, () => ({ status: 200, body: slowly() }));
  const socket = await open(port);
  socket.write(request('GET /'));
  let got = 0;
  let tail = '';
  socket.on('data', (chunk: Buffer) => {
    got += chunk.length;
    tail = (tail + chunk.subarray(-64).toString()).slice(-64);
    socket.pause();
    setImmediate(() => socket.resume());
  });
  await until(() => got > size);
  gate.resolve();
  await once(socket, 'close');
  // On a connection that takes little at a time the piece may leave in several chunks.
  t.match(tail.replaceAll(/\r\n[0-9a-f]+\r\n/g, ''), /end\r\n$/);
});

t.test('a client that goes away ends the pieces, even those that wait', async (t) => {
  const returned: string[] = [];
  const endless = (): AsyncGenerator<string> => letters('endless', returned);
  const waiting: Pieces = {
    [Symbol.asyncIterator]: () => {
      let first = true;
      return {
        next: () => {
          if (!first) return new Promise(() => undefined);
          first = false;
          return Promise.resolve({ done: false as const, value: 'x' });
        },
        return: async () => {
          returned.push('waiting');
          return { done: true as const, value: undefined };
        },
      };
    },
  };
  const { port, lines } = await serve(t, ({ path }) => ({
    status: 200,
    body: path === '/endless' ? endless() : waiting,
  }));
  for (const [done, path] of ['/endless', '/waiting'].entries()) {
    const socket = await open(port);
    socket.write(request(`GET ${path}`));
    await once(socket, 'data');
    socket.destroy();
    await until(() => returned.length > done && lines.length > done);
  }
  t.strictSame(returned, ['endless', 'waiting']);
  t.match(lines, [
    { level: 20, aborted: true },
    { level: 20, aborted: true },
  ]);
});

async function* letters(name: string, returned: string[]): AsyncGenerator<string> {
  try {
    for (;;) yield 'x'.repeat(16_384);
  } finally {
    returned.push(name);
  }
}

t.test('one fast stream does not starve other requests', async (t) => {
  const { port, url } = await serve(t, ({ path }) => ({
    status: 200,
    body: path === '/' ? '{}' : letters('fast', []),
  }));
  const socket = await open(port);
  socket.write(request('GET /fast'));
  socket.resume();
  for (let i = 0; i < 20; i++) t.equal((await fetch(url)).status, 200);
  socket.destroy();
});

t.test('memory that is used again once it is sent shows no answer to another client', async (t) => {
  const lengths = [10, 2_000, 15_000, 60_000, 250_000, 700_000];
  const textOf = (name: string) => JSON.stringify(name).repeat(lengths[Number(name) % 6] ?? 1);
  let released = 0;
  const handler: Handler = async ({ path }) => {
    const value = new ValueBytes(Buffer.from(textOf(path.slice(1))));
    await Promise.resolve();
    value.surround('[', ']');
    const release = () => {
      released += 1;
      value.release();
    };
    return { status: 200, body: value.bytes, release };
  };
  const { url, port } = await serve(t, handler, { compresses: true });
  const ask = async (name: string, index: number) => {
    const method = index % 7 === 0 ? 'HEAD' : 'GET';
    const headers = { 'Accept-Encoding': ['identity', 'gzip', 'br'][index % 3] ?? '' };
    const answer = await fetch(`${url}/${name}`, { method, headers });
    // Later answers are made before it is read.
    await new Promise(setImmediate);
    const text = await answer.text();
    if (text !== (method === 'HEAD' ? '' : `[${textOf(name)}]`)) t.fail(`${method} ${name}`);
  };
  const names = Array.from({ length: 240 }, (_, index) => String(100 + index));
  for (let start = 0; start < names.length; start += 60) {
    await Promise.all(names.slice(start, start + 60).map(ask));
  }
  t.equal(released, names.length);

  const gone = await open(port);
  gone.write(request('GET /5', ['Accept-Encoding: br']));
  gone.destroy();
  await Promise.all(names.slice(0, 60).map(ask));
});

t.test('streams go on by turns of holders', async (t) => {
  const size = 8 * 1024 * 1024;
  const piece = Buffer.alloc(65_536, 'x');
  async function* pieces() {
    for (let sent = 0; sent < size; sent += piece.length) yield piece;
  }
  const { port } = await serve(t, () => ({ status: 200, body: pieces(), length: size }), {
    ipOf: (asked) => asked.header('x-address') ?? null,
  });
  let manyGot = 0;
  const many = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const socket = await open(port);
      socket.on('data', ({ length }) => {
        manyGot += length;
      });
      socket.write(request('GET /', ['X-Address: 10.0.0.1']));
      return socket;
    }),
  );
  await until(() => manyGot > size);
  const before = manyGot;
  const other = await open(port);
  let otherGot = 0;
  other.on('data', ({ length }) => {
    otherGot += length;
  });
  other.write(request('GET /', ['X-Address: 10.0.0.2']));
  await until(() => otherGot >= size);
  const times = (manyGot - before) / size;
  for (const socket of many) socket.destroy();
  t.ok(
    times < 10,
    `beside it, forty streams of another holder got ${times.toFixed(1)} times as much`,
  );
});
