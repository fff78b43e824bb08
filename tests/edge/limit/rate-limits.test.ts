// @newest

import t from 'tap';
import { ANONYMOUS, type Caller } from '#core/access/grants.ts';
import { addressKey } from '#core/access/quota-key.ts';
import { loadConfig } from '#core/base/config/config.ts';
import type { Config } from '#core/base/config/variables.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Request } from '#edge/http/request.ts';
import { guarded } from '#edge/limit/limit-requests.ts';
import { MemoryStore } from '#edge/limit/memory-store.ts';
import { Limits } from '#edge/limit/rate-limits.ts';
import { errorsOf, serve } from '#tests/edge/http/fixture/client.ts';
import type { Teardown } from '#tests/harness/database.ts';

type Env = Readonly<Record<string, string>>;

const PER_ADDRESS = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_DURATION: '600' };

function limitsOf(env: Env): Limits {
  return new Limits(loadConfig(env), new MemoryStore());
}

async function* stream() {
  yield 'a stream';
}

/** Serves behind the limits; `/as/<user>` is that user's request, `/login` an attempt. */
async function start(t: Teardown, env: Env) {
  const limits = limitsOf(env);
  const handle = async (request: Request) => {
    const [first, second = null] = request.segments;
    if (first === 'login' || first === 'reset') await limits.attempt(request, first);
    else {
      const caller: Caller = { ...ANONYMOUS, user: second };
      await limits.identify(request, caller);
    }
    if (first === 'error') throw new ServiceError('FORBIDDEN');
    return { status: 200, body: first === 'stream' ? stream() : '"hello"' };
  };
  return serve(
    t,
    guarded(handle, limits, () => false),
  );
}

t.test('by default only the targets of attackers are limited', async (t) => {
  const { url } = await start(t, {});
  for (let i = 0; i < 60; i++) {
    const answer = await fetch(url);
    t.equal(answer.status, 200);
    t.equal(answer.headers.has('ratelimit'), false);
  }
  for (let i = 0; i < 10; i++) t.equal((await fetch(`${url}/login`)).status, 200);
  const answer = await fetch(`${url}/login`);
  t.equal(answer.status, 429);
  t.equal((await fetch(`${url}/reset`)).status, 200, 'each is counted separately');
});

t.test('a refusal says how many are allowed, and when again', async (t) => {
  const { url } = await start(t, { ...PER_ADDRESS, RATE_LIMIT_POINTS: '2' });
  await fetch(url);
  await fetch(url);
  const answer = await fetch(url);
  t.equal(answer.status, 429);
  const seconds = Number(answer.headers.get('retry-after'));
  t.ok(Number.isInteger(seconds) && seconds > 500 && seconds <= 600);
  t.equal(answer.headers.get('ratelimit'), `"ip";r=0;t=${seconds}`);
  t.equal(answer.headers.get('ratelimit-policy'), '"ip";q=2;w=600');
  const [error] = await errorsOf(answer);
  t.strictSame(Object.keys(error?.extensions ?? {}).sort(), ['code', 'limit', 'reset']);
  t.match(error?.extensions, { code: 'REQUESTS_EXCEEDED', limit: 2 });
  const reset = Date.parse(String(error?.extensions.reset));
  t.ok(Math.abs(reset - Date.now() - seconds * 1_000) < 60_000);
});

t.test('every response that a limit counted contains its headers', async (t) => {
  const { url } = await start(t, {
    ...PER_ADDRESS,
    RATE_LIMIT_GLOBAL_ENABLED: 'true',
    RATE_LIMIT_GLOBAL_DURATION: '1',
    RATE_LIMIT_IDENTITY_ENABLED: 'true',
    RATE_LIMIT_IDENTITY_DURATION: '600',
  });
  for (const path of ['/', '/error', '/stream']) {
    const { headers } = await fetch(url + path);
    t.match(
      headers.get('ratelimit'),
      /^"ip";r=\d+;t=\d+, "global";r=\d+;t=1, "identity";r=\d+;t=\d+$/,
      path,
    );
    t.equal(
      headers.get('ratelimit-policy'),
      '"ip";q=50;w=600, "global";q=1000;w=1, "identity";q=100;w=600',
    );
  }
});

t.test('users are counted separately, anonymous callers by address', async (t) => {
  const { url } = await start(t, {
    RATE_LIMIT_IDENTITY_ENABLED: 'true',
    RATE_LIMIT_IDENTITY_POINTS: '2',
    RATE_LIMIT_IDENTITY_DURATION: '600',
  });
  for (const path of ['/as/a', '/as/b', '/as']) {
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await fetch(url + path)).status);
    t.strictSame(statuses, [200, 200, 429], path);
  }
});

t.test('what one address is refused does not count against all', async (t) => {
  const limits = limitsOf({
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_POINTS: '1',
    RATE_LIMIT_DURATION: '600',
    RATE_LIMIT_GLOBAL_ENABLED: 'true',
    RATE_LIMIT_GLOBAL_POINTS: '2',
    RATE_LIMIT_GLOBAL_DURATION: '600',
    IP_TRUST_PROXY: 'on',
  });
  const { url } = await serve(
    t,
    guarded(
      () => ({ status: 204 }),
      limits,
      () => false,
    ),
  );
  const as = async (ip: string) =>
    (await fetch(url, { headers: { 'X-Forwarded-For': ip } })).status;
  t.strictSame(
    [await as('192.0.2.1'), await as('192.0.2.1'), await as('192.0.2.1'), await as('192.0.2.2')],
    [204, 429, 429, 204],
  );
  t.equal(await as('192.0.2.3'), 429, 'the global limit holds');
});

t.test('addresses of one network of IPv6 are one', async (t) => {
  t.equal(addressKey('192.0.2.1'), '192.0.2.1');
  t.equal(addressKey('2001:db8::1'), addressKey('2001:db8:0:0:ffff::2'));
  t.not(addressKey('2001:db8::1'), addressKey('2001:db8:0:1::1'));
  t.equal(addressKey('::1'), '0:0:0:0');
});

t.test('the health shows whether processes count together', async (t) => {
  const config: Config = loadConfig({});
  const store = new MemoryStore();
  const shared = { counter: store.counter, shared: false, close: () => undefined };
  t.equal(new Limits(config, store).checks().rateLimit?.[0]?.status, 'ok');
  t.equal(new Limits(config, shared).checks().rateLimit?.[0]?.status, 'warn');
});
