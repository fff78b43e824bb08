import t from 'tap';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { Router } from '#edge/http/router.ts';
import { until } from '#tests/harness/until.ts';
import { open, serve } from './fixture/client.ts';

const USER = '3b9f1a1e-0000-4000-8000-000000000001';

async function* pieces() {
  yield 'one,';
  yield 'twö';
}

const router = new Router([
  {
    method: 'GET',
    path: '/items/:collection',
    route: (request) => {
      request.user = USER;
      return { status: 200, body: '{"data":"ö"}' };
    },
  },
  { method: 'GET', path: '/stream/:name', route: () => ({ status: 200, body: pieces() }) },
  {
    method: 'POST',
    path: '/items/:collection',
    route: () => {
      throw new ServiceError('FORBIDDEN');
    },
  },
]);

t.test('each request has one line, without its path, query and tokens', async (t) => {
  const { url, lines } = await serve(t, router.handle, { level: 'info', accessLog: true });
  const ask = async (path: string, init: RequestInit = {}) =>
    await (await fetch(`${url}${path}`, init)).arrayBuffer();
  await ask('/items/secrets?filter=hidden&access_token=hidden', {
    headers: { Authorization: 'Bearer hidden', 'X-Request-Id': 'trace-1' },
  });
  await ask('/stream/secrets');
  await ask('/items/secrets', { method: 'POST', headers: { 'X-Request-Id': 'bad id\u00e4' } });
  await ask('/items/secrets', { method: 'HEAD' });
  await ask('/secrets/none');
  await until(() => lines.length === 5);
  t.match(lines, [
    {
      msg: 'access',
      ...{ request: 'trace-1', method: 'GET', route: '/items/:collection', status: 200 },
      ...{ ms: Number, bytes: 13, user: USER },
    },
    { route: '/stream/:name', status: 200, bytes: 8, user: null },
    { route: '/items/:collection', status: 403, user: null, request: /^[\w-]{8,}$/ },
    { method: 'HEAD', route: '/items/:collection', status: 200, bytes: 0 },
    { route: 'none', status: 404 },
  ]);
  t.notMatch(JSON.stringify(lines), /secrets|hidden|bad id/);
});

t.test('a request whose client went away has a line, too', async (t) => {
  const never = new Router([
    {
      method: 'GET',
      path: '/slow',
      route: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return { status: 204 };
      },
    },
  ]);
  const { port, lines } = await serve(t, never.handle, { level: 'info', accessLog: true });
  const socket = await open(port);
  socket.end('GET /slow HTTP/1.1\r\nHost: test\r\n\r\n');
  await until(() => lines.length === 1);
  t.match(lines, [{ msg: 'access', route: '/slow', status: 'aborted', bytes: 0 }]);
});

t.test('without the option there is no line', async (t) => {
  const { url, lines } = await serve(t, router.handle, { level: 'info' });
  await (await fetch(`${url}/items/a`)).arrayBuffer();
  await (await fetch(`${url}/items/b`)).arrayBuffer();
  t.strictSame(lines, []);
});
