// @newest @slow
/** The flows that go through a mail, from the request over the queue to a real SMTP server. */
import { SignJWT } from 'jose';
import t from 'tap';
import { accountState, MailTokens } from '#core/accounts/identity/mail-token.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { startMailServer } from '#tests/harness/mail-server.ts';
import { until } from '#tests/harness/until.ts';

const SECRET = 'canary-secret-of-the-installation-00';
const SMTP_PASSWORD = 'canary-smtp-password';
const PASSWORD = 'canary-password-1';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const tokens = new MailTokens([SECRET]);

const server = await startMailServer(t, { user: 'sluice', password: SMTP_PASSWORD });
const env = {
  SECRET,
  EMAIL_TRANSPORT: 'smtp',
  EMAIL_FROM: 'robot@harbour.example',
  EMAIL_SMTP_HOST: '127.0.0.1',
  EMAIL_SMTP_PORT: String(server.port),
  EMAIL_SMTP_USER: 'sluice',
  EMAIL_SMTP_PASSWORD: SMTP_PASSWORD,
  PUBLIC_URL: 'https://api.harbour.example/v1/',
  PASSWORD_RESET_URL_ALLOW_LIST: 'https://app.harbour.example/reset',
  USER_INVITE_URL_ALLOW_LIST: 'https://app.harbour.example/welcome',
  USER_REGISTER_URL_ALLOW_LIST: 'https://app.harbour.example/confirm',
  REGISTER_STALL_TIME: '1ms',
  JOB_RETRY_DELAY: '20ms',
  LOG_LEVEL: 'info',
  RATE_LIMIT_LOGIN_ENABLED: 'false',
  RATE_LIMIT_REGISTRATION_ENABLED: 'false',
};
const cluster = await startCluster(t, { workers: 1, env });
const { db } = cluster;
// Starts while the others are tested.
const muteEdge = cluster.addEdge({ EMAIL_TRANSPORT: '' });
let output = '';
for (const { process } of [...cluster.edges, ...cluster.workers]) {
  for (const stream of [process.stdout, process.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
}

async function post(
  path: string,
  body: unknown,
  at: Pick<Cluster, 'url'> = cluster,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${at.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? null;
  return { status: response.status, code, text, headers: response.headers };
}

/** Waits until every mail job has ended, and yields what has arrived since the last call. */
let seen = 0;
async function arrived() {
  await until(async () => {
    const { rowCount } = await db.query(
      "SELECT FROM system_jobs WHERE kind = 'mail' AND state IN ('waiting', 'running')",
    );
    return rowCount === 0;
  }, 'the end of all mail jobs');
  const mails = server.mails.slice(seen);
  seen = server.mails.length;
  return mails;
}

function tokenIn(text: string | undefined): string {
  return /[?&]token=([\w.-]+)/.exec(text ?? '')?.[1] ?? '';
}

async function insertUser(email: string, more: Record<string, string | null> = {}) {
  const user = { status: 'active', provider: 'default', first_name: null, role: null, ...more };
  const { rows } = await db.query<{ id: string }>(
    `INSERT INTO system_users (email, status, provider, first_name, role, password)
    VALUES ($1, $2, $3, $4, $5, '$argon2id$v=19$m=1024,t=1,p=1$c2FsdA$b2xk') RETURNING id`,
    [email, user.status, user.provider, user.first_name, user.role],
  );
  return rows[0]?.id ?? '';
}

async function userOf(email: string) {
  const { rows } = await db.query<{
    id: string;
    status: string;
    password: string | null;
    role: string | null;
    email: string;
    first_name: string | null;
  }>('SELECT id, email, status, password, role, first_name FROM system_users WHERE email = $1', [
    email,
  ]);
  return rows[0];
}

async function set(settings: Record<string, unknown>) {
  for (const [name, value] of Object.entries(settings)) {
    await db.query(`UPDATE system_settings SET ${name} = $1`, [value]);
  }
}

async function mailJobs(): Promise<number> {
  const { rows } = await db.query<{ jobs: number }>(
    "SELECT count(*)::int AS jobs FROM system_jobs WHERE kind = 'mail'",
  );
  return rows[0]?.jobs ?? 0;
}

const tokensSent = () => server.mails.map(({ mail }) => tokenIn(mail.text)).filter(Boolean);

t.test('a reset goes to the stored address, and reveals no account', async (t) => {
  await set({ project_name: 'Harbour & <Co>', project_color: '#0a8' });
  await insertUser('Ann@example.com', { first_name: 'Ann' });
  await insertUser('suspended@example.com', { status: 'suspended' });
  await insertUser('invited@example.com', { status: 'invited' });
  await insertUser('sso@example.com', { provider: 'ldap' });
  const request = (email: string) => post('/auth/password/request', { email });
  // The first job of an edge waits for its queue.
  await until(async () => (await request('somebody@example.com')).status === 204, 'the queue');
  const before = await mailJobs();
  const answers = [];
  for (const email of [
    'ann@EXAMPLE.com',
    'nobody@example.com',
    'suspended@example.com',
    'invited@example.com',
    'sso@example.com',
    'no address at all',
    "'; DROP TABLE system_users; --",
    'ann@example.com, eve@example.com',
  ]) {
    const { status, text, headers } = await request(email);
    const varying = ['date', 'x-request-id'];
    answers.push({
      status,
      text,
      headers: [...headers].filter(([name]) => !varying.includes(name)),
    });
  }
  t.equal(answers[0]?.status, 204);
  for (const answer of answers) t.strictSame(answer, answers[0]);
  const mails = await arrived();
  t.equal(mails.length, 1);
  const [{ to, mail } = { to: [], mail: null }] = mails;
  t.strictSame(to, ['Ann@example.com']);
  t.match(mail, { subject: 'Choose a new password for Harbour & <Co>', text: 'Hello Ann,' });
  t.match(mail?.html, 'Harbour &amp; &lt;Co&gt;');
  t.match(mail?.html, '#00aa88');
  t.match(mail?.text, 'https://api.harbour.example/v1/admin/reset-password?token=');
  const { rows } = await db.query("SELECT DISTINCT result FROM system_jobs WHERE kind = 'mail'");
  t.equal(rows.length, 2, 'one was sent, for the others a worker found nothing to do');
  t.equal((await mailJobs()) - before, answers.length, 'each request is the same work');
  const nameless = await db.query(
    "SELECT FROM system_jobs WHERE kind = 'mail' AND request_id IS NULL",
  );
  t.equal(nameless.rowCount, 0, 'each job names its request');
});

t.test('a reset sets a password that meets the policy, once, and ends all sessions', async (t) => {
  await set({ auth_password_policy: '/^.{8,}$/' });
  const ann = await userOf('Ann@example.com');
  await db.query(
    `INSERT INTO system_sessions (token, "user", expires) VALUES ('x', $1, now() + interval '1 d')`,
    [ann?.id],
  );
  const first = tokensSent().at(-1) ?? '';
  await post('/auth/password/request', { email: 'ann@example.com' });
  const second = tokenIn((await arrived())[0]?.mail.text);
  t.match(await post('/auth/password/reset', { token: first, password: 'short' }), {
    status: 400,
    code: 'FAILED_VALIDATION',
  });
  const both = await Promise.all(
    [first, second].map((token) => post('/auth/password/reset', { token, password: PASSWORD })),
  );
  t.strictSame(both.map(({ status }) => status).sort(), [204, 403]);
  for (const token of [first, second]) {
    t.match(await post('/auth/password/reset', { token, password: `${PASSWORD}x` }), {
      status: 403,
      code: 'INVALID_TOKEN',
    });
  }
  const after = await userOf('Ann@example.com');
  t.match(after?.password, /^\$argon2id\$/);
  t.not(after?.password, ann?.password);
  const sessions = await db.query('SELECT FROM system_sessions WHERE "user" = $1', [ann?.id]);
  t.equal(sessions.rowCount, 0);
  const { rows } = await db.query(
    'SELECT action, "user", ip, item FROM system_activity WHERE collection = \'system_users\' AND item = $1',
    [ann?.id],
  );
  t.strictSame(rows, [{ action: 'update', user: ann?.id, ip: '127.0.0.1', item: ann?.id }]);
});

t.test('a token dies of age, of a change to its account, and with its purpose', async (t) => {
  const ann = await userOf('Ann@example.com');
  t.ok(ann);
  if (ann === undefined) return;
  const reset = (token: string) => post('/auth/password/reset', { token, password: PASSWORD });
  const old = await tokens.issue('password-reset', ann, Date.now() - 25 * 3_600_000);
  t.match(await reset(old), { status: 401, code: 'TOKEN_EXPIRED' });
  const invite = await tokens.issue('invite', ann);
  t.match(await reset(invite), { status: 403, code: 'INVALID_TOKEN' });
  const good = await tokens.issue('password-reset', ann);
  await db.query("UPDATE system_users SET status = 'suspended' WHERE id = $1", [ann.id]);
  t.match(await reset(good), { status: 403, code: 'INVALID_TOKEN' });
  await db.query(
    "UPDATE system_users SET status = 'active', email = 'ann@b.example' WHERE id = $1",
    [ann.id],
  );
  t.match(await reset(good), { status: 403, code: 'INVALID_TOKEN' });
  await db.query("UPDATE system_users SET email = 'Ann@example.com' WHERE id = $1", [ann.id]);
  const gone = { ...ann, id: '00000000-0000-4000-8000-000000000000' };
  t.match(await reset(await tokens.issue('password-reset', gone)), { code: 'INVALID_TOKEN' });
  for (const body of [
    {},
    { token: good },
    { token: '', password: 'x' },
    { token: 1, password: 2 },
    [],
  ]) {
    t.match(await post('/auth/password/reset', body), { status: 400, code: 'INVALID_PAYLOAD' });
  }
  t.equal((await userOf('Ann@example.com'))?.password, ann.password);
  t.match(await reset(good), { status: 204 });
});

t.test('mail tokens give no access, and access tokens reset nothing', async (t) => {
  const ann = await userOf('Ann@example.com');
  if (ann === undefined) return;
  const mailed = await tokens.issue('password-reset', ann);
  const response = await fetch(`${cluster.url}/server/health`, {
    headers: { authorization: `Bearer ${mailed}` },
  });
  t.equal(response.status, 401);
  const claims = { id: ann.id, email: ann.email, scope: 'password-reset', hash: accountState(ann) };
  const access = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'mail+jwt' })
    .setIssuer('sluice')
    .setAudience('mail')
    .setSubject(ann.id)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(SECRET));
  t.match(await post('/auth/password/reset', { token: access, password: PASSWORD }), {
    status: 403,
    code: 'INVALID_TOKEN',
  });
});

t.test('links lead to listed pages only', async (t) => {
  const email = 'ann@example.com';
  for (const reset_url of [
    'https://evil.example/reset',
    'https://app.harbour.example@evil.example/reset',
    'https://app.harbour.example/resetting',
    'https://app.harbour.example/reset/../../admin',
    'https://app.harbour.example/confirm',
    'javascript:alert(1)',
    '//app.harbour.example/reset',
  ]) {
    const answer = await post('/auth/password/request', { email, reset_url });
    t.match(answer, { status: 400, code: 'INVALID_PAYLOAD' }, reset_url);
    t.notOk(answer.text.includes(reset_url));
    const unknown = await post('/auth/password/request', {
      email: 'nobody@example.com',
      reset_url,
    });
    t.equal(unknown.text, answer.text);
  }
  t.equal((await arrived()).length, 0);
  const reset_url = 'https://app.harbour.example/reset/now?lang=en';
  t.match(await post('/auth/password/request', { email, reset_url }), { status: 204 });
  const [got] = await arrived();
  t.match(got?.mail.text, 'https://app.harbour.example/reset/now?lang=en&token=');
});

t.test('registration is closed until the settings open it', async (t) => {
  const body = { email: 'bob@example.com', password: PASSWORD };
  t.match(await post('/users/register', body), { status: 403, code: 'FORBIDDEN' });
  await set({
    public_registration: true,
    public_registration_email_filter: { email: { _ends_with: '@example.com' } },
  });
  t.match(await post('/users/register', { ...body, email: 'bob@example.org' }), { status: 403 });
  await set({ public_registration_email_filter: { email: { _no_such: 1 } } });
  t.match(await post('/users/register', body), { status: 403 }, 'a filter of no use lets none in');
  await set({ public_registration_email_filter: null });
  t.match(await post('/users/register', { ...body, password: 'short' }), {
    status: 400,
    code: 'FAILED_VALIDATION',
  });
  for (const email of ['bob', 'bob@example.com\r\nBcc: eve@example.com', 'a@b.c, d@e.f', 1, null]) {
    t.match(await post('/users/register', { ...body, email }), { code: 'INVALID_PAYLOAD' });
  }
  const { rows } = await db.query<{ role: string }>(
    'SELECT role FROM system_users WHERE token IS NOT NULL',
  );
  await set({ public_registration_role: rows[0]?.role });
  t.match(await post('/users/register', body), { status: 403 }, 'not into a role of admins');
  await set({ public_registration_role: null });
  t.equal(await userOf('bob@example.com'), undefined);
  t.equal((await arrived()).length, 0);
});

t.test('an account is made, and can be used when its address is confirmed', async (t) => {
  const first_name = 'http://evil.example';
  const body = { email: 'bob@example.com', password: PASSWORD, first_name };
  const made = await post('/users/register', body);
  t.match(made, { status: 204 });
  t.match(await userOf('bob@example.com'), { status: 'unverified' });
  const [got] = await arrived();
  t.strictSame(got?.to, ['bob@example.com']);
  t.notMatch(got?.source, 'evil', 'what an unknown person entered is sent to nobody');
  const verify = (query: string) =>
    fetch(`${cluster.url}/users/register/verify-email${query}`, { redirect: 'manual' });
  t.match(got?.mail.text, 'https://api.harbour.example/v1/users/register/verify-email?token=');

  // Registered again, by somebody else perhaps: what is confirmed decides the password.
  const foreign = `${PASSWORD}x`;
  t.match(await post('/users/register', { ...body, password: foreign }), { status: 204 });
  const verification_url = 'https://app.harbour.example/confirm';
  await post('/users/register', {
    ...{ email: 'BOB@example.com', password: foreign, verification_url },
  });
  const again = await arrived();
  t.match(again.at(-1)?.mail.text, 'https://app.harbour.example/confirm?token=');
  const token = tokenIn(got?.mail.text);
  const confirmed = await verify(`?token=${token}&redirect=https://evil.example`);
  const login = (password: string) => post('/auth/login', { email: body.email, password });
  t.match(await login(foreign), { status: 401 }, 'not the password of the other one');
  t.match(await login(PASSWORD), { status: 200 });
  for (const { mail } of again) {
    t.equal((await verify(`?token=${tokenIn(mail.text)}`)).status, 403, 'the others are void');
  }
  const bob = await userOf('bob@example.com');
  t.equal(confirmed.status, 302);
  t.equal(
    confirmed.headers.get('location'),
    `https://api.harbour.example/v1/admin/users/${bob?.id}`,
  );
  t.equal(bob?.status, 'active');
  t.equal((await verify(`?token=${token}`)).status, 403, 'once');
  const followed = await fetch(`${cluster.url}/users/register/verify-email?token=${token}`, {
    redirect: 'manual',
    headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  });
  t.equal(followed.status, 302, 'a browser is told so in the App');
  t.equal(
    followed.headers.get('location'),
    'https://api.harbour.example/v1/admin/register?link=dead',
  );
  const missing = await verify('');
  t.equal(missing.status, 302);
  t.equal(missing.headers.get('location'), 'https://api.harbour.example/v1/admin/login');

  // The address has an account now: the same answer, another mail.
  const known = await post('/users/register', { ...body, password: 'another-password' });
  t.match(known, { status: made.status, text: made.text });
  const [notice] = await arrived();
  t.match(notice?.mail, { subject: /^You already have an account/ });
  t.equal(tokenIn(notice?.mail.text), '');
  t.strictSame(await userOf('bob@example.com'), bob, 'nothing about it has changed');
  const { rows } = await db.query(
    'SELECT action, "user" FROM system_activity WHERE item = $1 ORDER BY id',
    [bob?.id],
  );
  t.strictSame(rows, [
    { action: 'create', user: null },
    { action: 'update', user: bob?.id },
    { action: 'login', user: bob?.id },
  ]);
});

t.test('without verification an account can be used at once, without a mail', async (t) => {
  await set({ public_registration_verify_email: false });
  const answers = [];
  for (const email of ['cid@example.com', 'cid@example.com', 'ann@example.com']) {
    answers.push((await post('/users/register', { email, password: PASSWORD })).status);
  }
  t.strictSame(answers, [204, 204, 204]);
  t.match(await userOf('cid@example.com'), { status: 'active' });
  t.equal((await arrived()).length, 0);
  // An account that somebody prepared, or gave rights to, is nobody's to register.
  const { rows } = await db.query<{ role: string }>(
    'SELECT role FROM system_users WHERE token IS NOT NULL',
  );
  for (const columns of [
    { email: 'boss@example.com', role: rows[0]?.role },
    { email: 'readied@example.com', role: null },
  ]) {
    await db.query(
      "INSERT INTO system_users (email, role, status, first_name) VALUES ($1, $2, 'unverified', 'x')",
      [columns.email, columns.role],
    );
    const { email } = columns;
    for (const verify of [false, true]) {
      await set({ public_registration_verify_email: verify });
      t.match(await post('/users/register', { email, password: PASSWORD }), { status: 204 });
      t.match(await userOf(email), { status: 'unverified', first_name: 'x' });
    }
  }
  t.equal((await arrived()).length, 0);
});

t.test('registration takes over no account that others made or gave rights', async (t) => {
  const crew = await db.query<{ id: string }>(
    "INSERT INTO system_roles (name) VALUES ('Prepared') RETURNING id",
  );
  const role = crew.rows[0]?.id;
  const make = (email: string, role: string | null) =>
    db.query(
      `INSERT INTO system_users (email, role, status, first_name, password)
       VALUES ($1, $2, 'unverified', 'Prepared', 'of their own')`,
      [email, role],
    );
  await make('prepared@example.com', null);
  await make('prepared-role@example.com', role ?? null);
  const registered = ['registered@example.com', 'promoted@example.com', 'granted@example.com'];
  for (const email of [...registered, 'token@example.com']) {
    t.match(await post('/users/register', { email, password: PASSWORD }), { status: 204 });
  }
  await db.query("UPDATE system_users SET role = $1 WHERE email = 'promoted@example.com'", [role]);
  await db.query("UPDATE system_users SET token = 'a' WHERE email = 'token@example.com'");
  await db.query(`INSERT INTO system_access ("user", policy)
    SELECT u.id, p.id FROM system_users AS u, (SELECT id FROM system_policies LIMIT 1) AS p
    WHERE email = 'granted@example.com'`);
  const all = async () => {
    const emails = ['prepared@example.com', 'prepared-role@example.com', ...registered];
    const { rows } = await db.query<{ email: string }>(
      'SELECT * FROM system_users WHERE email = ANY($1) ORDER BY email',
      [[...emails, 'token@example.com']],
    );
    return rows;
  };
  const before = await all();
  t.equal(before.length, 6);
  for (const verify of [true, false]) {
    await set({ public_registration_verify_email: verify });
    for (const { email } of before) {
      const body = { email, password: `${PASSWORD}x`, first_name: 'Eve' };
      t.match(await post('/users/register', body), { status: 204 });
    }
    const kept = verify ? /^prepared/ : /^(?!registered)/;
    const now = await all();
    for (const [index, row] of before.entries()) {
      if (!kept.test(row.email)) continue;
      if (verify) t.strictSame(now[index], row, `${row.email} with confirmation`);
      else t.match(now[index], { status: 'unverified' }, `${row.email} without`);
    }
    t.match(await userOf('prepared@example.com'), { password: 'of their own' });
  }
  t.match(await userOf('registered@example.com'), { status: 'active' });
  await set({ public_registration_verify_email: true });
  await arrived();
});

t.test('callers who may create users invite people, who choose a password', async (t) => {
  const [{ id: role } = { id: '' }] = (
    await db.query<{ id: string }>("INSERT INTO system_roles (name) VALUES ('Crew') RETURNING id")
  ).rows;
  const invite = (body: unknown, token = ADMIN_TOKEN) =>
    post('/users/invite', body, cluster, { authorization: `Bearer ${token}` });
  const email = ['Dora@example.com', 'dora@example.com', 'eve@example.com', 'ann@example.com'];
  const invite_url = 'https://app.harbour.example/welcome';
  t.match(await invite({ email, role, invite_url: `${invite_url}.evil.example` }), { status: 400 });
  t.match(await invite({ email: ['a@example.com, b@example.com'], role }), { status: 400 });
  t.match(await invite({ email, role: 'Crew' }), { status: 400 });
  t.match(await invite({ email: 'x@example.com', role: NOBODY }), { code: 'INVALID_FOREIGN_KEY' });
  t.match(await post('/users/invite', { email, role }), { status: 403, code: 'FORBIDDEN' });
  t.equal((await arrived()).length, 0);

  t.match(await invite({ email, role, invite_url }), { status: 204, text: '' });
  const mails = await arrived();
  t.strictSame(mails.flatMap(({ to }) => to).sort(), ['dora@example.com', 'eve@example.com']);
  t.match(await userOf('dora@example.com'), { status: 'invited', role, password: null });
  const tokenOf = (to: string) => tokenIn(mails.find((one) => one.to.includes(to))?.mail.text);
  t.match(mails[0]?.mail.text, `${invite_url}?token=`);

  const accept = (token: string, password = PASSWORD) =>
    post('/users/invite/accept', { token, password });
  const dora = tokenOf('dora@example.com');
  t.match(await post('/auth/password/reset', { token: dora, password: PASSWORD }), { status: 403 });
  t.match(await accept(dora, 'short'), { code: 'FAILED_VALIDATION' });
  t.match(await accept(dora), { status: 204 });
  t.match(await userOf('dora@example.com'), { status: 'active', role, password: /^\$argon2id/ });
  t.match(await accept(dora, `${PASSWORD}x`), { status: 400, code: 'INVALID_INVITE' });
  t.match(await post('/auth/login', { email: 'dora@example.com', password: PASSWORD }), {
    status: 200,
  });
  await db.query("UPDATE system_users SET status = 'invited' WHERE email = 'dora@example.com'");
  t.match(await accept(dora), { status: 403, code: 'INVALID_TOKEN' }, 'not for a later invitation');

  // Whoever has not accepted gets another mail, into another role if need be.
  const [{ id: other } = { id: '' }] = (
    await db.query<{ id: string }>("INSERT INTO system_roles (name) VALUES ('Guests') RETURNING id")
  ).rows;
  t.match(await invite({ email: 'EVE@example.com', role: other }), { status: 204 });
  t.match(await userOf('eve@example.com'), { status: 'invited', role: other });
  t.equal((await arrived()).length, 1);
});

t.test('no caller invites beyond its own permissions', async (t) => {
  const one = async (text: string, values: unknown[] = []) =>
    (await db.query<{ id: string }>(text, values)).rows[0]?.id ?? '';
  const guests = await one("SELECT id FROM system_roles WHERE name = 'Guests'");
  const crew = await one("SELECT id FROM system_roles WHERE name = 'Crew'");
  const admins = await one("SELECT id FROM system_roles WHERE name = 'Administrator'");
  const below = await one(
    "INSERT INTO system_roles (name, parent) VALUES ('Below', $1) RETURNING id",
    [admins],
  );
  /** Makes somebody who may create users within these bounds, and yields how such a one invites. */
  const hirer = async (name: string, fields: string | null, validation: unknown = null) => {
    const user = await insertUser(`${name}@example.com`, { role: crew });
    await db.query(
      "UPDATE system_users SET token = encode(sha256($2::text::bytea), 'hex') WHERE id = $1",
      [user, `a-token-of-${name}`],
    );
    const policy = await one('INSERT INTO system_policies (name) VALUES ($1) RETURNING id', [name]);
    await db.query('INSERT INTO system_access ("user", policy) VALUES ($1, $2)', [user, policy]);
    // Who may not see a role cannot give it to anybody.
    await db.query(
      `INSERT INTO system_permissions (policy, collection, action, fields)
      VALUES ($1, 'system_roles', 'read', 'id')`,
      [policy],
    );
    if (fields !== null) {
      await db.query(
        `INSERT INTO system_permissions (policy, collection, action, fields, validation)
        VALUES ($1, 'system_users', 'create', $2, $3)`,
        [policy, fields, validation],
      );
    }
    return (email: string, role: string) =>
      post('/users/invite', { email, role }, cluster, {
        authorization: `Bearer a-token-of-${name}`,
      });
  };
  const nothing = await hirer('nothing', null);
  const fields = await hirer('fields', 'email,status');
  const valid = await hirer('valid', '*', { role: { _eq: crew } });
  const all = await hirer('all', '*');
  // Whoever sees the rights that were granted last sees all of them.
  await until(async () => (await all('f@example.com', guests)).status === 204, 'the rights');
  t.match(await nothing('f@example.com', guests), { status: 403 });
  t.match(await nothing('g@example.com', guests), { status: 403 });
  t.match(await fields('h@example.com', guests), { status: 403 }, 'the role is not among them');
  t.match(await valid('i@example.com', guests), { status: 400, code: 'FAILED_VALIDATION' });
  t.match(await valid('i@example.com', crew), { status: 204 });
  t.match(await all('f@example.com', crew), { status: 403 }, 'to move is to update');
  for (const role of [admins, below]) {
    t.match(await all('j@example.com', role), { status: 403, code: 'FORBIDDEN' });
    t.match(await all('f@example.com', role), { status: 403, code: 'FORBIDDEN' });
  }
  const { rows } = await db.query(
    "SELECT email, role FROM system_users WHERE email ~ '^[f-j]@' ORDER BY email",
  );
  t.strictSame(rows, [
    { email: 'f@example.com', role: guests },
    { email: 'i@example.com', role: crew },
  ]);
  const to = (await arrived()).flatMap((mail) => mail.to);
  t.strictSame([...new Set(to)].sort(), ['f@example.com', 'i@example.com']);
});

t.test('a failed mail is retried, and then its job has the reason', async (t) => {
  const email = 'ann@example.com';
  const lastJob = async () => {
    const response = await cluster.fetch('/jobs?sort=-created_on&limit=1');
    return await response.json();
  };
  server.refuse(451, 421, 450);
  await post('/auth/password/request', { email });
  t.equal((await arrived()).length, 1);
  t.match(await lastJob(), { data: [{ state: 'completed', attempts: 4, result: { sent: true } }] });
  server.refuse(550);
  await post('/auth/password/request', { email });
  t.equal((await arrived()).length, 0);
  t.match(await lastJob(), {
    data: [
      {
        state: 'failed',
        attempts: 1,
        error: [{ extensions: { code: 'UNPROCESSABLE_ENTITY', reason: /550/ } }],
      },
    ],
  });
  server.refuse(451, 451, 451, 451, 451);
  await post('/auth/password/request', { email });
  t.equal((await arrived()).length, 0);
  t.match(await lastJob(), {
    data: [
      {
        state: 'failed',
        attempts: 5,
        error: [{ extensions: { code: 'SERVICE_UNAVAILABLE', service: 'mail', reason: /451/ } }],
      },
    ],
  });
});

t.test('without a mail server the API says so, to everybody alike', async (t) => {
  const { url } = await muteEdge;
  const other = { url };
  const texts = new Set<string>();
  for (const email of ['ann@example.com', 'nobody@example.com']) {
    const answer = await post('/auth/password/request', { email }, other);
    t.match(answer, { status: 503, code: 'SERVICE_UNAVAILABLE' });
    t.match(answer.text, '"service":"mail"');
    texts.add(answer.text);
    const body = { email, password: PASSWORD };
    t.match(await post('/users/register', body, other), { status: 503 });
  }
  t.equal(texts.size, 1);
});

t.test('no secret lies in a table, a queue or a log', async (t) => {
  const { rows: tables } = await db.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  t.ok(tables.some(({ name }) => name.startsWith('bullmq.')));
  const secrets = [SECRET, SMTP_PASSWORD, PASSWORD, ...tokensSent()];
  t.ok(secrets.length > 8);
  // A part of a token would be enough to tell that it was there.
  const marks = secrets.map((secret) => secret.split('.').at(-1) ?? secret);
  for (const { name } of tables) {
    const { rows } = await db.query<{ text: string }>(`SELECT t::text AS text FROM ${name} AS t`);
    const text = rows.map((row) => row.text).join('\n');
    t.strictSame(
      marks.filter((mark) => text.includes(mark)),
      [],
      name,
    );
  }
  t.match(output, /job ends/, 'the logs were read');
  t.strictSame(
    marks.filter((mark) => output.includes(mark)),
    [],
    'logs',
  );
});
