// @newest

import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { serverOptionsOf } from '#edge/http/answer-options.ts';
import type { Response } from '#edge/http/response.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { type Served, serve } from './fixture/client.ts';

const EXPOSED =
  'Content-Range, Content-Disposition, ETag, Location, Preference-Applied, RateLimit, ' +
  'RateLimit-Policy, Retry-After, X-Request-Id, Accept-Ranges, Tus-Resumable, Tus-Version, ' +
  'Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Offset, Upload-Length, ' +
  'Upload-Expires, File-Id';
const PAGE = 'https://page.example';

async function* stream() {
  yield 'a stream';
}

let handled = 0;

function start(t: Teardown, env: Readonly<Record<string, string>>): Promise<Served> {
  const answer = ({ path }: { path: string }): Response => {
    handled++;
    if (path === '/error') throw new ServiceError('FORBIDDEN');
    if (path === '/bug') throw new Error('a bug');
    return { status: 200, body: path === '/stream' ? stream() : '"a body"' };
  };
  return serve(t, answer, serverOptionsOf(loadConfig(env)));
}

function ask(url: string, origin: string | null, init: RequestInit = {}) {
  return fetch(url, { ...init, headers: { ...init.headers, ...(origin && { Origin: origin }) } });
}

const PREFLIGHT = { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'SEARCH' } };

t.test('it is off unless it is switched on', async (t) => {
  const { url } = await start(t, { CORS_ORIGIN: PAGE });
  const answer = await ask(url, PAGE);
  t.equal(answer.headers.has('access-control-allow-origin'), false);
  t.equal(answer.headers.has('strict-transport-security'), false);
  t.equal(answer.headers.has('x-powered-by'), false);
  t.equal(answer.headers.has('server'), false);
});

t.test('a preflight is answered before everything else', async (t) => {
  const { url } = await start(t, { CORS_ENABLED: 'true', CORS_ORIGIN: PAGE });
  const before = handled;
  const answer = await ask(`${url}/error`, PAGE, PREFLIGHT);
  t.equal(answer.status, 204);
  t.match(Object.fromEntries(answer.headers), {
    'access-control-allow-origin': PAGE,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, SEARCH',
    'access-control-allow-headers':
      'Content-Type, Authorization, If-Match, If-None-Match, Prefer, Idempotency-Key, X-Request-Id',
    'access-control-max-age': '18000',
    vary: 'Origin, Cache-Control',
  });
  const other = await ask(url, 'https://evil.example', PREFLIGHT);
  t.equal(other.status, 204);
  t.notOk([...other.headers.keys()].some((name) => name.startsWith('access-control')));
  t.equal(handled, before);
  await ask(url, PAGE, { method: 'OPTIONS' });
  t.equal(handled, before + 1, 'OPTIONS of a page that asks for nothing is an ordinary request');
});

t.test('pages may read every kind of answer, and only those that may', async (t) => {
  const { url } = await start(t, { CORS_ENABLED: 'true', CORS_ORIGIN: `${PAGE},http://b.example` });
  for (const path of ['/', '/error', '/bug', '/stream']) {
    const answer = await ask(url + path, PAGE);
    t.equal(answer.headers.get('access-control-allow-origin'), PAGE, path);
    t.equal(answer.headers.get('access-control-allow-credentials'), 'true', path);
    t.equal(answer.headers.get('access-control-expose-headers'), EXPOSED, path);
    for (const origin of ['https://evil.example', 'null', `${PAGE}.evil.example`, null]) {
      const other = await ask(url + path, origin);
      t.equal(other.headers.has('access-control-allow-origin'), false, `${path} ${origin}`);
      t.match(other.headers.get('vary'), /Origin/);
    }
  }
  const { headers } = await ask(url, PAGE);
  const tag = headers.get('etag') ?? '';
  const same = await ask(url, PAGE, { headers: { 'If-None-Match': tag } });
  t.equal(same.status, 304);
  t.equal(same.headers.get('access-control-allow-origin'), PAGE);
});

t.test('a wildcard origin allows no credentials', async (t) => {
  const { url } = await start(t, { CORS_ENABLED: 'true', CORS_ORIGIN: '*' });
  for (const init of [{}, PREFLIGHT]) {
    const answer = await ask(url, PAGE, init);
    t.equal(answer.headers.get('access-control-allow-origin'), '*');
    t.equal(answer.headers.has('access-control-allow-credentials'), false);
  }
  const each = await start(t, { CORS_ENABLED: 'true', CORS_ORIGIN: 'true' });
  const answer = await ask(each.url, PAGE);
  t.equal(answer.headers.get('access-control-allow-origin'), PAGE);
  t.equal(answer.headers.get('access-control-allow-credentials'), 'true');
});

t.test('an option makes browsers use HTTPS only', async (t) => {
  const { url } = await start(t, { HSTS_ENABLED: 'true' });
  for (const path of ['/', '/error', '/stream']) {
    const answer = await fetch(url + path);
    t.equal(answer.headers.get('strict-transport-security'), 'max-age=31536000');
  }
});
