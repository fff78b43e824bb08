/** What a user may do, as the Admin App shows it, and as the service tells the user himself. */
import t, { type Test } from 'tap';
import { type AppPage, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { ADMIN_TOKEN, type Cluster } from '#tests/harness/cluster.ts';
import { sendAs } from '#tests/harness/member.ts';
import { makeMagazine } from './fixture/magazine.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const PASSWORD = 'a password of tests';
const ACTIONS = ['create', 'read', 'update', 'delete'] as const;

/** Roles below each other, policies with addresses, of users and of everybody. */
async function makeAccess(cluster: Cluster) {
  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await sendAs(cluster, ADMIN_TOKEN, 'POST', path, body);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.data.id;
  };
  const all = { permissions: null, validation: null, presets: null, fields: ['*'] };
  const allow = (collection: string, action: string, rest: object = {}) => ({
    ...all,
    ...{ collection, action, ...rest },
  });
  const reading = await make('/policies', {
    name: 'Reading',
    app_access: true,
    permissions: [allow('genre', 'read'), allow('article', 'read', { fields: ['id', 'title'] })],
  });
  const writing = await make('/policies', {
    name: 'Writing',
    permissions: [
      allow('article', 'create', { validation: { title: { _nnull: true } } }),
      allow('article', 'read', { permissions: { author: { _eq: '$CURRENT_USER' } } }),
    ],
  });
  const office = await make('/policies', {
    name: 'In the office',
    ip_access: ['10.0.0.0/8'],
    permissions: [allow('article', 'delete')],
  });
  const auditing = await make('/policies', {
    name: 'Auditing',
    app_access: true,
    permissions: ['users', 'roles', 'policies', 'access', 'permissions'].map((name) =>
      allow(`system_${name}`, 'read'),
    ),
  });
  const above = await make('/roles', { name: 'Reader', policies: [{ policy: reading }] });
  const role = await make('/roles', {
    name: 'Writer',
    parent: above,
    policies: [{ policy: writing }],
  });
  const audits = await make('/roles', { name: 'Auditor', policies: [{ policy: auditing }] });
  const { rows } = await cluster.db.query<{ id: string }>(
    "SELECT id FROM system_policies WHERE name = 'Public'",
  );
  await make('/permissions', { policy: rows[0]?.id, ...allow('genre', 'read') });
  const person = (name: string, rest: object) => {
    const own = { first_name: name, email: `${name.toLowerCase()}@example.com` };
    return make('/users', { ...own, password: PASSWORD, token: `token-of-${name}`, ...rest });
  };
  return {
    writer: await person('Wanda', { role, policies: [{ policy: office }] }),
    guest: await person('Guest', { role: null }),
    auditor: await person('Audrey', { role: audits }),
  };
}

/** The matrix of the page: the levels of the actions by collection. */
async function matrixOf({ page }: Pick<AppPage, 'page'>) {
  const rows: [string, ...string[]][] = await page.evaluate(
    `[...document.querySelectorAll('tbody tr')].map((row) => [
      row.querySelector('code').textContent,
      ...[...row.querySelectorAll('.word')].map((word) => word.textContent),
    ])`,
  );
  return new Map(rows.map(([collection, ...levels]) => [collection, levels]));
}

t.test('what a user may do is what the service says', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeMagazine, workers: 1 });
  const { cluster } = app;
  const { writer, guest, auditor } = await makeAccess(cluster);
  const tab = await app.newPage();
  const { page } = tab;

  await tab.signIn();

  const agrees = async (t: Test, name: string, { page }: AppPage = tab) => {
    const { body } = await sendAs(cluster, `token-of-${name}`, 'GET', '/permissions/me');
    for (const system of [false, true]) {
      await page.getByLabel('System collections').setChecked(system);
      const shown = await matrixOf({ page });
      t.ok(shown.size > 1);
      for (const [collection, levels] of shown) {
        for (const [place, action] of ACTIONS.entries()) {
          const told = body.data[collection]?.[action] ?? { access: 'none' };
          const what = `${name}: ${action} ${collection}`;
          t.equal(levels[place] === 'none', told.access === 'none', what);
          if (levels[place] !== 'full') continue;
          t.equal(told.access, 'full', what);
          t.ok(action === 'delete' || told.fields.includes('*'), `${what}, all fields`);
        }
      }
    }
    await page.getByLabel('System collections').setChecked(false);
  };

  await t.test('through roles, their ancestors and policies of his own', async (t) => {
    await tab.open(`/access/users/${writer}/rights`);
    await page.getByText('from the role Reader').waitFor();
    await page.getByText('from the role Writer').waitFor();
    await page.getByText('assigned to the user · only from 10.0.0.0/8').waitFor();
    await page.getByRole('button', { name: 'Article: delete: full' }).waitFor();
    await tab.screenshot('everywhere');
    t.strictSame(await tab.axe(), [], 'it is accessible');
    // This machine is not in the office.
    await page.getByLabel('As from an address where all policies apply').uncheck();
    await page.getByRole('button', { name: 'Article: delete: none' }).waitFor();
    await agrees(t, 'Wanda');
    await page.getByRole('button', { name: 'Article: read: custom' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Several rules apply.').waitFor();
    await drawer.getByText('From the policy Reading').waitFor();
    await drawer.getByText('From the policy Writing').waitFor();
    await tab.screenshot('several-rules');
    await page.keyboard.press('Escape');
  });

  await t.test('without a role', async (t) => {
    await tab.open(`/access/users/${guest}/rights`);
    await page.getByText('public, because the user has no role').waitFor();
    await page.getByRole('button', { name: 'Genre: read: full' }).waitFor();
    await agrees(t, 'Guest');
  });

  await t.test('asked by an administrator without app access', async (t) => {
    const made = (path: string, body: object) => sendAs(cluster, ADMIN_TOKEN, 'POST', path, body);
    const policy = await made('/policies', { name: 'All but the App', admin_access: true });
    const email = 'ada@example.com';
    const policies = [{ policy: policy.body.data.id }];
    const ada = await made('/users', { email, password: PASSWORD, policies });
    const other = await app.newPage();
    await other.signIn({ email, password: PASSWORD });
    await other.open(`/access/users/${writer}/rights`);
    await other.page.getByLabel('As from an address where all policies apply').uncheck();
    await other.page.getByRole('button', { name: 'Article: delete: none' }).waitFor();
    await agrees(t, 'Wanda', other);
    await other.page.getByLabel('System collections').check();
    await other.page.getByRole('button', { name: 'Users: read: custom' }).click();
    await other.page.getByRole('dialog').getByText('Permissions of every App user').waitFor();
    t.strictSame(other.faults, []);
    await other.page.close();
    await sendAs(cluster, ADMIN_TOKEN, 'DELETE', `/users/${ada.body.data.id}`);
  });

  await t.test('as an administrator', async (t) => {
    const { rows } = await cluster.db.query<{ id: string }>(
      "SELECT id FROM system_users WHERE email = 'admin@example.com'",
    );
    await tab.open(`/access/users/${rows[0]?.id}/rights`);
    await page.getByText('An administrator has all permissions.').waitFor();
    await page.getByRole('button', { name: 'Article: delete: full' }).waitFor();
    t.strictSame(
      [...(await matrixOf(tab)).values()].flat().filter((level) => level !== 'full'),
      [],
    );
  });

  await t.test('a user is suspended, and loses the second factor', async (t) => {
    await cluster.db.query("UPDATE system_users SET tfa_secret = 'secret' WHERE id = $1", [guest]);
    await tab.open(`/access/users/${guest}`);
    await page.getByRole('button', { name: 'Reset second factor' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText('Second factor reset').waitFor();
    const { rows } = await cluster.db.query('SELECT tfa_secret FROM system_users WHERE id = $1', [
      guest,
    ]);
    t.strictSame(rows, [{ tfa_secret: null }]);
    await page.getByLabel('E-mail address').fill('nobody');
    tab.expectStatus(400, `/users/${guest}`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByText(/valid|e-mail/i)
      .and(page.locator('.Mui-error'))
      .first()
      .waitFor();
    await page.getByLabel('E-mail address').fill('guest@example.com');
    await page.getByLabel('Status').selectOption('suspended');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('User saved').waitFor();
    t.equal((await sendAs(cluster, 'token-of-Guest', 'GET', '/users/me')).status, 401);
    await tab.open(`/access/users/${guest}/rights`);
    await page.getByText('This user is not active').waitFor();
  });

  await t.test('the last administrator stays one', async () => {
    await tab.open('/access/users?search=admin');
    await page.getByRole('link', { name: 'Admin User', exact: true }).click();
    tab.expectStatus(422, '/users/');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await tab.screenshot('last-administrator');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  await t.test('in German, from right to left, on a phone', async (t) => {
    const look = { language: 'de-DE', text_direction: 'rtl' };
    const { rows } = await cluster.db.query<{ id: string }>(
      "SELECT id FROM system_users WHERE email = 'admin@example.com'",
    );
    await sendAs(cluster, ADMIN_TOKEN, 'PATCH', `/users/${rows[0]?.id}`, look);
    await tab.open(`/access/users/${writer}/rights`);
    await page.getByRole('heading', { name: 'Rechte von Wanda', level: 1 }).waitFor();
    await page.getByText('aus der Rolle Reader').waitFor();
    await tab.screenshot('german-rtl');
    t.strictSame(await tab.axe(), [], 'it is accessible');
    await page.setViewportSize(PHONE);
    await tab.screenshot('german-rtl-phone');
    for (const [path, text] of [
      ['/access/users', 'Personen'],
      ['/access/roles', 'Rollen'],
      ['/access/policies', 'Richtlinien'],
    ] as const) {
      await tab.open(path);
      await page.getByRole('heading', { name: text, level: 1 }).waitFor();
      t.equal(await page.evaluate('document.body.scrollWidth <= innerWidth'), true, `${text} fit`);
      await tab.screenshot(`german-rtl-${text}`);
    }
  });

  await t.test('who may only look changes nothing', async (t) => {
    const own = await app.newPage();
    // Conditions on what he may not read are told by the names of the columns.
    own.expectStatus(403, '/fields/article');
    await own.signIn({ email: 'audrey@example.com', password: PASSWORD });
    await own.page.getByRole('link', { name: 'Access', exact: true }).click();
    await own.page.getByRole('link', { name: 'Wanda', exact: true }).click();
    await own.page.getByRole('heading', { name: 'Wanda', level: 1 }).waitFor();
    for (const name of ['Save', 'Delete', 'Generate token', 'Replace token', 'Revoke token']) {
      t.equal(await own.page.getByRole('button', { name, exact: true }).count(), 0, name);
    }
    await own.page.getByRole('link', { name: 'Policies', exact: true }).click();
    t.equal(await own.page.getByRole('link', { name: 'New policy' }).count(), 0);
    await own.page.getByRole('link', { name: /^Writing/ }).click();
    await own.page.getByRole('button', { name: 'Article: read: custom' }).click();
    await own.page.getByRole('dialog').getByText('the current user').waitFor();
    await own.screenshot('only-looking');
    t.strictSame(await own.axe(), [], 'it is accessible');
    await own.page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await own.open(`/access/users/${auditor}/rights`);
    await own.page.getByLabel('System collections').check();
    await own.page.getByRole('button', { name: 'Policies: read: full' }).waitFor();
    t.strictSame(own.faults, []);
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
