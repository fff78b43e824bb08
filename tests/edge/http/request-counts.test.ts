import { once } from 'node:events';
import t from 'tap';
import { forbidden } from '#core/base/errors/service-error.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { Router } from '#edge/http/router.ts';
import { until } from '#tests/harness/until.ts';
import { open, request, exchange as send, serve } from './fixture/client.ts';

function samples(name: string) {
  return metrics.families().find((family) => family.name === name)?.values ?? [];
}

/** How many requests ended so. */
function requests(method: string, route: string, status: string): number {
  const sample = samples('sluice_http_requests_total').find(
    ({ labels }) => labels.method === method && labels.route === route && labels.status === status,
  );
  return sample?.value ?? 0;
}

const router = new Router([
  { method: 'GET', path: '/items/:collection', route: () => ({ status: 200, body: '{}' }) },
  {
    method: 'POST',
    path: '/items/:collection',
    route: () => {
      throw forbidden();
    },
  },
  {
    method: 'GET',
    path: '/slow/:id',
    route: async ({ signal }) => {
      await once(signal, 'abort');
      return { status: 204 };
    },
  },
]);

t.test('requests are counted by method, route and status', async (t) => {
  const { url, port } = await serve(t, router.handle);
  const ask = async (path: string, method = 'GET') =>
    await (await fetch(`${url}${path}`, { method })).arrayBuffer();
  await ask('/items/articles?filter=secret');
  await ask('/items/others', 'HEAD');
  await ask('/items/others', 'POST');
  await ask('/missing/path');
  await send(port, request('BREW /pot'));
  await until(() => requests('OTHER', 'none', '404') === 1);
  t.equal(requests('GET', '/items/:collection', '200'), 2, 'HEAD is counted as GET');
  t.equal(requests('POST', '/items/:collection', '403'), 1);
  t.equal(requests('GET', 'none', '404'), 1);
  const count = samples('sluice_http_request_duration_seconds').find(
    ({ labels, metricName }) =>
      labels.route === '/items/:collection' && metricName?.endsWith('_count') === true,
  );
  t.equal(count?.value, 2);

  const socket = await open(port);
  socket.write('GET /slow/1 HTTP/1.1\r\nHost: test\r\n\r\n');
  const inProgress = () => samples('sluice_http_requests_in_progress')[0]?.value;
  await until(() => inProgress() === 1);
  socket.destroy();
  await until(() => requests('GET', '/slow/:id', 'aborted') === 1);
  t.equal(inProgress(), 0);
});

t.test('paths of clients make no new series', async (t) => {
  const { port } = await serve(t, router.handle, { level: 'silent' });
  const socket = await open(port);
  socket.resume();
  const series = () => metrics.families().flatMap(({ values }) => values).length;
  const counted = () =>
    requests('GET', '/items/:collection', '200') + requests('GET', 'none', '404');
  const all = counted();
  const before = series();
  for (let from = 0; from < 10_000; from += 100) {
    const some = Array.from({ length: 100 }, (_, i) => from + i);
    for (const path of ['items/unknown_', 'unknown/path/']) {
      const text = some.map((n) => `GET /${path}${n}?x=${n} HTTP/1.1\r\nHost: test\r\n\r\n`);
      socket.write(text.join(''));
    }
    await until(() => counted() - all >= 2 * (from + 100));
  }
  t.equal(series(), before);
  t.equal(counted() - all, 20_000, 'each is counted');
  socket.end();
  await once(socket, 'close');
});
