/** Ways into the Admin App: links of mails, one-time passwords, a second factor that has to be set up. */
import { TOTP } from 'otpauth';
import t from 'tap';
import { type AppPage, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { startMailServer } from '#tests/harness/mail-server.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { createUser, PASSWORD } from '../edge/rest/fixture/sign-in.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const NEW = 'a password that is new';

t.test('somebody comes in', { skip }, async (t) => {
  if (browser === null) return;
  const mailServer = await startMailServer(t);
  const app = await startApp(t, browser, {
    workers: 1,
    env: {
      EMAIL_TRANSPORT: 'smtp',
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_SMTP_PORT: String(mailServer.port),
      EMAIL_FROM: 'sluice@example.com',
      PUBLIC_URL: 'https://content.example.com',
    },
  });
  const { db } = app.cluster;
  /** The path of the App to which the last mail for an address leads. */
  const linkFor = async (email: string, base = '/admin') => {
    await until(() => mailServer.mails.some(({ to }) => to.includes(email)), 'the mail has come');
    const mail = mailServer.mails.findLast(({ to }) => to.includes(email))?.mail;
    const [, path = ''] = /content\.example\.com(\/\S+)/.exec(mail?.text ?? '') ?? [];
    return path.slice(base.length);
  };
  /** Follows a link of the API, as the domain of mails leads to this cluster. */
  const follow = async ({ page }: AppPage, link: string) => {
    const headers = { Accept: 'text/html' };
    const answer = await fetch(`${app.cluster.url}${link}`, { redirect: 'manual', headers });
    const to = answer.headers.get('location') ?? '';
    await page.goto(to.replace('https://content.example.com', app.cluster.url));
  };

  await t.test('who has forgotten the password', async (t) => {
    const user = await createUser(app.cluster);
    const tab = await app.newPage();
    const { page } = tab;
    tab.expectStatus(401, '/');
    await tab.open('/sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    // The page before has such a field, too.
    await page.getByRole('button', { name: 'Send the link' }).waitFor();
    await page.getByLabel('E-mail address').fill(user.email);
    t.strictSame(await tab.axe(), [], 'the question is accessible');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('we have sent a link').waitFor();
    await tab.screenshot('forgotten');
    await tab.open(await linkFor(user.email));
    await page.locator('input[name=password]').fill(NEW);
    t.strictSame(await tab.axe(), [], 'the new password is accessible');
    await tab.screenshot('reset');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your new password is set').waitFor();
    await page.getByLabel('E-mail address').fill(user.email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('E-mail address or password is wrong.').waitFor();
    await tab.screenshot('wrong-password');
    await page.locator('input[name=password]').fill(NEW);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'No access to the App' }).waitFor();
    await tab.screenshot('no-app-access');
    t.strictSame(await tab.axe(), [], 'who may not use the App is told so accessibly');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    t.strictSame(tab.faults, [], 'nothing else went wrong');
  });

  await t.test('who was invited', async (t) => {
    const { rows } = await db.query<{ id: string }>('SELECT id FROM system_roles');
    const email = 'invited@example.com';
    const body = JSON.stringify({ email, role: rows[0]?.id });
    t.equal((await app.cluster.fetch('/users/invite', { method: 'POST', body })).status, 204);
    const tab = await app.newPage();
    const { page } = tab;
    tab.expectStatus(401, '/');
    const link = await linkFor(email);
    await tab.open(link);
    await page.locator('input[name=password]').fill(NEW);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('Welcome!').waitFor();
    await tab.signIn({ email, password: NEW });
    tab.expectStatus(400, '/users/invite/accept');
    tab.expectStatus(401, '/users/invite/accept');
    tab.expectStatus(403, '/users/invite/accept');
    await tab.open(link);
    await page.locator('input[name=password]').fill(NEW);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('This link has expired or has been used').waitFor();
    t.strictSame(tab.faults, [], 'nothing else went wrong');
  });

  await t.test('who makes an account', async (t) => {
    const settings = async (part: object) => {
      const body = JSON.stringify(part);
      t.equal((await app.cluster.fetch('/settings', { method: 'PATCH', body })).status, 200);
    };
    const tab = await app.newPage();
    const { page } = tab;
    tab.expectStatus(401, '/users/me');
    await tab.open('/sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).waitFor();
    t.equal(await page.getByRole('link', { name: 'Create an account' }).count(), 0, 'not offered');
    await tab.open('/register');
    await page.getByText('Ask for an invitation').waitFor();

    const { role } = await createMember(app.cluster, [], { app: true });
    await settings({
      ...{ public_registration: true, public_registration_role: role },
      ...{ auth_password_policy: '/^.{12,}$/' },
      public_registration_email_filter: { email: { _ends_with: 'example.com' } },
    });
    await tab.open('/sign-in');
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('First name').fill('Ruth');
    await page.getByLabel('E-mail address').fill('ruth@elsewhere.org');
    await page.locator('input[name=password]').fill('short');
    await tab.screenshot('register');
    t.strictSame(await tab.axe(), [], 'the form is accessible');
    const create = page.getByRole('button', { name: 'Create the account' });
    for (const status of [400, 403]) tab.expectStatus(status, '/users/register');
    await create.click();
    await page.getByText('This address cannot be registered here.').waitFor();
    const email = 'ruth@example.com';
    await page.getByLabel('E-mail address').fill(email);
    await create.click();
    await page.getByText('This password does not meet the requirements').waitFor();
    await tab.screenshot('register-refused');
    t.strictSame(await tab.axe(), [], 'what is wrong is told accessibly');
    await page.locator('input[name=password]').fill(NEW);
    await page.keyboard.press('Enter');
    const told = page.getByText('We have sent you a mail.');
    await told.waitFor();
    const answer = await told.innerText();
    await tab.screenshot('registered');
    t.strictSame(await tab.axe(), []);

    // Signing in needs the link of the mail.
    await tab.open('/sign-in');
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('input[name=password]').fill(NEW);
    tab.expectStatus(401, '/auth/login');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('E-mail address or password is wrong.').waitFor();
    const link = await linkFor(email, '');
    t.match(link, '/users/register/verify-email?token=');
    await follow(tab, link);
    await page.getByText('Your address is confirmed').waitFor();
    await tab.screenshot('confirmed');
    t.strictSame(await tab.axe(), []);
    await page.getByLabel('E-mail address').fill(email);
    await page.locator('input[name=password]').fill(NEW);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    const other = await app.newPage();
    other.expectStatus(401, '/users/me');
    await follow(other, link);
    await other.page.getByText('This link has expired or has been used').waitFor();
    await other.screenshot('dead-link');
    await other.page.getByLabel('E-mail address').fill(email);
    await other.page.locator('input[name=password]').fill(NEW);
    await other.page.getByRole('button', { name: 'Create the account' }).click();
    await other.page.getByText('We have sent you a mail.').waitFor();
    t.equal(
      await other.page.getByText('We have sent you a mail.').innerText(),
      answer,
      'it does not tell whether there is an account',
    );
    await settings({ public_registration: false, auth_password_policy: null });
    t.strictSame([...tab.faults, ...other.faults], [], 'nothing else went wrong');
  });

  await t.test('who has to have a second factor', async (t) => {
    const { rows } = await db.query<{ id: string }>(`
      WITH role AS (INSERT INTO system_roles (id, name) VALUES (gen_random_uuid(), 'Careful') RETURNING id),
      policy AS (
        INSERT INTO system_policies (id, name, app_access, enforce_tfa)
        VALUES (gen_random_uuid(), 'Careful', true, true) RETURNING id
      ),
      access AS (
        INSERT INTO system_access (id, role, policy)
        SELECT gen_random_uuid(), role.id, policy.id FROM role, policy
      )
      SELECT id FROM role`);
    const user = await createUser(app.cluster, { role: rows[0]?.id });
    const tab = await app.newPage();
    const { page } = tab;
    for (const status of [401, 403]) tab.expectStatus(status, '/');
    await tab.open('/sign-in?next=%2Fcontent');
    await page.getByLabel('E-mail address').fill(user.email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Set up two-factor authentication' }).waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    t.strictSame(await tab.axe(), [], 'the set-up is accessible');
    await page.getByRole('button', { name: 'Next' }).click();
    const secret = (await page.locator('output').innerText()).replaceAll(' ', '');
    await tab.screenshot('second-factor');
    await page.getByLabel('One-time password').fill(new TOTP({ secret }).generate());
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('heading', { name: 'Content', level: 1 }).waitFor();

    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail address').fill(user.email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const code = page.getByLabel('One-time password');
    await code.waitFor();
    await tab.screenshot('one-time-password');
    t.strictSame(await tab.axe(), [], 'the code is accessible');
    // A code works once; that of the next half minute is taken already.
    await code.fill(new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 }));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    t.strictSame(tab.faults, [], 'nothing else went wrong');
  });
});
