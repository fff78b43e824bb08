// @newest
/** A client of this kind of API signs in, asks, renews and signs out, in each of its modes. */
import {
  authentication,
  createDirectus,
  customEndpoint,
  disableTwoFactor,
  enableTwoFactor,
  generateTwoFactorSecret,
  rest,
} from '@directus/sdk';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { createUser, PASSWORD, QUICK_LOGIN } from '#tests/edge/rest/fixture/sign-in.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const cluster = await startCluster(t, { env: QUICK_LOGIN });

/** `fetch` with the memory for cookies that browsers have. */
function browserFetch() {
  const jar = new Map<string, string>();
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (init.credentials === 'include' && jar.size > 0) {
      headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    }
    const response = await fetch(input, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
}

// Made anew for each request, because the client writes its token into it.
const askJobs = () => customEndpoint<unknown[]>({ path: '/jobs', method: 'GET' });
const FORBIDDEN = { errors: [{ extensions: { code: 'FORBIDDEN' } }] };

for (const mode of ['json', 'cookie', 'session'] as const) {
  t.test(`in mode ${mode}`, async (t) => {
    const { email } = await createUser(cluster);
    const client = createDirectus(cluster.url, { globals: { fetch: browserFetch() } })
      .with(authentication(mode, { credentials: 'include' }))
      .with(rest({ credentials: 'include' }));
    t.teardown(() => client.stopRefreshing());
    await t.rejects(client.request(askJobs()), FORBIDDEN);
    const wrong = client.login({ email, password: 'wrong' });
    await t.rejects(wrong, { errors: [{ extensions: { code: 'INVALID_CREDENTIALS' } }] });
    const { expires } = await client.login({ email, password: PASSWORD });
    t.equal(expires, mode === 'session' ? 86_400_000 : 900_000);
    t.strictSame(await client.request(askJobs()), []);
    const before = await client.getToken();
    await client.refresh();
    t.strictSame(await client.request(askJobs()), []);
    if (mode === 'session') t.equal(await client.getToken(), null, 'scripts never see it');
    else t.ok(before);
    await client.logout();
    await t.rejects(client.request(askJobs()), FORBIDDEN, 'anonymous again');
  });
}

t.test('with a second factor', async (t) => {
  const { email } = await createUser(cluster);
  const client = createDirectus(cluster.url).with(authentication('json')).with(rest());
  t.teardown(() => client.stopRefreshing());
  await client.login({ email, password: PASSWORD });
  const generated = await client.request<unknown>(generateTwoFactorSecret(PASSWORD));
  t.match(generated, { secret: String, otpauth_url: String });
  const secret = /"secret":"(\w+)"/.exec(JSON.stringify(generated))?.[1] ?? '';
  const code = (steps: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: Date.now() + steps * 30_000,
    });
  // Half a minute may end between a code's making and its use.
  await until(
    () =>
      client.request(enableTwoFactor(secret, code(-1))).then(
        () => true,
        () => false,
      ),
    'it is enabled',
  );
  await t.rejects(client.login({ email, password: PASSWORD }), {
    errors: [{ extensions: { code: 'INVALID_OTP' } }],
  });
  await client.login({ email, password: PASSWORD }, { otp: code(0) });
  await client.request(disableTwoFactor(code(1)));
  await client.login({ email, password: PASSWORD });
});
