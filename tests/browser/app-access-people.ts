/** Access in the Admin App: roles and users, and that each sees exactly what he may. */
import t from 'tap';
import { ADMIN, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { startMailServer } from '#tests/harness/mail-server.ts';
import { until } from '#tests/harness/until.ts';
import { makeMagazine } from './fixture/magazine.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const WRITER = { email: 'writer@example.com', password: 'a password of a writer' };

t.test('rights are given, used, shown and withdrawn', { skip }, async (t) => {
  if (browser === null) return;
  const mailServer = await startMailServer(t);
  const app = await startApp(t, browser, {
    prepare: makeMagazine,
    workers: 1,
    env: {
      WEBSOCKETS_ENABLED: 'true',
      EMAIL_TRANSPORT: 'smtp',
      EMAIL_SMTP_HOST: '127.0.0.1',
      EMAIL_SMTP_PORT: String(mailServer.port),
      EMAIL_FROM: 'sluice@example.com',
      PUBLIC_URL: 'https://content.example.com',
    },
  });
  const { db } = app.cluster;
  const admin = await app.newPage();
  const { page } = admin;

  const save = page.getByRole('button', { name: 'Save', exact: true });
  const drawer = page.getByRole('dialog');
  const cell = (name: string) => page.getByRole('button', { name, exact: true });
  const custom = async (name: string) => {
    await cell(name).click();
    await page.getByRole('menuitem', { name: 'Custom…' }).click();
  };
  const done = async () => {
    await drawer.getByRole('button', { name: 'Done' }).click();
    await drawer.waitFor({ state: 'detached' });
  };

  await admin.signIn();
  await t.test('a policy', async () => {
    await admin.open('/access/policies/+');
    await page.getByLabel('Name').fill('Writers');
    await custom('Article: read: none');
    await drawer.getByLabel('Items that match conditions').check();
    await drawer.getByRole('button', { name: 'Add condition' }).click();
    await drawer.getByLabel('Field', { exact: true }).selectOption('author');
    await drawer.getByLabel('Compare with').selectOption('$CURRENT_USER');
    await drawer.getByRole('button', { name: 'Add condition' }).click();
    const second = drawer.getByRole('group', { name: 'Condition', exact: true }).nth(1);
    await second.getByLabel('Field', { exact: true }).selectOption('status');
    await second.getByLabel('Comparison').selectOption('_eq');
    await second.getByLabel('Value', { exact: true }).fill('published');
    await drawer.getByLabel('Combine conditions with').selectOption('any');
    await drawer.getByLabel('Selected fields').check();
    await drawer.getByLabel('Secret').uncheck();
    await done();
    await custom('Article: create: none');
    await drawer.getByLabel('Selected fields').check();
    await drawer.getByRole('button', { name: 'Clear selection' }).click();
    await drawer.getByLabel('Title', { exact: true }).check();
    await admin.addFrom('Add a preset', 'Author');
    await drawer.getByLabel('Value of Author').selectOption('$CURRENT_USER');
    await admin.addFrom('Add a preset', 'Status');
    await drawer.getByRole('textbox', { name: 'Status' }).fill('draft');
    const validation = drawer.getByRole('region', { name: 'Validation' });
    await validation.getByRole('button', { name: 'Add condition' }).click();
    await validation.getByLabel('Field', { exact: true }).selectOption('title');
    await validation.getByLabel('Comparison').selectOption('_regex');
    await validation.getByLabel('Value', { exact: true }).fill('^[A-Z]');
    await done();
    await save.click();
    await page.getByText('Policy saved').waitFor();
  });

  await t.test('a role', async (t) => {
    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('link', { name: 'New role' }).click();
    await page.getByLabel('Name').fill('Writer');
    await admin.addFrom('Add a policy', 'Writers');
    await page.getByRole('link', { name: 'Writers' }).waitFor();
    await save.click();
    await page.getByText('Role saved').waitFor();
    await page.getByRole('heading', { name: 'Writer', level: 1 }).waitFor();
    await page.getByText('No users yet.').waitFor();
    await admin.screenshot('role');
    t.strictSame(await admin.axe(), [], 'a role is accessible');
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('link', { name: 'New role' }).click();
    await page.getByLabel('Name').fill('Columnist');
    await page.getByLabel('Parent role').selectOption({ label: 'Writer' });
    await save.click();
    await page.getByRole('heading', { name: 'Columnist', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('list', { name: 'Roles' }).getByText('Columnist').waitFor();
    // A notice that is fading has no contrast.
    const notice = page.getByRole('alert').filter({ hasText: 'Role saved' });
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
    await admin.screenshot('roles');
    t.strictSame(await admin.axe(), [], 'the roles are accessible');
  });

  await t.test('the order of policies, and two administrators at once', async (t) => {
    await page
      .getByRole('list', { name: 'Roles' })
      .getByRole('link', { name: /^Writer/ })
      .click();
    await page.getByRole('heading', { name: 'Writer', level: 1 }).waitFor();
    const list = page.getByRole('list', { name: 'Policies' });
    await admin.addFrom('Add a policy', 'Public');
    await list.getByRole('link', { name: 'Public' }).waitFor();
    await admin.tabTo('Move Public up');
    await page.keyboard.press('Enter');
    t.strictSame(await list.getByRole('link').allTextContents(), ['Public', 'Writers']);
    await admin.screenshot('role-order');
    t.strictSame(await admin.axe(), [], 'the order is accessible');
    await save.click();
    const ordered = async () =>
      (
        await db.query<{ name: string; sort: number }>(
          `SELECT p.name, a.sort FROM system_access a JOIN system_policies p ON p.id = a.policy
            JOIN system_roles r ON r.id = a.role WHERE r.name = 'Writer' ORDER BY a.sort`,
        )
      ).rows;
    await until(async () => (await ordered()).length === 2, 'the second policy is stored');
    await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
    t.strictSame(await ordered(), [
      { name: 'Public', sort: 1 },
      { name: 'Writers', sort: 2 },
    ]);
    await page.reload();
    await list.getByRole('link', { name: 'Writers' }).waitFor();
    t.strictSame(await list.getByRole('link').allTextContents(), ['Public', 'Writers']);

    // Somebody else takes a policy away, and says something else about the role.
    await page.getByLabel('Description').fill('Mine');
    await list.getByRole('button', { name: 'Move Public down' }).click();
    const { rows } = await db.query<{ id: string; access: string }>(
      `SELECT r.id, a.id AS access FROM system_access a JOIN system_policies p ON p.id = a.policy
        JOIN system_roles r ON r.id = a.role WHERE r.name = 'Writer' AND p.name = 'Public'`,
    );
    const body = JSON.stringify({
      description: 'Theirs',
      policies: { create: [], update: [], delete: [rows[0]?.access] },
    });
    const theirs = await app.cluster.fetch(`/roles/${rows[0]?.id}`, { method: 'PATCH', body });
    t.equal(theirs.status, 200);
    admin.expectStatus(412, '/roles/');
    await save.click();
    const conflict = page.getByRole('dialog', { name: 'Another user has changed this item' });
    const policies = conflict.getByRole('radiogroup', { name: 'Policies' });
    await policies.getByText('Writers, Public').waitFor();
    await admin.screenshot('role-conflict');
    t.strictSame(await admin.axe(), [], 'the conflict is accessible');
    await policies.getByLabel(/^Theirs/).check();
    await conflict.getByRole('button', { name: 'Save selection' }).click();
    await conflict.waitFor({ state: 'detached' });
    await list.getByRole('link', { name: 'Public' }).waitFor({ state: 'detached' });
    await until(async () => {
      const role = await db.query("SELECT description FROM system_roles WHERE name = 'Writer'");
      return role.rows[0]?.description === 'Mine';
    }, 'it is saved as chosen');
    t.strictSame(
      (await ordered()).map(({ name }) => name),
      ['Writers'],
    );
    // Who leaves before the answer is there is asked about what is not saved.
    await until(
      async () =>
        (await save.isDisabled()) && (await page.locator('.MuiButton-loading').count()) === 0,
      'the answer is there',
    );
    await page.getByRole('link', { name: 'Back' }).click();
  });

  const guest = await app.newPage();

  await t.test('an invitation', async (t) => {
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    await drawer.getByRole('button', { name: 'Send invitation' }).click();
    await drawer.getByText('Enter an e-mail address.').waitFor();
    await drawer.getByLabel('E-mail addresses').fill(`${WRITER.email}, other@example.com`);
    await drawer.getByLabel('Role').selectOption({ label: 'Writer' });
    await admin.screenshot('invitation');
    t.strictSame(await admin.axe(), [], 'the invitation is accessible');
    await drawer.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText('Invitations sent').waitFor();
    await page.getByRole('row').filter({ hasText: WRITER.email }).getByText('invited').waitFor();
    await page.getByRole('row').filter({ hasText: 'other@example.com' }).waitFor();
    await until(() => mailServer.mails.length === 2, 'both mails have come');
    const mail = mailServer.mails.find(({ to }) => to.includes(WRITER.email))?.mail;
    const [, link = ''] = /content\.example\.com\/admin(\/\S+)/.exec(mail?.text ?? '') ?? [];
    guest.expectStatus(401, '/');
    await guest.open(link);
    await guest.page.locator('input[name=password]').fill(WRITER.password);
    await guest.page.getByRole('button', { name: 'Accept' }).click();
    await guest.page.getByText('Welcome!').waitFor();
  });

  await t.test('the writer sees exactly that', async (t) => {
    const own = guest.page;
    await guest.signIn(WRITER);
    t.equal(await own.getByRole('link', { name: 'Access', exact: true }).count(), 0);
    await guest.open('/content/article');
    await own.getByRole('row').filter({ hasText: 'Known' }).first().waitFor();
    t.equal(await own.getByText('Unknown').count(), 0, 'a draft of somebody else is not there');
    t.equal(await own.getByText('hush').count(), 0, 'nor is the field');
    t.equal(await own.getByRole('link', { name: 'Genre' }).count(), 0, 'nor the collection');
    guest.expectStatus(400, '/items/article');
    await guest.open('/content/article/+');
    await own.getByLabel('Title').fill('of mine');
    t.equal(await own.getByLabel('Secret').count(), 0);
    await own.getByRole('button', { name: 'Save', exact: true }).click();
    await own
      .locator('[data-field=title]')
      .getByText('does not have the required format')
      .waitFor();
    await guest.screenshot('validated');
    await own.getByLabel('Title').fill('Of mine');
    await own.getByRole('button', { name: 'Save', exact: true }).click();
    await own.getByText('Saved').waitFor();
    const { rows } = await db.query(
      "SELECT a.status, email FROM article a JOIN system_users u ON u.id = a.author WHERE a.title = 'Of mine'",
    );
    t.strictSame(rows, [{ status: 'draft', email: WRITER.email }], 'presets are there');
    const send = (method: string, path: string, body?: unknown) =>
      own.evaluate(
        `fetch(${JSON.stringify(path)}, ${JSON.stringify({
          method,
          headers: { 'content-type': 'application/json' },
          body: body && JSON.stringify(body),
        })}).then(({ status }) => status)`,
      );
    guest.expectStatus(403, '/items/article/1');
    guest.expectStatus(403, '/items/article?fields=secret');
    guest.expectStatus(403, '/policies');
    t.equal(await send('PATCH', '/items/article/1', { title: 'Stolen' }), 403);
    t.equal(await send('GET', '/items/article?fields=secret'), 403);
    t.equal(await send('GET', '/policies'), 403);
  });

  await t.test('a user, and what he may do', async (t) => {
    await page.getByRole('link', { name: WRITER.email, exact: true }).click();
    await page.getByLabel('First name').fill('Wanda');
    await page.getByLabel('Language').selectOption('en');
    await save.click();
    await page.getByText('User saved').waitFor();
    await page.getByLabel('Last name').fill('Mine');
    const change = await app.cluster.fetch(
      `/users/${new URL(page.url()).pathname.split('/').at(-1)}`,
      { method: 'PATCH', body: JSON.stringify({ last_name: 'Theirs' }) },
    );
    t.equal(change.status, 200);
    admin.expectStatus(412, '/users/');
    await save.click();
    const conflict = page.getByRole('dialog', { name: 'Another user has changed this item' });
    await conflict.getByText('Theirs').last().waitFor();
    t.strictSame(await admin.axe(), [], 'two at one user');
    await conflict
      .getByRole('radiogroup', { name: 'Last name' })
      .getByLabel(/^Theirs/)
      .check();
    await conflict.getByRole('button', { name: 'Save selection' }).click();
    await conflict.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Wanda Theirs', level: 1 }).waitFor();
    await page.getByLabel('Last name').fill('');
    await save.click();
    await page.getByRole('heading', { name: 'Wanda', exact: true, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Generate token' }).click();
    const token = await drawer.locator('output').innerText();
    await admin.screenshot('token');
    t.strictSame(await admin.axe(), [], 'the token is accessible');
    await drawer.getByRole('button', { name: 'Done' }).click();
    const asWriter = () =>
      fetch(`${app.cluster.url}/users/me`, { headers: { authorization: `Bearer ${token}` } });
    t.equal((await asWriter()).status, 200);
    await page.getByRole('button', { name: 'Revoke token' }).click();
    await drawer.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Token revoked').waitFor();
    t.equal((await asWriter()).status, 401);
    await admin.screenshot('user');
    t.strictSame(await admin.axe(), [], 'a user is accessible');

    await page.getByRole('link', { name: 'Rights' }).click();
    await page.getByRole('heading', { name: 'Rights of Wanda', level: 1 }).waitFor();
    await page.getByText('from the role Writer').waitFor();
    await cell('Article: delete: none').waitFor();
    await cell('Genre: read: none').waitFor();
    await cell('Article: create: custom').waitFor();
    await admin.screenshot('rights');
    t.strictSame(await admin.axe(), [], 'the rights are accessible');
    await cell('Article: read: custom').click();
    await drawer.getByText('the current user').waitFor();
    await drawer.getByText('“published”').waitFor();
    await drawer.getByText('From the policy Writers').waitFor();
    t.equal(await drawer.getByText('Secret').count(), 0);
    await admin.screenshot('rights-in-words');
    t.strictSame(await admin.axe(), [], 'the words are accessible');
    await drawer.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('System collections').check();
    await cell('Users: read: custom').click();
    await drawer.getByText('Permissions of every App user').waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();

    // What the screen says is what the service says to the user himself.
    const told = await guest.page.evaluate(
      "fetch('/permissions/me').then((answer) => answer.json()).then(({ data }) => data)",
    );
    t.match(told, { article: { read: { access: 'partial' }, delete: { access: 'none' } } });
  });

  await t.test('a right that is withdrawn is noticed', async () => {
    const own = guest.page;
    await guest.open('/content/article');
    await own.getByRole('link', { name: 'New item' }).first().waitFor();
    await page.getByRole('link', { name: 'Writers' }).click();
    await cell('Article: create: custom').click();
    await page.getByRole('menuitem', { name: 'No access' }).click();
    await save.click();
    await page.getByText('Policy saved').waitFor();
    // Coming back to the page asks again; nothing has to be loaded anew.
    await own.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
    await own.getByRole('link', { name: 'New item' }).waitFor({ state: 'detached' });
    await guest.screenshot('withdrawn');

    // All of it.
    await cell('Article: read: custom').click();
    await page.getByRole('menuitem', { name: 'No access' }).click();
    guest.expectStatus(403, '/items/article');
    guest.expectStatus(403, '/fields/article');
    await save.click();
    // The subscription of the list ends, and nobody has to come back.
    await own.getByText('Of mine').first().waitFor({ state: 'detached' });
    await guest.screenshot('all-withdrawn');
  });

  await t.test("one's own address asks for the password", async (t) => {
    const own = 'new-admin@example.com';
    const users = await db.query<{ id: string; email: string }>(
      'SELECT id, email FROM system_users',
    );
    const self = users.rows.find(({ email }) => email === ADMIN.email)?.id;
    await admin.open(`/access/users/${self}`);
    const password = page.getByLabel('Current password');
    await page.getByLabel('E-mail').fill(ADMIN.email.toUpperCase());
    t.equal(await password.count(), 0, 'the same address');
    await page.getByLabel('E-mail').fill(own);
    await password.fill('not the password');
    admin.expectStatus(400, '/users/');
    await save.click();
    await page.getByText('Nothing was saved. Enter your current password.').waitFor();
    t.strictSame(await admin.axe(), [], 'the refusal is accessible');
    await password.fill(ADMIN.password);
    await save.click();
    await page.getByText('User saved').waitFor();
    await password.waitFor({ state: 'detached' });
    const { rows } = await db.query('SELECT FROM system_users WHERE email = $1', [own]);
    t.equal(rows.length, 1);
  });

  await page.setViewportSize(PHONE);
  for (const [screen, entry] of [
    ['users', /^Wanda/],
    ['roles', /^Columnist/],
    ['policies', /^Writers/],
  ] as const) {
    await admin.open(`/access/${screen}`);
    await page.getByRole('link', { name: entry }).waitFor();
    await admin.screenshot(`${screen}-phone`);
  }
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await admin.open('/access/users');
  const search = page.getByRole('searchbox', { name: 'Search users' });
  await search.pressSequentially('wanda');
  t.equal(await search.inputValue(), 'wanda', 'no key is lost');
  await page.getByRole('link', { name: 'Rights of Wanda' }).click();
  await cell('Article: read: none').waitFor();
  await admin.screenshot('rights-phone-dark');
  t.strictSame(await admin.axe(), [], 'dark, on a phone, too');

  // A user is deleted, after a question.
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('User deleted').waitFor();
  const { rows } = await db.query('SELECT FROM system_users WHERE email = $1', [WRITER.email]);
  t.equal(rows.length, 0);
  t.strictSame(admin.faults, [], 'nothing else went wrong');
  t.strictSame(guest.faults, [], 'nor for the writer');
});
