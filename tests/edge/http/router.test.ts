// @newest @quick

import t from 'tap';
import { type Route, Router } from '#edge/http/router.ts';
import { errorsOf, request, exchange as send, serve } from './fixture/client.ts';

const one: Route = (request, { collection, pk }) => ({
  status: 200,
  body: JSON.stringify({ method: request.method, collection, pk, segments: request.segments }),
});

const router = new Router([
  {
    method: 'GET',
    path: '/items/:collection',
    route: (_, { collection }) => ({ status: 200, body: JSON.stringify({ list: collection }) }),
  },
  { method: 'GET', path: '/items/:collection/:pk', route: one },
  { method: 'PATCH', path: '/items/:collection/:pk', route: one },
  { method: 'DELETE', path: '/items/:collection/:pk', route: one },
  {
    method: 'SEARCH',
    path: '/items/:collection',
    route: async (request) => ({
      status: 200,
      body: JSON.stringify({ searched: await request.body.json() }),
    }),
  },
  {
    method: 'GET',
    path: '/assets/*',
    route: (_, params) => ({ status: 200, body: JSON.stringify(params) }),
  },
]);

t.test('routes by method and path', async (t) => {
  const { url } = await serve(t, router.handle);
  t.strictSame(await (await fetch(`${url}/items/articles`)).json(), { list: 'articles' });
  t.strictSame(await (await fetch(`${url}/items/articles/`)).json(), { list: 'articles' });
  t.match(await (await fetch(`${url}/items/a/1`, { method: 'DELETE' })).json(), {
    method: 'DELETE',
    collection: 'a',
    pk: '1',
  });
  t.strictSame(await (await fetch(`${url}/assets/a/b.png`)).json(), { '*': 'a/b.png' });
});

t.test('SEARCH is a method with a body', async (t) => {
  const { url } = await serve(t, router.handle);
  const answer = await fetch(`${url}/items/a`, { method: 'SEARCH', body: '{"query":{}}', headers });
  t.strictSame(await answer.json(), { searched: { query: {} } });
});

const headers = { 'Content-Type': 'application/json' };

t.test('HEAD is GET without its body', async (t) => {
  const { url, port } = await serve(t, router.handle);
  const get = await fetch(`${url}/items/articles`);
  const head = await fetch(`${url}/items/articles`, { method: 'HEAD' });
  t.equal(head.status, 200);
  t.equal(await head.text(), '');
  for (const name of ['content-length', 'content-type', 'etag']) {
    t.equal(head.headers.get(name), get.headers.get(name), name);
  }
  const two = `HEAD /items/a HTTP/1.1\r\nHost: x\r\n\r\n${request('HEAD /items/b')}`;
  t.equal((await send(port, two)).match(/200 OK/g)?.length, 2, 'the connection goes on');
});

t.test('OPTIONS lists the methods', async (t) => {
  const { url } = await serve(t, router.handle);
  const one = await fetch(`${url}/items/a/1`, { method: 'OPTIONS' });
  t.equal(one.status, 204);
  t.equal(one.headers.get('allow'), 'GET, PATCH, DELETE, HEAD, OPTIONS');
  t.equal(one.headers.has('content-length'), false);
  const list = await fetch(`${url}/items/a`, { method: 'OPTIONS' });
  t.equal(list.headers.get('allow'), 'GET, SEARCH, HEAD, OPTIONS');
  t.equal((await fetch(`${url}/none`, { method: 'OPTIONS' })).status, 404);
});

t.test('no such route, or not with this method, is ROUTE_NOT_FOUND', async (t) => {
  const { url } = await serve(t, router.handle);
  for (const [method, path] of [
    ['GET', '/none'],
    ['POST', '/items/a/1'],
    ['PUT', '/items/a'],
    ['PURGE', '/items/a'],
    ['GET', '/Items/a'],
    ['GET', '/items/a/1/2'],
    ['GET', '//items/a'],
  ] as const) {
    const answer = await fetch(`${url}${path}`, { method });
    t.equal(answer.status, 404, `${method} ${path}`);
    t.strictSame(await errorsOf(answer), [
      { message: 'There is no such route.', extensions: { path, code: 'ROUTE_NOT_FOUND' } },
    ]);
  }
});

t.test('each part of the path is decoded by itself', async (t) => {
  const { url, port } = await serve(t, router.handle);
  for (const name of [
    'a b',
    'a/b',
    'ü',
    '100%',
    '%41',
    'a?b#c',
    'a,b',
    "it's",
    '+',
    '日本',
    '..;',
  ]) {
    const answer = await fetch(`${url}/items/${encodeURIComponent(name)}/1`);
    t.match(await answer.json(), { collection: name, segments: ['items', name, '1'] }, name);
  }
  for (const path of ['/items/%', '/items/%zz', '/items/%ff', '/items/a%2', '/items/%c3%28']) {
    const answer = await send(port, request(`GET ${path}`));
    t.match(answer, /^HTTP\/1.1 404 /, path);
    t.match(answer, /ROUTE_NOT_FOUND/);
  }
});

t.test('a parameter has at most 1,024 characters', async (t) => {
  const { url } = await serve(t, router.handle);
  t.equal((await fetch(`${url}/items/${'a'.repeat(1_024)}`)).status, 200);
  t.equal((await fetch(`${url}/items/${'a'.repeat(1_025)}`)).status, 404);
});
