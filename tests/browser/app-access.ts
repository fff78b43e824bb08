/** Access in the Admin App: policies with their permissions as a matrix. */
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { until } from '#tests/harness/until.ts';
import { makeMagazine } from './fixture/magazine.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

t.test('an administrator makes a policy', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeMagazine, workers: 1 });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await page.getByRole('link', { name: 'Access', exact: true }).click();
  await page.getByRole('link', { name: 'Policies' }).click();
  await page.getByRole('list', { name: 'Policies' }).getByText('Public').waitFor();
  await tab.screenshot('policies');
  t.strictSame(await tab.axe(), [], 'the list of policies is accessible');

  await page.getByRole('link', { name: 'New policy' }).click();
  await page.getByLabel('Name').fill('Writers');
  await page.getByLabel('Description').fill('Who writes for the magazine');
  await page.getByRole('button', { name: 'Genre: read: none' }).click();
  await page.getByRole('menuitem', { name: 'Full access' }).click();
  await page.getByRole('button', { name: 'Genre: read: full (unsaved)' }).waitFor();

  const drawer = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Article: read: none' }).click();
  await page.getByRole('menuitem', { name: 'Custom…' }).click();
  await drawer.getByLabel('Items that match conditions').check();
  // A rule that is not complete cannot be confirmed: it would allow all items.
  await drawer.getByText('Add a condition, or choose “All items”.').waitFor();
  await drawer.getByRole('button', { name: 'Done' }).click();
  await drawer.getByText('A condition is not complete.').waitFor();
  await drawer.getByRole('button', { name: 'Add condition' }).click();
  await drawer.getByLabel('Field', { exact: true }).selectOption('status');
  await drawer.getByLabel('Comparison').selectOption('_eq');
  await drawer.getByRole('button', { name: 'Done' }).click();
  await drawer.getByText('Enter a value, or remove this condition.').waitFor();
  await tab.screenshot('rule-without-a-value');
  t.strictSame(await tab.axe(), [], 'a marked condition is accessible');
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Article: read: none', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Custom…' }).click();
  await drawer.getByLabel('Items that match conditions').check();
  await drawer.getByRole('button', { name: 'Add condition' }).click();
  await drawer.getByLabel('Field', { exact: true }).selectOption('status');
  await drawer.getByLabel('Comparison').selectOption('_eq');
  await drawer.getByLabel('Value', { exact: true }).fill('published');
  t.equal(await drawer.getByText('is not complete').count(), 0, 'the error goes with its reason');
  await drawer.getByLabel('Selected fields').check();
  await drawer.getByLabel('Secret').uncheck();
  await tab.screenshot('rule-of-reading');
  t.strictSame(await tab.axe(), [], 'the drawer is accessible');
  await drawer.getByRole('button', { name: 'Done' }).click();
  await drawer.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Article: create: none' }).click();
  await page.getByRole('menuitem', { name: 'Custom…' }).click();
  await tab.addFrom('Add a preset', 'Status');
  await drawer.getByLabel('Status', { exact: true }).last().fill('draft');
  await tab.addFrom('Add a preset', 'Author');
  await drawer.getByLabel('Value of Author').selectOption('$CURRENT_USER');
  const validation = drawer.getByRole('region', { name: 'Validation' });
  await validation.getByRole('button', { name: 'Add condition' }).click();
  await validation.getByLabel('Field', { exact: true }).selectOption('title');
  await validation.getByLabel('Comparison').selectOption('_nempty');
  await tab.screenshot('rule-of-creating');
  t.strictSame(await tab.axe(), [], 'presets and validation are accessible');
  await drawer.getByRole('button', { name: 'Done' }).click();
  await drawer.waitFor({ state: 'detached' });

  // What is not saved is asked about.
  await page.getByRole('link', { name: 'Policies' }).click();
  await page.getByRole('button', { name: 'Stay here' }).click();
  await tab.screenshot('policy');
  t.strictSame(await tab.axe(), [], 'the policy is accessible');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Policy saved').waitFor();
  await page.getByRole('heading', { name: 'Writers', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Article: create: custom', exact: true }).waitFor();
  const stored = async () =>
    (
      await db.query(
        `SELECT collection, action, permissions, validation, presets, fields
        FROM system_permissions JOIN system_policies p ON p.id = policy WHERE p.name = 'Writers'
        ORDER BY collection, action`,
      )
    ).rows;
  const full = { permissions: null, validation: null, presets: null, fields: '*' };
  const creating = {
    collection: 'article',
    action: 'create',
    permissions: null,
    validation: { title: { _nempty: true } },
    presets: { status: 'draft', author: '$CURRENT_USER' },
    fields: '*',
  };
  const reading = {
    collection: 'article',
    action: 'read',
    permissions: { status: { _eq: 'published' } },
    validation: null,
    presets: null,
    fields: 'id,title,status,author',
  };
  t.strictSame(await stored(), [
    creating,
    reading,
    { collection: 'genre', action: 'read', ...full },
  ]);

  await t.test('by keyboard alone', async (t) => {
    const { keyboard } = page;
    await tab.tabTo('Search collections');
    await tab.tabTo('System collections');
    await keyboard.press('Tab');
    const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
    t.equal(await focused(), 'Article: create: custom');
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowRight');
    t.equal(await focused(), 'Genre: read: full');
    await keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await keyboard.press('Home');
    await keyboard.press('Enter');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    t.equal(await focused(), 'Genre: read: none (unsaved)');
    await keyboard.press('ArrowUp');
    t.equal(await focused(), 'Article: read: custom');
    await keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await keyboard.press('End');
    await keyboard.press('Enter');
    await drawer
      .getByText('Which items')
      .or(drawer.getByText('Items that match'))
      .first()
      .waitFor();
    await tab.tabTo('Add another rule');
    await keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    t.equal(await focused(), 'Article: read: custom', 'the focus comes back');
    await keyboard.press('ArrowDown');
    await keyboard.press('End');
    t.equal(await focused(), 'Genre: all actions');
    await keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Full access' }).focus();
    await keyboard.press('Enter');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Genre: delete: full (unsaved)' }).waitFor();
    await keyboard.press('Control+s');
    await page.getByRole('button', { name: 'Genre: delete: full', exact: true }).waitFor();
    t.strictSame(
      (await stored()).slice(2).map((row) => `${row.collection} ${row.action}`),
      ['create', 'delete', 'read', 'update'].map((action) => `genre ${action}`),
    );
  });

  await t.test('two people change it', async (t) => {
    tab.expectStatus(412, '/policies/');
    const theirs = async (part: object) => {
      const { rows } = await db.query("SELECT id FROM system_policies WHERE name = 'Writers'");
      const body = JSON.stringify(part);
      const path = `/policies/${rows[0]?.id}`;
      t.equal((await app.cluster.fetch(path, { method: 'PATCH', body })).status, 200);
    };
    const dialog = page.getByRole('dialog', { name: 'Another user has changed this item' });
    await page.getByLabel('Description').fill('Mine');
    await page.getByRole('button', { name: 'Genre: delete: full' }).click();
    await page.getByRole('menuitem', { name: 'No access' }).click();
    await page.getByRole('button', { name: 'Genre: delete: none (unsaved)' }).waitFor();
    const { rows } = await db.query(
      `SELECT r.id FROM system_permissions r JOIN system_policies p ON p.id = policy
        WHERE p.name = 'Writers' AND collection = 'genre' AND action = 'delete'`,
    );
    await theirs({
      description: 'Theirs',
      enforce_tfa: true,
      permissions: {
        create: [],
        update: [{ id: rows[0]?.id, permissions: { id: { _gt: 3 } } }],
        delete: [],
      },
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor();
    await dialog.getByRole('radiogroup', { name: 'Description' }).getByText('Theirs').waitFor();
    await dialog.getByText('Require a second factor: no becomes yes').waitFor();
    await tab.screenshot('policy-conflict');
    t.strictSame(await tab.axe(), [], 'the conflict is accessible');
    await dialog
      .getByRole('radiogroup', { name: 'Description' })
      .getByLabel(/^Theirs/)
      .check();
    await dialog.getByRole('button', { name: 'Save selection' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Genre: delete: none', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
    t.equal(await page.getByLabel('Description').inputValue(), 'Theirs');
    const { rows: after } = await db.query(
      "SELECT description, enforce_tfa FROM system_policies WHERE name = 'Writers'",
    );
    t.strictSame(after, [{ description: 'Theirs', enforce_tfa: true }], 'nothing is lost');
    t.notOk((await stored()).some((row) => row.collection === 'genre' && row.action === 'delete'));
  });

  await page.getByLabel('Allowed IP addresses').fill('10.0.0');
  tab.expectStatus(400, '/policies/');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('"10.0.0" is none of them').waitFor();
  await page.getByLabel('Allowed IP addresses').fill('');
  await page.getByText('"10.0.0" is none of them').waitFor({ state: 'detached' });

  await page.getByLabel('System collections').check();
  await page.getByRole('button', { name: 'Users: read: none' }).waitFor();
  await page.getByLabel('System collections').uncheck();
  await page.setViewportSize(PHONE);
  await page.getByRole('grid').scrollIntoViewIfNeeded();
  await tab.screenshot('policy-phone');
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await until(
    () =>
      page.evaluate(
        "getComputedStyle(document.querySelector('h1')).color === 'rgb(233, 236, 241)'",
      ),
    'it is dark',
  );
  t.strictSame(await tab.axe(), [], 'dark, on a phone, too');
  await tab.screenshot('policy-phone-dark');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Policy deleted').waitFor();
  t.strictSame(await stored(), []);
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('the matrix of 500 collections is usable', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    workers: 1,
    async prepare({ db, fetch }) {
      await db.query(
        "DO $$ BEGIN FOR i IN 1..500 LOOP EXECUTE 'CREATE TABLE shelf_' || lpad(i::text, 3, '0') || ' (id integer PRIMARY KEY)'; END LOOP; END $$",
      );
      await until(async () => (await fetch('/items/shelf_500?limit=1')).ok, 'they are served');
    },
  });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/access/policies/+');
  await page.getByText('500 of 500 collections').waitFor();
  await page.getByLabel('Name').fill('Librarians');
  await page.getByLabel('Search collections').fill('499');
  await page.getByText('1 of 500 collections').waitFor();
  await page.getByRole('button', { name: 'Shelf 499: all actions' }).click();
  await page.getByRole('menuitem', { name: 'Full access' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Policy saved').waitFor();
  const { rows } = await app.cluster.db.query('SELECT DISTINCT collection FROM system_permissions');
  t.strictSame(rows, [{ collection: 'shelf_499' }]);
  await tab.screenshot('many-collections');
  t.strictSame(tab.faults, []);
});
