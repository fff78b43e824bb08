// @newest
/** Sessions of the client: their modes, their refreshes, and what belongs to a login. */
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import {
  type ClientOptions,
  createClient,
  InvalidCredentialsError,
  InvalidOtpError,
  memoryStorage,
  type TokenStorage,
} from '#ops/client/source/index.ts';
import { createUser, PASSWORD, QUICK_LOGIN } from '#tests/edge/rest/fixture/sign-in.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { startFaultProxy } from '#tests/harness/fault-proxy.ts';
import { startMailServer } from '#tests/harness/mail-server.ts';
import { until } from '#tests/harness/until.ts';

const mails = await startMailServer(t);
const LINK = 'https://app.example.com/page';
const cluster = await startCluster(t, {
  workers: 1,
  env: {
    ...QUICK_LOGIN,
    EMAIL_TRANSPORT: 'smtp',
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(mails.port),
    EMAIL_FROM: 'sluice@example.com',
    PASSWORD_RESET_URL_ALLOW_LIST: LINK,
    USER_INVITE_URL_ALLOW_LIST: LINK,
    USER_REGISTER_URL_ALLOW_LIST: LINK,
  },
});
const proxy = await startFaultProxy(t, cluster.url);
const refreshes = () => proxy.seen.filter((line) => line === 'POST /auth/refresh').length;

function clientWith(t: Teardown, options: ClientOptions) {
  const client = createClient(proxy.url, options);
  t.teardown(() => client.close());
  return client;
}

/** `fetch` with the memory for cookies that browsers have. */
function browserFetch(): typeof fetch {
  const jar = new Map<string, string>();
  return async (input, init = {}) => {
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

t.beforeEach(() => proxy.forget());

for (const mode of ['json', 'cookie', 'session'] as const) {
  t.test(`in mode ${mode}`, async (t) => {
    const { email, id } = await createUser(cluster);
    const told: boolean[] = [];
    const client = clientWith(t, {
      mode,
      fetch: browserFetch(),
      onSessionEnd: () => told.push(false),
    });
    client.auth.onChange(({ signedIn }) => told.push(signedIn));
    await t.rejects(client.jobs.list(), { code: 'FORBIDDEN' });
    const wrong = client.auth.login({ email, password: 'wrong' });
    await t.rejects(wrong, InvalidCredentialsError);
    await client.auth.login({ email, password: PASSWORD });
    t.strictSame(await client.jobs.list(), []);
    t.equal(client.auth.state.userId, mode === 'session' ? null : id);
    t.ok((client.auth.state.expires?.getTime() ?? 0) > Date.now() + 800_000);
    await client.auth.refresh();
    t.strictSame(await client.jobs.list(), []);
    t.equal(refreshes(), 1);
    await client.auth.logout();
    t.notOk(client.auth.state.signedIn);
    await t.rejects(client.jobs.list(), { code: 'FORBIDDEN' }, 'anonymous again');
    t.strictSame(told, [true, true, false], 'who logs out is not told that the session ended');
  });
}

/** A storage with the session of a new user, whose access token is about to end. */
async function endingSession(t: Teardown): Promise<TokenStorage> {
  const { email } = await createUser(cluster);
  const storage = memoryStorage();
  const client = clientWith(t, { storage });
  await client.auth.login({ email, password: PASSWORD });
  client.close();
  const tokens = await storage.get();
  if (tokens !== null) await storage.set({ ...tokens, expires: Date.now() + 20_000 });
  proxy.forget();
  return storage;
}

t.test('an access token that is about to end is refreshed once for all requests', async (t) => {
  const storage = await endingSession(t);
  const first = (await storage.get())?.refresh;
  const client = clientWith(t, { storage });
  await Promise.all(Array.from({ length: 20 }, () => client.me.read()));
  t.equal(refreshes(), 1);
  t.not((await storage.get())?.refresh, first);
  const patient = clientWith(t, { storage: await endingSession(t), refresh: { before: 5_000 } });
  await patient.me.read();
  t.equal(refreshes(), 0, 'it lasts long enough for this one');
});

t.test('clients that share a storage refresh once', async (t) => {
  const storage = await endingSession(t);
  const clients = Array.from({ length: 5 }, () => clientWith(t, { storage }));
  await Promise.all(clients.map((client) => client.me.read()));
  t.equal(refreshes(), 1);
});

t.test('a token that was refused is refreshed, and the request sent again', async (t) => {
  const storage = await endingSession(t);
  const tokens = await storage.get();
  if (tokens !== null) {
    await storage.set({ ...tokens, access: 'not.a.token', expires: Date.now() + 900_000 });
  }
  const client = clientWith(t, { storage });
  t.type(await client.utils.hash.generate('a text'), 'string');
  t.equal(refreshes(), 1);
});

t.test('timers refresh in time, and look at the clock after a sleep', async (t) => {
  const storage = await endingSession(t);
  const client = clientWith(t, { storage });
  await client.auth.token();
  proxy.forget();
  const now = Date.now;
  t.teardown(() => {
    Date.now = now;
  });
  // The machine has slept: the clock is further on than any timer.
  Date.now = () => now() + 3_600_000;
  await Promise.all([client.me.read(), client.me.read()]);
  Date.now = now;
  const expected = ['POST /auth/refresh', 'GET /users/me', 'GET /users/me'];
  t.strictSame(proxy.seen, expected);

  const other = await endingSession(t);
  const tokens = await other.get();
  if (tokens !== null) await other.set({ ...tokens, expires: Date.now() + 30_500 });
  const idle = clientWith(t, { storage: other });
  t.ok(await idle.auth.token());
  await until(() => refreshes() === 1, 'a timer refreshes without a request');
});

t.test('without automatic refresh, and with a static token, nothing is refreshed', async (t) => {
  const { email } = await createUser(cluster);
  const client = clientWith(t, { refresh: { automatic: false, before: 900_000 } });
  await client.auth.login({ email, password: PASSWORD });
  proxy.forget();
  await client.me.read();
  const fixed = clientWith(t, { token: ADMIN_TOKEN });
  await fixed.me.read();
  t.strictSame([fixed.auth.state.signedIn, fixed.auth.state.expires], [true, null]);
  t.equal(refreshes(), 0);
  fixed.auth.setToken('wrong');
  await t.rejects(fixed.me.read(), InvalidCredentialsError);
});

t.test('a session that ended elsewhere is told', async (t) => {
  const { email, id } = await createUser(cluster);
  let ended = 0;
  const client = clientWith(t, { onSessionEnd: () => (ended += 1) });
  await client.auth.login({ email, password: PASSWORD });
  await cluster.db.query('DELETE FROM system_sessions WHERE "user" = $1', [id]);
  const refusal = await until(
    () =>
      client.me.read().then(
        () => null,
        (error) => error,
      ),
    'it is refused',
  );
  t.equal(refusal.status, 401, 'the request itself says why');
  await until(() => ended === 1, 'it is told');
  t.notOk(client.auth.state.signedIn);
});

t.test('a refresh that the network refuses ends no session', async (t) => {
  const { email } = await createUser(cluster);
  const kept: { tokens: Awaited<ReturnType<TokenStorage['get']>> } = { tokens: null };
  const storage: TokenStorage = {
    get: () => kept.tokens,
    set(tokens) {
      kept.tokens = tokens;
    },
  };
  const client = clientWith(t, { storage, retry: false });
  await client.auth.login({ email, password: PASSWORD });
  proxy.next({ status: 503 }, { reset: 'before' });
  await t.rejects(client.auth.refresh(), { code: 'SERVICE_UNAVAILABLE' });
  await t.rejects(client.auth.refresh(), { code: 'NETWORK' });
  t.ok(client.auth.state.signedIn);
  await client.auth.refresh();
  await client.me.read();
});

t.test('a second factor', async (t) => {
  const { email } = await createUser(cluster);
  const client = clientWith(t, {});
  await client.auth.login({ email, password: PASSWORD });
  proxy.forget();
  await t.rejects(client.me.tfa.generate('wrong'), InvalidCredentialsError);
  t.equal(proxy.seen.length, 1, 'a wrong password is no wrong token');
  const { secret, otpauth_url } = await client.me.tfa.generate(PASSWORD);
  t.match(otpauth_url, /^otpauth:/);
  const code = (steps: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({
      timestamp: Date.now() + steps * 30_000,
    });
  const enable = () => client.me.tfa.enable(secret, code(-1));
  await until(
    () =>
      enable().then(
        () => true,
        () => false,
      ),
    'it is enabled',
  );
  await t.rejects(client.auth.login({ email, password: PASSWORD }), InvalidOtpError);
  await client.auth.login({ email, password: PASSWORD, otp: code(0) });
  await client.me.tfa.disable(code(1));
  await client.auth.login({ email, password: PASSWORD });
});

async function tokenOf(address: string): Promise<string> {
  const found = () => mails.mails.filter(({ to }) => to.includes(address)).at(-1);
  await until(() => found() !== undefined, 'the mail arrives');
  const text = `${found()?.mail.text}`;
  t.match(text, LINK);
  return /token=([\w.-]+)/.exec(text)?.[1] ?? '';
}

t.test('invitations, registrations and password resets lead to the pages of an app', async (t) => {
  const admin = clientWith(t, { token: ADMIN_TOKEN });
  const role = await admin.roles.create({ name: 'Guests' });
  await admin.auth.invite('guest@example.com', String(role?.id), { link: LINK });
  const guest = clientWith(t, {});
  await guest.auth.acceptInvite(await tokenOf('guest@example.com'), PASSWORD);
  await guest.auth.login({ email: 'guest@example.com', password: PASSWORD });

  const { email } = await createUser(cluster);
  await guest.auth.requestPasswordReset(email, { link: LINK });
  await guest.auth.resetPassword(await tokenOf(email), 'another long password');
  await guest.auth.login({ email, password: 'another long password' });

  await admin.settings.updateSingleton({ public_registration: true });
  const person = { email: 'new@example.com', password: PASSWORD, first_name: 'New' };
  await guest.auth.register({ ...person, link: LINK });
  const token = await tokenOf('new@example.com');
  await guest.open('GET', `/users/register/verify-email`, { query: { token }, accept: [404] });
  await guest.auth.login(person);
  t.match(await guest.me.read({ fields: ['id'] }), { id: guest.auth.state.userId });
});
