// @newest
/**
 * Requests that a page of another origin makes a browser send with the cookie of its user: forms,
 * simple requests, beacons, from other sites and from neighbours on the same one. The browser itself
 * is in `tests/browser`.
 */
import { connect } from 'node:net';
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import {
  cookiesOf,
  createUser,
  outcome,
  PASSWORD,
  post,
  QUICK_LOGIN,
} from '../edge/rest/fixture/sign-in.ts';

const cluster = await startCluster(t, {
  env: {
    ...QUICK_LOGIN,
    ...{ CORS_ENABLED: 'true', CORS_ORIGIN: 'https://app.example' },
    PUBLIC_URL: 'https://api.example/v1',
  },
});
const { url } = cluster;
const user = await createUser(cluster);
const login = async (mode: string) =>
  cookiesOf(await post(`${url}/auth/login`, { email: user.email, password: PASSWORD, mode }));
const cookie = await login('session');
const { host } = new URL(url);

/** A POST whose headers are these and no others. */
function rawPost(path: string, headers: Readonly<Record<string, string>>, body = '{}') {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const lines = { Host: host, Connection: 'close', 'Content-Length': String(body.length) };
  const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
    const head = Object.entries({ ...lines, ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  });
  let received = '';
  socket.on('data', (chunk) => {
    received += String(chunk);
  });
  socket.on('end', () => {
    const [head = '', ...rest] = received.split('\r\n\r\n');
    const status = Number(head.split(' ')[1]);
    resolve(new Response(status === 204 ? null : rest.join('\r\n\r\n'), { status }));
  });
  socket.on('error', reject);
  return promise;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Harmless, and refused with INVALID_PAYLOAD when it is let through. */
const send = (headers: Readonly<Record<string, string>>, path = '/users/me/tfa/disable') =>
  outcome(rawPost(path, { Cookie: cookie, ...headers }, '{"otp":"000000"}'));
const THROUGH = 'INVALID_PAYLOAD';

t.test(
  'only pages of our own, and those that CORS lets in, send what changes something',
  async (t) => {
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'null' },
      {
        Origin: `http://127.0.0.1:${Number(new URL(url).port) + 1}`,
        'Sec-Fetch-Site': 'same-site',
      },
      { Origin: 'https://app.example.evil.example' },
      { Origin: 'no URL' },
    ]) {
      t.equal(await send({ ...JSON_TYPE, ...headers }), 'FORBIDDEN', JSON.stringify(headers));
    }
    for (const headers of [
      {},
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'same-origin' },
      { Origin: url, 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'https://api.example', 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      t.equal(await send({ ...JSON_TYPE, ...headers }), THROUGH, JSON.stringify(headers));
    }
  },
);

t.test('a body declares JSON, or another type that the route accepts', async (t) => {
  for (const headers of [
    {},
    { 'Content-Type': '' },
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'text/plain; a=application/json' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
  ]) {
    for (const path of ['/users/me/tfa/disable', '/utils/cache/clear']) {
      t.equal(await send(headers, path), 'UNSUPPORTED_MEDIA_TYPE', JSON.stringify(headers));
    }
  }
  t.equal(await send({ 'Content-Type': 'Application/JSON; charset=utf-8' }), THROUGH);
  const token = await outcome(
    rawPost('/auth/login', {}, JSON.stringify({ email: user.email, password: PASSWORD })),
  );
  t.equal(token, 200, 'without a cookie a body without a type is read as JSON');
});

t.test('nor does a foreign page sign its visitors in', async (t) => {
  const body = JSON.stringify({ email: user.email, password: PASSWORD, mode: 'session' });
  const evil = { Origin: 'https://evil.example' };
  for (const headers of [evil, { ...evil, ...JSON_TYPE }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    t.equal(await outcome(rawPost('/auth/login', headers, body)), 'FORBIDDEN');
  }
  t.equal(await outcome(rawPost('/auth/login', {}, body)), 'UNSUPPORTED_MEDIA_TYPE');
  t.equal(await outcome(rawPost('/auth/login', { ...JSON_TYPE, Origin: url }, body)), 200);
  const plain = { ...JSON_TYPE, Origin: 'http://api.example', Host: 'api.example' };
  t.equal(await outcome(rawPost('/auth/login', plain, body)), 'FORBIDDEN', 'another scheme');
});

t.test('reading is nobody’s to forge, and every way to write is judged', async (t) => {
  const cross = { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
  t.equal(
    await outcome(fetch(`${url}/users/me`, { headers: cross })),
    200,
    'CORS hides the answer',
  );
  for (const [method, path] of [
    ['PATCH', '/users/me'],
    ['DELETE', '/users'],
    ['POST', '/items/system_users'],
    ['POST', '/utils/import/system_users'],
    ['POST', '/auth/logout'],
    ['POST', '/auth/refresh'],
  ] as const) {
    const body = path.includes('/auth/') ? '{"mode":"session"}' : '{}';
    const init = { method, body, headers: { ...cross, ...JSON_TYPE } };
    t.equal(await outcome(fetch(url + path, init)), 'FORBIDDEN', `${method} ${path}`);
  }
  const refresh = await login('cookie');
  for (const path of ['/auth/refresh', '/auth/logout']) {
    const headers = { ...cross, cookie: refresh, ...JSON_TYPE };
    const init = { method: 'POST', body: '{"mode":"cookie"}', headers };
    t.equal(await outcome(fetch(url + path, init)), 'FORBIDDEN', `the other cookie, ${path}`);
  }
  const form = new FormData();
  form.set('file', new Blob(['a'], { type: 'text/csv' }), 'a.csv');
  const init = { method: 'POST', body: form, headers: cross };
  t.equal(await outcome(fetch(`${url}/utils/import/system_users`, init)), 'FORBIDDEN');
  t.equal(await outcome(fetch(`${url}/users/me`, { headers: { cookie } })), 200, 'still signed in');
});
