// @newest

import { once } from 'node:events';
import { createServer as createNetServer } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { ClientGoneError } from '#edge/http/request.ts';
import type { Handler } from '#edge/http/response.ts';
import { createServer } from '#edge/http/server.ts';
import { freePort } from '#tests/harness/port.ts';
import { until } from '#tests/harness/until.ts';
import { errorsOf, exchange, open, request, serve } from './fixture/client.ts';

const hello: Handler = () => ({ status: 200, body: '{"data":"hello"}' });

t.test('a request as routes see it', async (t) => {
  const { port } = await serve(t, async (request) => {
    const before = request.header('x-own');
    await new Promise(setImmediate);
    const { id: _, method, path, query, ip, segments } = request;
    return {
      status: 200,
      body: JSON.stringify({
        ...{ method, path, query, ip, segments, before, after: request.header('x-own') },
        none: request.header('x-none') ?? null,
      }),
    };
  });
  const answer = await exchange(port, request('PATCH /a/b%20c?d=%20&e', ['X-Own: value']));
  t.strictSame(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), {
    method: 'PATCH',
    path: '/a/b%20c',
    query: 'd=%20&e',
    ip: '127.0.0.1',
    segments: ['a', 'b c'],
    before: 'value',
    after: 'value',
    none: null,
  });
});

t.test('every answer carries the standard headers', async (t) => {
  const { url } = await serve(t, hello);
  const [one, two] = [await fetch(url), await fetch(url)];
  const headers = Object.fromEntries(one.headers);
  t.match(headers, {
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
    vary: 'Origin, Cache-Control',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    date: /GMT$/,
  });
  t.not(headers['x-request-id'], two.headers.get('x-request-id'));
  t.notOk('x-powered-by' in headers || 'uwebsockets' in headers, 'no product or version');
});

t.test('the id of a client is taken over when it is well-formed', async (t) => {
  const { port, url, lines } = await serve(t, ({ path }) => {
    if (path === '/bug') throw new Error('a bug');
    return { status: 200 };
  });
  const idOf = async (id: string, path = '/') => {
    const answer = await fetch(`${url}${path}`, { headers: { 'X-Request-Id': id } });
    return answer.headers.get('x-request-id');
  };
  for (const id of ['0af7651916cd43dd8448eb211c80319c', 'a/B+c=~1:2@x.y', 'x'.repeat(128)]) {
    t.equal(await idOf(id), id);
  }
  for (const id of ['x'.repeat(129), 'a b', 'a"b', '{"a":1}', 'a,b', 'é', '%0d%0aSet-Cookie: a']) {
    t.match(await idOf(id), /^[\w-]{8,40}$/, id);
  }
  t.equal(await idOf('mine', '/bug'), 'mine');
  t.equal(lines.at(-1)?.request, 'mine');
  const twice = await exchange(port, request('GET /', ['X-Request-Id: one', 'X-Request-Id: two']));
  t.notMatch(twice, /X-Request-Id: (?:one|two)/);
});

t.test('a coded error is the answer, however it is thrown', async (t) => {
  const error = new ServiceError(
    'REQUESTS_EXCEEDED',
    { limit: 3 },
    { headers: { 'Retry-After': '7' } },
  );
  const many = new ServiceErrors([
    new ServiceError('FAILED_VALIDATION', { field: 'a' }),
    new ServiceError('FORBIDDEN'),
  ]);
  const { url } = await serve(t, ({ path }) => {
    if (path === '/sync') throw error;
    return path === '/many' ? Promise.reject(many) : Promise.reject(error);
  });
  for (const path of ['/sync', '/async']) {
    const answer = await fetch(url + path);
    t.equal(answer.status, 429);
    t.equal(answer.headers.get('retry-after'), '7');
    t.equal(answer.headers.get('etag'), null);
    const extensions = { limit: 3, code: 'REQUESTS_EXCEEDED' };
    t.strictSame(await errorsOf(answer), [{ message: 'Too many requests.', extensions }]);
  }
  const answer = await fetch(`${url}/many`);
  t.equal(answer.status, 400, 'the first one decides');
  const codes = (await errorsOf(answer)).map(({ extensions }) => extensions.code);
  t.strictSame(codes, ['FAILED_VALIDATION', 'FORBIDDEN']);
});

t.test('failures of the database are translated', async (t) => {
  const { url } = await serve(t, () => {
    const error = new pg.DatabaseError('numeric field overflow', 0, 'error');
    error.code = '22003';
    throw error;
  });
  const answer = await fetch(url);
  t.equal(answer.status, 400);
  t.equal((await errorsOf(answer))[0]?.extensions.code, 'VALUE_OUT_OF_RANGE');
});

t.test('other errors are a 500 without details, and a line in the log', async (t) => {
  const { url, lines } = await serve(
    t,
    (request) => {
      if (request.header('authorization') === 'admin') request.revealErrors();
      if (request.path === '/null') throw null;
      if (request.path === '/later') return Promise.reject(new Error('secret'));
      if (request.path === '/url') {
        throw new Error('postgres://user:canary@host is away, a long canary, password=canary');
      }
      throw new Error('secret');
    },
    { secrets: ['a long canary'] },
  );
  for (const path of ['/now', '/later', '/null']) {
    const answer = await fetch(`${url}${path}?token=canary`);
    t.equal(answer.status, 500);
    t.equal(
      await answer.text(),
      '{"errors":[{"message":"An unexpected error occurred.",' +
        '"extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}',
    );
    const line = lines.at(-1);
    t.match(line, { level: 50, method: 'GET', path, status: 500, ms: Number });
    t.equal(line?.request, answer.headers.get('x-request-id'));
    if (path !== '/null') t.match(line, { err: { message: 'secret', stack: /server\.test/ } });
  }
  t.notMatch(JSON.stringify(lines), /canary/, 'no query is logged');
  const answer = await fetch(url, { headers: { Authorization: 'admin' } });
  t.equal((await errorsOf(answer))[0]?.message, 'secret', 'shown to whom it may be');
  const concealed = await fetch(`${url}/url`, { headers: { Authorization: 'admin' } });
  t.equal(
    (await errorsOf(concealed))[0]?.message,
    'postgres://[redacted]@host is away, [redacted], password=[redacted]',
  );
});

t.test('answers that cannot be sent are a 500 too', async (t) => {
  const { url, lines } = await serve(t, ({ path }) => ({
    status: 200,
    headers: path === '/name' ? { 'Bad\r\nName': '1' } : { 'Content-Length': '1' },
  }));
  t.equal((await fetch(`${url}/name`)).status, 500);
  t.equal((await fetch(`${url}/framing`)).status, 500);
  t.match(lines[0], { level: 50, err: { message: /not the name of a header/ } });
  t.match(lines[1], { level: 50, err: { message: /set by the server/ } });
});

t.test('an error whose own headers cannot be sent cuts the connection', async (t) => {
  const { port, url } = await serve(t, ({ path }) => {
    if (path === '/') return { status: 200, body: 'fine' };
    throw new ServiceError('FORBIDDEN', {}, { headers: { 'Bad Name': '1' } });
  });
  t.equal(await exchange(port, request('GET /bad')), '');
  t.equal((await fetch(url)).status, 200);
});

t.test('lines of the log: debug for all, warn for a service that is missing', async (t) => {
  const { url, lines } = await serve(t, ({ path }) => {
    if (path === '/busy') throw new ServiceError('SERVICE_UNAVAILABLE', { service: 'x' });
    if (path === '/bad') throw invalidPayload(reason('body_object_expected'));
    return { status: 200 };
  });
  for (const path of ['/ok', '/bad', '/busy']) await fetch(`${url}${path}?access_token=canary`);
  t.match(lines, [
    { level: 20, path: '/ok', status: 200, method: 'GET', ms: Number, request: String },
    { level: 20, path: '/bad', status: 400 },
    { level: 40, path: '/busy', status: 503, err: { code: 'SERVICE_UNAVAILABLE' } },
  ]);
  t.notMatch(JSON.stringify(lines), /canary/);
  const quiet = await serve(t, hello, { level: 'info' });
  await fetch(quiet.url);
  t.strictSame(quiet.lines, []);
});

t.test('a client that goes away aborts the signal and is no error', async (t) => {
  const events: string[] = [];
  const { port, lines } = await serve(t, async (request) => {
    events.push('started');
    await once(request.signal, 'abort');
    events.push('aborted');
    t.type(request.signal.reason, ClientGoneError);
    request.signal.throwIfAborted();
    return { status: 200 };
  });
  for (const [done, close] of (['destroy', 'end'] as const).entries()) {
    const socket = await open(port);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const seen = events.length;
    await until(() => events.length > seen);
    socket[close]();
    await until(() => lines.length > done);
  }
  t.strictSame(events, ['started', 'aborted', 'started', 'aborted']);
  t.match(lines, [
    { level: 20, aborted: true, status: undefined },
    { level: 20, aborted: true, status: undefined },
  ]);
});

t.test('a signal asked for after the client went is aborted already', async (t) => {
  const signals: boolean[] = [];
  const gate = Promise.withResolvers<void>();
  const { port, lines } = await serve(t, async (request) => {
    if (request.path === '/ok') return { status: 200 };
    await gate.promise;
    signals.push(request.signal.aborted);
    throw new Error('a bug after the client went');
  });
  const socket = await open(port);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await exchange(port, request('GET /ok'));
  socket.resetAndDestroy();
  await exchange(port, request('GET /ok'));
  gate.resolve();
  await until(() => lines.length === 3);
  t.strictSame(signals, [true]);
  t.match(lines[2], { level: 50, err: { message: 'a bug after the client went' } });
});

t.test('oversized headers, ambiguous framing and nonsense are refused', async (t) => {
  const { port, url } = await serve(t, hello);
  const large = (size: number) => request('GET /', [`X-Large: ${'x'.repeat(size)}`]);
  t.match(await exchange(port, large(12_000)), /^HTTP\/1.1 200 OK/);
  for (const text of [
    large(17_000),
    large(60_000),
    request(`GET /${'x'.repeat(20_000)}`),
    request(`POST /?${'x'.repeat(20_000)}`, ['Content-Length: 2'], '{}'),
  ]) {
    const refusal = await exchange(port, text);
    t.match(refusal, /^HTTP\/1.1 431 .*"code":"HEADERS_TOO_LARGE"/s);
    t.notMatch(refusal, /uWebSockets/);
  }
  for (const headers of [
    ['Content-Length: 3', 'Content-Length: 4'],
    ['Transfer-Encoding: xchunked'],
    ['Content-Length: 3', 'Transfer-Encoding: chunked'],
    ['Content-Length: -1'],
    ['Content-Length: 99999999999999999999999'],
  ]) {
    for (const method of ['POST', 'GET', 'HEAD']) {
      const text = `${method} / HTTP/1.1\r\nHost: x\r\n${headers.join('\r\n')}\r\n\r\nabc`;
      t.match(await exchange(port, text), /^HTTP\/1.1 400 /, `${method} ${headers}`);
    }
  }
  t.match(await exchange(port, 'GET / HTTP/1.0\r\n\r\n'), /^HTTP\/1.1 505 /);
  t.equal((await fetch(url)).status, 200);
});

t.test('a port in use is an error that names PORT', async (t) => {
  const otherServer = createNetServer().listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  t.teardown(() => otherServer.close());
  const address = otherServer.address();
  const taken = address !== null && typeof address === 'object' ? address.port : 0;
  const { server, port } = await serve(t, hello);
  for (const busy of [taken, port]) {
    await t.rejects(server.listen('127.0.0.1', busy, false), { message: /^PORT: .* in use/ });
  }
  await t.rejects(server.listen('127.0.0.1', taken, true), { message: /^PORT: .* in use/ });
  await t.rejects(server.listen('192.0.2.1', 0, false), { message: /^HOST: .*EADDRNOTAVAIL/ });
});

t.test('several servers share a port with the option shared', async (t) => {
  const log = pino({ level: 'silent' });
  const make = () => createServer({ handler: hello, log, bodyLimit: 1 });
  const [one, two] = [make(), make()];
  t.teardown(() => {
    one.close();
    two.close();
  });
  const port = await freePort();
  t.equal(await one.listen('127.0.0.1', port, true), port);
  t.equal(await two.listen('127.0.0.1', port, true), port);
  t.equal((await fetch(`http://127.0.0.1:${port}`)).status, 200);
});

t.test('draining lets requests end, asks clients to close, then closes', async (t) => {
  const gate = Promise.withResolvers<void>();
  let started = 0;
  const { server, port } = await serve(t, async (request) => {
    started++;
    if (request.path === '/slow') await gate.promise;
    return { status: 200, body: request.path };
  });
  const slow = exchange(port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => started === 1);
  const idle = await open(port);
  const drained = server.drain({ linger: 60_000, limit: 60_000 });
  // A connection that was there before, and a new one, are served once more and closed.
  let received = '';
  idle.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  idle.write('GET /kept HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(idle, 'close');
  t.match(received, /Connection: close.*\/kept$/s);
  const head = await exchange(port, 'GET /new HTTP/1.1\r\nHost: x\r\n\r\n');
  t.equal(head.match(/Connection: close/gi)?.length, 1);
  gate.resolve();
  t.match(await slow, /200 OK.*\/slow$/s);
  await drained;
  await t.rejects(fetch(`http://127.0.0.1:${port}/`));
  server.close();
});

t.test('draining cuts requests that do not end in time', async (t) => {
  const begun = Promise.withResolvers<void>();
  const { server, port, lines } = await serve(t, async (request) => {
    begun.resolve();
    await once(request.signal, 'abort');
    return { status: 200 };
  });
  const hanging = exchange(port, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const idle = await open(port);
  await begun.promise;
  await server.drain({ linger: 1, limit: 1 });
  t.equal(await hanging, '');
  await until(() => lines.length === 1 && idle.closed);
});
