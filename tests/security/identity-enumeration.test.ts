// @newest
/** Who has an account, and how an account stands, must not show in how a login is refused. */
import t from 'tap';
import { passwordsWorked } from '#core/accounts/identity/password.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { identityOn, PASSWORD, VISITOR } from '#tests/core/accounts/identity/fixture/identity.ts';

const world = await identityOn(t);
const { pool } = world;
const { signIn } = world.open();

const calls = t.capture(pool, 'query', pool.query);

/** How a login is refused: its error, the passwords it worked on, and the statements it sent. */
async function refusal(email: string, password: string) {
  const before = passwordsWorked();
  calls();
  const credentials = { email, password, otp: null };
  const error: unknown = await signIn.login(credentials, 'json', VISITOR).catch((e) => e);
  const answer =
    error instanceof ServiceError ? JSON.stringify([error.status, error, error.headers]) : error;
  const statements = calls().map(({ args }) => JSON.stringify(args).replaceAll(email, ''));
  return { answer, worked: passwordsWorked() - before, statements };
}

t.test('an unknown address is refused as a wrong password is', async (t) => {
  const user = await world.createUser();
  const wrong = await refusal(user.email, 'wrong');
  t.match(wrong.answer, 'INVALID_CREDENTIALS');
  t.equal(wrong.worked, 1);
  t.equal(wrong.statements.length, 2);
  t.strictSame(await refusal('nobody@example.com', 'wrong'), wrong);
  const none = await world.createUser({ password: null });
  t.strictSame(await refusal(none.email, 'wrong'), wrong, 'a user without a password');
  for (const status of ['suspended', 'invited', 'draft', 'archived', 'unverified']) {
    const { email } = await world.createUser({ status });
    t.strictSame(await refusal(email, 'wrong'), wrong, status);
    const right = await refusal(email, PASSWORD);
    t.strictSame(
      [right.answer, right.worked],
      [wrong.answer, wrong.worked],
      `${status}, right password`,
    );
  }
  const elsewhere = await world.createUser({ provider: 'ldap', external_identifier: 'x' });
  t.equal((await refusal(elsewhere.email, PASSWORD)).answer, wrong.answer);
});

t.test('a refused login takes its time whatever is wrong', async (t) => {
  // A time that no work takes: who is refused sooner did not wait for it.
  const slow = await identityOn(t, { LOGIN_STALL_TIME: '300ms' });
  const user = await slow.createUser();
  const attempt = async (email: string) => {
    const started = performance.now();
    await slow
      .open()
      .signIn.login({ email, password: 'wrong', otp: null }, 'json', VISITOR)
      .catch(() => 0);
    return performance.now() - started;
  };
  for (const email of [user.email, 'nobody@example.com'])
    t.ok((await attempt(email)) >= 295, email);
});

t.test('a missing second factor shows only with the password', async (t) => {
  const { email } = await world.createUser({ tfa_secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' });
  t.match((await refusal(email, 'wrong')).answer, 'INVALID_CREDENTIALS');
  t.match((await refusal(email, PASSWORD)).answer, 'INVALID_OTP');
});
