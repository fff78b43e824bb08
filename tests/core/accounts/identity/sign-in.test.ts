import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { forgiveFailures } from '#core/accounts/identity/login-attempts.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identityOn, PASSWORD, VISITOR } from './fixture/identity.ts';

const world = await identityOn(t);
const { pool } = world;
const { signIn, identity, renewal } = world.open();

function login(email: string, options: { password?: string; otp?: string; ip?: string } = {}) {
  const { password = PASSWORD, otp = null, ip = VISITOR.ip } = options;
  return signIn.login({ email, password, otp }, 'json', { ...VISITOR, ip }).then(
    () => 'in',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );
}

/** The seconds for which no password of a user is looked at; 0 when they are. */
async function closedFor(id: string): Promise<number> {
  const { rows } = await pool.query(
    `SELECT greatest(extract(epoch FROM closed_until - now()), 0)::float8 AS seconds
      FROM system_logins WHERE "user" = $1`,
    [id],
  );
  return rows[0]?.seconds ?? 0;
}

/** As if so much time had passed since the last failure. */
async function pass(id: string, time: string): Promise<void> {
  await pool.query(
    `UPDATE system_logins SET failed_on = failed_on - $2::interval, minute = minute - $2::interval,
      closed_until = closed_until - $2::interval WHERE "user" = $1`,
    [id, time],
  );
}

/** The minute of PostgreSQL's clock, by which failures are counted. */
async function minute(): Promise<string> {
  const { rows } = await pool.query("SELECT date_trunc('minute', now())::text AS minute");
  return rows[0].minute;
}

const wrong = { password: 'wrong' };

t.test('too many wrong passwords close the login for a while, and nothing else', async (t) => {
  await pool.query('INSERT INTO system_settings (auth_login_attempts) VALUES (3)');
  const token = createHash('sha256').update('a static token').digest('hex');
  const { id, email } = await world.createUser({ token });
  const credentials = { email, password: PASSWORD, otp: null };
  const { accessToken, refreshToken } = await signIn.login(credentials, 'json', VISITOR);
  for (let i = 0; i < 2; i++) t.equal(await login(email, wrong), 'INVALID_CREDENTIALS');
  t.equal(await login(email), 'in', 'a login that succeeds');
  for (let i = 0; i < 2; i++) await login(email, wrong);
  t.equal(await closedFor(id), 0, '… begins the count anew');
  t.equal(await login(email.toUpperCase(), wrong), 'INVALID_CREDENTIALS');
  t.ok((await closedFor(id)) > 50, 'a minute');
  t.equal(await login(email), 'INVALID_CREDENTIALS', 'now the right one does not help');

  const { rows } = await pool.query('SELECT status FROM system_users WHERE id = $1', [id]);
  t.equal(rows[0].status, 'active');
  t.equal((await identity.authenticate('a static token', null)).user, id, 'tokens go on');
  t.equal((await identity.authenticate(accessToken, null)).user, id, 'sessions go on');
  await renewal.refresh({ mode: 'json', refreshToken: refreshToken ?? '' }, VISITOR);

  await login(email, wrong);
  t.ok((await closedFor(id)) < 61, 'what is tried meanwhile does not count');
  for (const [closure, expected] of [120, 240, 480, 960, 1_920, 3_600, 3_600].entries()) {
    await pass(id, '1 hour');
    t.equal(await login(email, wrong), 'INVALID_CREDENTIALS');
    const seconds = await closedFor(id);
    t.ok(seconds > expected - 10 && seconds <= expected, `closure ${closure}: ${seconds}`);
  }
  await pass(id, '1 hour');
  t.equal(await login(email), 'in', 'afterwards the right password counts');
  for (let i = 0; i < 2; i++) await login(email, wrong);
  await pass(id, '1 day');
  await login(email, wrong);
  t.equal(await closedFor(id), 0, 'after a day failures are forgotten');
});

t.test('one address adds at most ten failures a minute', async (t) => {
  await pool.query('UPDATE system_settings SET auth_login_attempts = 12');
  t.teardown(() => pool.query('UPDATE system_settings SET auth_login_attempts = 3'));
  const failTooOften = async () => {
    const started = await minute();
    const { id, email } = await world.createUser();
    for (let i = 0; i < 11; i++) await login(email, wrong);
    const closed = await closedFor(id);
    const right = await login(email);
    const isOneMinute = (await minute()) === started;
    return { id, email, closed, right, isOneMinute };
  };
  let failed = await failTooOften();
  // Another minute counts anew.
  if (!failed.isOneMinute) failed = await failTooOften();
  const { id, email } = failed;
  t.equal(failed.closed, 0);
  t.equal(failed.right, 'INVALID_CREDENTIALS', 'nothing from there is looked at any more');
  t.equal(await login(email, { ip: '192.0.2.3' }), 'in', 'from elsewhere it is');
  for (let i = 0; i < 10; i++) await login(email, { ...wrong, ip: '192.0.2.4' });
  await Promise.all([1, 2].map(() => login(email, { ...wrong, ip: '192.0.2.2' })));
  t.ok((await closedFor(id)) > 50, 'all addresses count together');
});

t.test('a new password begins the count anew', async (t) => {
  const { id, email } = await world.createUser();
  for (let i = 0; i < 3; i++) await login(email, wrong);
  t.ok((await closedFor(id)) > 50);
  await forgiveFailures({ db: pool, schema: 'public' }, [id]);
  t.equal(await login(email), 'in');
});

t.test('attempts at once are all counted', async (t) => {
  const { id, email } = await world.createUser();
  await Promise.all(Array.from({ length: 3 }, () => login(email, wrong)));
  t.ok((await closedFor(id)) > 50);
});

/** So many attempts at once, from many addresses and by turns at two processes. */
function atOnce<T>(count: number, attempt: (ip: string, place: number) => Promise<T>) {
  return Promise.all(
    Array.from({ length: count }, (_, place) => attempt(`192.0.2.${place}`, place)),
  );
}

const processes = [world.open(), world.open()] as const;
const processOf = (place: number) => processes[place % 2 === 0 ? 0 : 1];

function outcomeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'in',
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );
}

t.test('of codes tried at once no more are judged than the limit allows', async (t) => {
  const secret = new Secret({ size: 20 });
  const { id, email } = await world.createUser({ tfa_secret: secret.base32 });
  const outcomes = await atOnce(60, (ip, place) => {
    const otp = place === 59 ? new TOTP({ secret }).generate() : 'abcdef';
    const credentials = { email, password: PASSWORD, otp };
    return outcomeOf(processOf(place).signIn.login(credentials, 'json', { ...VISITOR, ip }));
  });
  const judged = outcomes.filter((outcome) => outcome !== 'INVALID_CREDENTIALS');
  t.strictSame(judged, Array(3).fill('INVALID_OTP'), 'the others learn nothing of their codes');
  const { rows } = await pool.query(
    'SELECT failures, otp_step FROM system_logins WHERE "user" = $1',
    [id],
  );
  t.strictSame(rows, [{ failures: 3, otp_step: null }], 'the right code was not looked at');
});

t.test('neither a second factor nor its secret is had by many attempts at once', async (t) => {
  const secret = new Secret({ size: 20 });
  const protectedUser = await world.createUser({ tfa_secret: secret.base32 });
  const plainUser = await world.createUser();
  const asked = await identity.authenticate('a static token', null);
  const callerOf = (user: string, ip: string) => ({ ...asked, user, ip });
  const right = new TOTP({ secret }).generate();
  const disabled = await atOnce(30, (ip, place) => {
    const otp = place === 29 ? right : 'abcdef';
    const caller = callerOf(protectedUser.id, ip);
    return outcomeOf(processOf(place).twoFactor.disable(caller, otp, { ...VISITOR, ip }));
  });
  t.strictSame(new Set(disabled), new Set(['INVALID_PAYLOAD']));
  const generated = await atOnce(30, (ip, place) => {
    const password = place === 29 ? PASSWORD : 'wrong';
    return outcomeOf(processOf(place).twoFactor.generate(callerOf(plainUser.id, ip), password));
  });
  t.strictSame(new Set(generated), new Set(['INVALID_CREDENTIALS']));
  for (const { id } of [protectedUser, plainUser]) t.ok((await closedFor(id)) > 50);
});

t.test('right attempts at once shut out nobody, and cost nothing afterwards', async (t) => {
  const { id, email } = await world.createUser();
  await login(email, wrong);
  const secret = new Secret({ size: 20 });
  const careful = await world.createUser({ tfa_secret: secret.base32 });
  for (let i = 0; i < 5; i++) t.equal(await login(careful.email), 'INVALID_OTP', 'nothing tried');
  const caller = { ...(await identity.authenticate('a static token', null)), user: id };
  for (let i = 0; i < 5; i++) await processOf(i).twoFactor.generate(caller, PASSWORD);
  const { rows } = await pool.query(
    'SELECT failures, closed_until FROM system_logins WHERE "user" = ANY($1) ORDER BY failures',
    [[id, careful.id]],
  );
  const open = { closed_until: null };
  t.strictSame(rows, [
    { ...open, failures: 0 },
    { ...open, failures: 1 },
  ]);
  for (let i = 0; i < 12; i++) t.equal(await login(email), 'in', 'more than one address may fail');
});

t.test('addresses of one IPv6 network count as one', async (t) => {
  await pool.query('UPDATE system_settings SET auth_login_attempts = 100');
  t.teardown(() => pool.query('UPDATE system_settings SET auth_login_attempts = 3'));
  const failed = async () => {
    const started = await minute();
    const { id, email } = await world.createUser();
    for (let i = 0; i < 15; i++) await login(email, { ...wrong, ip: `2001:db8::${i + 1}` });
    const { rows } = await pool.query('SELECT failures FROM system_logins WHERE "user" = $1', [id]);
    return { failures: rows[0].failures, isOneMinute: (await minute()) === started };
  };
  let outcome = await failed();
  // Another minute counts anew.
  if (!outcome.isOneMinute) outcome = await failed();
  t.equal(outcome.failures, 10);
});

t.test('a one-time password works once', async (t) => {
  const secret = new Secret({ size: 20 });
  const { id, email } = await world.createUser({ tfa_secret: secret.base32 });
  const otp = new TOTP({ secret }).generate();
  t.equal(await login(email), 'INVALID_OTP');
  t.equal(await login(email, { otp: 'abcdef' }), 'INVALID_OTP');
  const outcomes = await Promise.all([login(email, { otp }), login(email, { otp })]);
  t.strictSame(outcomes.sort(), ['INVALID_OTP', 'in'], 'of two at once one is let in');
  // The one of the two that failed counts, unless the other began the count anew after it.
  for (let tries = 0; tries < 3 && (await closedFor(id)) === 0; tries += 1) {
    t.equal(await login(email, { otp }), 'INVALID_OTP');
  }
  t.ok((await closedFor(id)) > 50, 'codes that are tried out count as wrong passwords do');
});

t.test('a hash of other parameters is made anew', async (t) => {
  const { default: argon2 } = await import('argon2');
  const password = await argon2.hash(PASSWORD, { memoryCost: 2_048, timeCost: 1, parallelism: 1 });
  const { id, email } = await world.createUser({ password });
  t.equal(await login(email), 'in');
  const { rows } = await pool.query('SELECT password FROM system_users WHERE id = $1', [id]);
  t.match(rows[0].password, /^\$argon2id\$v=19\$m=1024,p=1,t=1\$/);
  t.equal(await login(email), 'in');
});

t.test('a user whose policies apply at other addresses only gets the reason', async (t) => {
  const { id, email } = await world.createUser();
  await pool.query(
    `WITH p AS (INSERT INTO system_policies (name, ip_access) VALUES ('x', '10.0.0.0/8') RETURNING id)
     INSERT INTO system_access ("user", policy) SELECT $1, id FROM p`,
    [id],
  );
  t.equal(await login(email), 'INVALID_IP');
});

t.test('rows of sessions that ended long ago are swept', async (t) => {
  const old = await world.createUser();
  await pool.query(
    `INSERT INTO system_sessions (token, "user", expires)
     SELECT 'old ' || n, $1, now() - interval '2 days' FROM generate_series(1, 3) n`,
    [old.id],
  );
  await login((await world.createUser()).email);
  const { rows } = await pool.query('SELECT FROM system_sessions WHERE "user" = $1', [old.id]);
  t.equal(rows.length, 0);
});

t.test('logins and renewals raise no counter', async (t) => {
  const counters = async () =>
    (
      await pool.query(
        "SELECT name, version FROM system_state WHERE name IN ('access', 'sessions')",
      )
    ).rows;
  const user = await world.createUser();
  const before = await counters();
  const credentials = { email: user.email, password: PASSWORD, otp: null };
  const { refreshToken } = await signIn.login(credentials, 'json', VISITOR);
  await renewal.refresh({ mode: 'json', refreshToken: refreshToken ?? '' }, VISITOR);
  t.strictSame(await counters(), before);
});

t.test('without contact no session is taken on trust', async (t) => {
  const user = await world.createUser();
  const credentials = { email: user.email, password: PASSWORD, otp: null };
  const { accessToken } = await signIn.login(credentials, 'json', VISITOR);
  const { user: found } = await identity.authenticate(accessToken, null);
  t.equal(found, user.id);
  await pool.query('DELETE FROM system_sessions WHERE "user" = $1', [user.id]);
  t.equal((await identity.authenticate(accessToken, null)).user, user.id, 'it is remembered');
  world.contact.is = false;
  t.teardown(() => {
    world.contact.is = true;
  });
  await t.rejects(identity.authenticate(accessToken, null), { code: 'INVALID_CREDENTIALS' });
});

t.test('what changes of one user is forgotten of that user alone', async (t) => {
  const nothing: ReadonlySet<string> = new Set();
  const change = {
    ...{ users: nothing, roles: nothing, policies: nothing, permissions: nothing },
    ...{ sessions: nothing, public: false },
  };
  const [first, second] = await Promise.all(
    [1, 2].map(async () => {
      const user = await world.createUser();
      const credentials = { email: user.email, password: PASSWORD, otp: null };
      const { accessToken } = await signIn.login(credentials, 'json', VISITOR);
      const { session } = await identity.authenticate(accessToken, null);
      return { ...user, accessToken, session: session ?? '' };
    }),
  );
  if (first === undefined || second === undefined) throw new Error('nobody signed in');
  const known = async ({ accessToken }: typeof first) =>
    identity.authenticate(accessToken, null).then(
      () => true,
      () => false,
    );
  await pool.query('DELETE FROM system_sessions WHERE id = ANY($1)', [
    [first.session, second.session],
  ]);
  t.strictSame(
    [await known(first), await known(second)],
    [true, true],
    'nobody has announced it yet',
  );
  world.tell({ ...change, users: new Set([first.id]) });
  t.strictSame([await known(first), await known(second)], [false, true]);
  world.tell({ ...change, sessions: new Set([second.session]) });
  t.equal(await known(second), false);
});
