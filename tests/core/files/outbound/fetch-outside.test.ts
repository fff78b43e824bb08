// @newest @slow

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import fc from 'fast-check';
import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type FetchOptions, fetchOutside } from '#core/files/outbound/fetch-outside.ts';
import { isReachable } from '#core/files/outbound/public-address.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const RULES = { denied: ['0.0.0.0', '169.254.169.254'], allowed: [] };

function options(own: Partial<FetchOptions> = {}): FetchOptions {
  const { signal } = new AbortController();
  return { ...RULES, maxBytes: 100_000, timeout: 10_000, signal, ...own };
}

/** The server of the test is not public, so it is allowed by address. */
const HERE = { allowed: ['127.0.0.1/32'] };

async function serve(t: Teardown, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('there is no address');
  return `http://127.0.0.1:${address.port}`;
}

/** All that a client hears of a failure. */
async function errorOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ServiceError)) throw new Error('no coded failure');
  return JSON.stringify([error.status, error, error.headers]);
}

async function fault(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => null,
    (error: unknown) =>
      error instanceof ServiceError ? [error.code, String(error.details.reason?.sentence)] : error,
  );
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** Sockets of this process. */
function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

t.test('a file with its name and type', async (t) => {
  const url = await serve(t, (request, response) => {
    t.match(request.headers, { 'accept-encoding': 'identity', cookie: undefined });
    response.setHeader('Content-Type', 'Image/PNG; x=y');
    if (request.url === '/named') {
      response.setHeader('Content-Disposition', `attachment; filename*=UTF-8''..%2F%C3%BC.png`);
    }
    response.end('content');
  });
  const found = await fetchOutside(`${url}/a/b%20c.png?x=1`, options(HERE));
  t.match(found, { type: 'image/png', filename: 'b c.png', size: 7 });
  t.equal(await textOf(found.content), 'content');
  const named = await fetchOutside(`${url}/named`, options(HERE));
  t.equal(named.filename, 'ü.png', 'never a path');
  await textOf(named.content);
});

t.test('addresses that are not public, in whatever form', async (t) => {
  const url = await serve(t, (_, response) => response.end('secret'));
  const { port } = new URL(url);
  const forms = [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '017700000001',
    '127.1',
    '0.0.0.0',
  ];
  const v6 = [
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::]',
    '[fe80::1]',
  ];
  const tunnels = [
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fc00::1]',
    '[fec0::1]',
  ];
  const others = [
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
  ];
  for (const host of [...forms, ...v6, ...tunnels, ...others]) {
    const found = await fault(fetchOutside(`http://${host}:${port}/`, options()));
    t.match(found, [/SERVICE_UNAVAILABLE|INVALID_PAYLOAD/, /no public address|is not a URL/], host);
  }
});

t.test('a server that may not be reached and one that is not found fail alike', async (t) => {
  const closed = await serve(t, (_, response) => response.end());
  const private_ = async () => ['10.0.0.1'];
  const unknown = () => Promise.reject(new Error('ENOTFOUND'));
  const failures = await Promise.all([
    errorOf(fetchOutside('http://a.test/', options({ resolve: private_ }))),
    errorOf(fetchOutside('http://a.test/', options({ resolve: unknown }))),
    errorOf(fetchOutside('http://a.test/', options({ resolve: async () => [] }))),
    errorOf(fetchOutside('http://127.0.0.1/', options())),
    errorOf(fetchOutside('http://127.0.0.1:1/', options(HERE))),
    errorOf(fetchOutside(closed, options())),
  ]);
  t.equal(new Set(failures).size, 1, [...new Set(failures)].join(' '));
});

t.test('URLs of other kinds', async (t) => {
  for (const url of [
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://127.0.0.1/',
    'data:,x',
    'x',
    '',
    'http://u:p@example.com/',
    'http://@:80',
  ]) {
    t.match(await fault(fetchOutside(url, options())), ['INVALID_PAYLOAD', /"url"/], url);
  }
});

t.test('a name that answers differently each time is resolved once', async (t) => {
  let asked = 0;
  const url = await serve(t, (_, response) => response.end('secret'));
  const { port } = new URL(url);
  const resolve = async () => {
    asked += 1;
    return asked === 1 ? ['93.184.215.14'] : ['127.0.0.1'];
  };
  const work = fetchOutside(`http://rebinding.test:${port}/`, options({ resolve, timeout: 500 }));
  t.match(await fault(work), ['SERVICE_UNAVAILABLE', /did not respond/]);
  t.equal(asked, 1);
  const mixed = { resolve: async () => ['10.0.0.1', '::1'] };
  const late = Promise.withResolvers<readonly string[]>();
  const left = { resolve: async () => await late.promise, signal: AbortSignal.abort() };
  t.match(await fault(fetchOutside('http://a.test/', options(left))), ['SERVICE_UNAVAILABLE']);
  late.reject(new Error('a name that fails when nobody waits any more'));
  t.match(await fault(fetchOutside('http://a.test/', options(mixed))), [
    'SERVICE_UNAVAILABLE',
    /public/,
  ]);
});

t.test('redirects are judged like the first address', async (t) => {
  const url = await serve(t, (request, response) => {
    const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to') ?? '';
    response.writeHead(to === '' ? 200 : 302, to === '' ? {} : { Location: to });
    response.end('end');
  });
  const go = (to: string) => fetchOutside(`${url}/?to=${encodeURIComponent(to)}`, options(HERE));
  t.equal(await textOf((await go('/')).content), 'end');
  for (const to of [
    'http://127.0.0.2/',
    'http://[::1]/',
    'http://169.254.169.254/latest',
    'http://10.1.1.1/',
  ]) {
    t.match(await fault(go(to)), ['SERVICE_UNAVAILABLE', /no public address/], to);
  }
  t.match(await fault(go('file:///etc/passwd')), ['INVALID_PAYLOAD', /must begin/]);
  const ring = await serve(t, (_, response) => response.writeHead(302, { Location: '/' }).end());
  t.match(await fault(fetchOutside(ring, options(HERE))), ['SERVICE_UNAVAILABLE', /more than 5/]);
});

t.test('servers that are slow, endless or lie', async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === '/missing') return response.writeHead(404).end();
    if (request.url === '/coded')
      return response.writeHead(200, { 'Content-Encoding': 'gzip' }).end();
    if (request.url === '/transfer') {
      return response.socket?.end(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      );
    }
    if (request.url === '/chunks') {
      return response.socket?.end(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\nxyz\r\n',
      );
    }
    if (request.url === '/drip') {
      response.flushHeaders();
      const drip = setInterval(() => response.write('x'), 20);
      return response.on('close', () => clearInterval(drip));
    }
    if (request.url === '/announced') {
      return response.writeHead(200, { 'Content-Length': '200000' }).flushHeaders();
    }
    if (request.url === '/heads') return response.writeHead(200, { X: 'x'.repeat(20_000) }).end();
    if (request.url === '/never') return undefined;
    if (request.url === '/drop') {
      response.writeHead(200, { 'Content-Length': '10' });
      response.write('12345', () => response.destroy());
      return undefined;
    }
    const more = () => {
      if (!response.destroyed) response.write(Buffer.alloc(65_536), more);
    };
    return more();
  });
  const all = async (path: string, own = {}) => {
    const found = await fetchOutside(url + path, options({ ...HERE, ...own }));
    return await textOf(found.content);
  };
  t.match(await fault(all('/missing')), ['SERVICE_UNAVAILABLE', /404/]);
  t.match(await fault(all('/coded')), ['SERVICE_UNAVAILABLE', /compressed/]);
  t.match(await fault(all('/transfer')), ['SERVICE_UNAVAILABLE', /compressed/]);
  t.match(await fault(all('/chunks')), ['SERVICE_UNAVAILABLE', /closed the connection early/]);
  t.match(await fault(all('/drip', { timeout: 2_000 })), [
    'SERVICE_UNAVAILABLE',
    /closed the connection early/,
  ]);
  t.match(await fault(all('/announced')), ['CONTENT_TOO_LARGE']);
  t.match(await fault(all('/heads')), ['SERVICE_UNAVAILABLE', /did not respond/]);
  t.match(await fault(all('/endless')), ['CONTENT_TOO_LARGE']);
  t.match(await fault(all('/never', { timeout: 300 })), ['SERVICE_UNAVAILABLE', /did not respond/]);
  t.match(await fault(all('/drop')), ['SERVICE_UNAVAILABLE', /closed the connection early/]);
  const gone = new AbortController();
  const waiting = fault(all('/never', { signal: gone.signal }));
  gone.abort();
  t.match(await waiting, ['SERVICE_UNAVAILABLE']);
});

t.test('what is no HTTP', async (t) => {
  const server = createSocketServer((socket) => socket.end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const work = fetchOutside(`http://127.0.0.1:${port}/`, options(HERE));
  t.match(await fault(work), ['SERVICE_UNAVAILABLE', /did not respond/]);
});

t.test('nothing stays open, whether it is refused or left', async (t) => {
  const url = await serve(t, (request, response) => {
    response.writeHead(request.url === '/left' ? 200 : 500);
    response.write(Buffer.alloc(50_000));
  });
  const before = descriptors();
  const unread = await fetchOutside(`${url}/left`, options(HERE));
  unread.close();
  for (let n = 0; n < 200; n += 1) {
    const refused = Array.from({ length: 50 }, () =>
      fault(fetchOutside(`${url}/refused`, options(HERE))),
    );
    await Promise.all(refused);
    const { content } = await fetchOutside(`${url}/left`, options(HERE));
    for await (const _ of content) break;
  }
  await until(() => descriptors() <= before + 2, 'all sockets are closed');
});

t.test('no address of a range that is not public passes', async (t) => {
  const octet = fc.integer({ min: 0, max: 255 });
  const inside = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127, 224, 239, 240, 255), octet, octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  );
  fc.assert(
    fc.property(inside, ([a, b, c, d]) => {
      const dotted = `${a}.${b}.${c}.${d}`;
      const hex = [a, b, c, d].map((part) => part.toString(16).padStart(2, '0'));
      const mapped = `::ffff:${hex.slice(0, 2).join('')}:${hex.slice(2).join('')}`;
      const url = new URL(`http://${((a * 256 + b) * 256 + c) * 256 + d}/`);
      return [dotted, mapped, `::ffff:${dotted}`, url.hostname].every(
        (text) => !isReachable(text, RULES),
      );
    }),
  );
  t.ok(isReachable('93.184.215.14', RULES));
  t.ok(isReachable('2606:2800:21f:cb07:6820:80da:af6b:8b2c', RULES));
  for (const denied of ['93.184.0.0/16', '::ffff:93.184.215.14', '::ffff:93.184.0.0/112']) {
    t.notOk(isReachable('93.184.215.14', { ...RULES, denied: [denied] }), denied);
  }
  const link = { ...RULES, allowed: ['169.254.0.0/16', '127.0.0.1'] };
  t.notOk(isReachable('169.254.169.254', link), 'what is denied by name stays denied');
  t.ok(isReachable('169.254.1.1', link));
  t.ok(isReachable('127.0.0.1', link), '0.0.0.0 does not outweigh what is allowed');
});
