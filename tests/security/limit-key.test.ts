// @newest
/** Nothing that a client may choose makes it a new one in the eyes of a rate limit. */
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { guarded } from '#edge/limit/limit-requests.ts';
import { MemoryStore } from '#edge/limit/memory-store.ts';
import { Limits } from '#edge/limit/rate-limits.ts';
import { exchange, open, request, serve } from '#tests/edge/http/fixture/client.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

async function start(t: Teardown, env: Readonly<Record<string, string>>) {
  const limits = new Limits(
    loadConfig({
      RATE_LIMIT_ENABLED: 'true',
      RATE_LIMIT_POINTS: '1',
      RATE_LIMIT_DURATION: '3600',
      RATE_LIMIT_IDENTITY_ENABLED: 'true',
      RATE_LIMIT_IDENTITY_DURATION: '3600',
      ...env,
    }),
    new MemoryStore(),
  );
  let handled = 0;
  const served = await serve(
    t,
    guarded(
      async (request) => {
        await limits.identify(request, ANONYMOUS);
        if (request.path === '/login') await limits.attempt(request, 'login');
        handled++;
        return { status: 204 };
      },
      limits,
      () => false,
    ),
  );
  return { ...served, handled: () => handled };
}

t.test('no header, parameter, path, method or connection gives a fresh count', async (t) => {
  const { port, handled } = await start(t, {});
  t.match(await exchange(port, request('GET /')), /^HTTP\/1.1 204/);
  for (const header of [
    'X-Forwarded-For: 203.0.113.1',
    'X-Forwarded-For: 127.0.0.1, 10.0.0.1',
    'Forwarded: for=203.0.113.1',
    'X-Real-IP: 203.0.113.1',
    'X-Client-IP: 203.0.113.1',
    'True-Client-IP: 203.0.113.1',
    'CF-Connecting-IP: 203.0.113.1',
    'Authorization: Bearer made-up',
    'Cookie: sluice_session_token=made-up',
    'User-Agent: another',
    'Origin: https://another.example',
    'X-Request-Id: another',
  ]) {
    t.match(await exchange(port, request('GET /', [header])), /^HTTP\/1.1 429/, header);
  }
  for (const line of ['GET /?access_token=x', 'GET /other', 'SEARCH /', 'HEAD /', 'OPTIONS /']) {
    t.match(await exchange(port, request(line)), /^HTTP\/1.1 429/, line);
  }
  t.equal(handled(), 1);
});

t.test('a client behind a trusted proxy cannot write its own address', async (t) => {
  const env = { IP_TRUST_PROXY: '127.0.0.1' };
  const { port } = await start(t, env);
  const status = async (...headers: string[]) =>
    Number((await exchange(port, request('GET /', headers))).slice(9, 12));
  t.equal(await status('X-Forwarded-For: 203.0.113.1'), 204);
  t.equal(await status('X-Forwarded-For: 198.51.100.1, 203.0.113.1'), 429);
  t.equal(await status('X-Forwarded-For: 198.51.100.2', 'X-Forwarded-For: 203.0.113.1'), 429);
  t.equal(await status('X-Forwarded-For: made-up, 203.0.113.1'), 429);
  t.equal(await status('X-Forwarded-For: 203.0.113.2'), 204);
  t.equal(await status('X-Forwarded-For: 2001:db8:0:1::1'), 204);
  t.equal(await status('X-Forwarded-For: 2001:db8:0:1:ffff::2'), 429, 'the same network');
});

t.test('hanging up before the answer does not go uncounted', async (t) => {
  const { port, handled, lines } = await start(t, {
    RATE_LIMIT_POINTS: '100',
    RATE_LIMIT_LOGIN_POINTS: '3',
  });
  for (let i = 0; i < 20; i++) {
    const socket = await open(port);
    socket.end(request('GET /login'));
    socket.destroy();
  }
  await until(() => lines.length >= 20);
  t.ok(handled() <= 3, `${handled()} were tried`);
});
