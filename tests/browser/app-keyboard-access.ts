/** Users, roles and their policies by keyboard alone. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { startMailServer } from '#tests/harness/mail-server.ts';
import { until } from '#tests/harness/until.ts';
import { keyboardOf } from './fixture/keyboard.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

t.test('an administrator without a mouse', { skip }, async (t) => {
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
  const { db, fetch } = app.cluster;
  const policy = await fetch('/policies', {
    method: 'POST',
    body: JSON.stringify({ name: 'Writing', app_access: true }),
  });
  t.equal(policy.status, 200);
  const tab = await app.newPage();
  const { page } = tab;
  const { press, go, write, kept, choose } = keyboardOf(tab);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const dialog = page.getByRole('dialog');
  const attached = async () => {
    const { rows } = await db.query(
      "SELECT FROM system_access a JOIN system_roles r ON r.id = a.role WHERE r.name = 'Writer'",
    );
    return rows.length;
  };
  /** Saves, and waits until the form has what was saved. */
  const save = async () => {
    await press('Save');
    const button = page.getByRole('button', { name: 'Save', exact: true });
    await until(
      async () =>
        (await button.isDisabled()) && (await page.locator('.MuiButton-loading').count()) === 0,
      'it is saved',
    );
  };
  await tab.signIn();

  await t.test('makes a role, gives it a policy and takes it away', async (t) => {
    await tab.open('/access/roles');
    await press('New role');
    await heading('New role');
    await kept('the way to the form');
    await write('Name', 'Writer');
    await press('Add a policy');
    await choose('Writing');
    await page.getByRole('link', { name: 'Writing' }).waitFor();
    await kept('a policy is added');
    await press('Save');
    await heading('Writer');
    await kept('the role is saved');
    t.equal(await attached(), 1);
    await press('Remove Writing');
    await page.getByRole('link', { name: 'Writing' }).waitFor({ state: 'detached' });
    await kept('a policy is taken away');
    await save();
    await until(async () => (await attached()) === 0, 'it is taken away');
    await kept('the role is saved again');
    await press('Add a policy');
    await choose('Writing');
    await page.getByRole('link', { name: 'Writing' }).waitFor();
    await save();
    await until(async () => (await attached()) === 1, 'it is given again');
  });

  await t.test('makes a user, suspends him, and reads his rights', async (t) => {
    await press('Users');
    await heading('Users');
    await press('New user');
    await heading('New user');
    await write('First name', 'Wanda');
    await write('E-mail address', 'wanda@example.com');
    await write('Role', 'Writer');
    await press('Save');
    await heading('Wanda');
    await kept('the user is saved');
    await write('Status', 'suspended');
    await save();
    await until(async () => {
      const { rows } = await db.query(
        "SELECT status FROM system_users WHERE email = 'wanda@example.com'",
      );
      return rows[0]?.status === 'suspended';
    }, 'he is suspended');
    await kept('the user is saved again');
    await press('Users');
    await heading('Users');
    await go('Show: Rights of Wanda');
    await page.keyboard.press('Enter');
    await heading('Rights of Wanda');
    await page.getByRole('link', { name: 'Writing' }).waitFor();
    await kept('his rights are shown');
    t.pass('all of it by keys');
  });

  await t.test('invites somebody', async () => {
    await press('Users');
    await heading('Users');
    await press('Invite');
    await dialog.waitFor();
    await page.keyboard.type('walter@example.com');
    await write('Role', 'Writer');
    await press('Send invitation');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'walter@example.com' }).waitFor();
    await kept('the invitation is sent');
    await until(() => mailServer.mails.length === 1, 'the mail has come');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
