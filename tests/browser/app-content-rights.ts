/** Content for somebody who may do little: what he may not do is not offered, and is refused all the same. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const READER = { email: 'reader@example.com', password: 'somebody who reads' };

async function makeNotes({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE note (id serial PRIMARY KEY, title varchar(200), body text);
    CREATE TABLE about (id serial PRIMARY KEY, motto varchar(200));
    CREATE TABLE log (id serial PRIMARY KEY, line varchar(200));
    INSERT INTO log (line) VALUES ('Only to read');
    CREATE TABLE secret (id serial PRIMARY KEY, name text);
    INSERT INTO note (title, body) VALUES ('First', 'One'), ('Second', 'Two');
    INSERT INTO about (motto) VALUES ('As it was');
    INSERT INTO system_collections (collection, singleton, icon) VALUES ('about', true, 'info');
  `);
  await until(async () => (await fetch('/items/secret?limit=1')).ok, 'the tables are served');
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const [policy, role] = [randomUUID(), randomUUID()];
  const may = (collection: string, action: string, fields: readonly string[]) => ({
    ...{ policy, collection, action, fields, permissions: {} },
  });
  await post('/policies', { id: policy, name: 'Reading', app_access: true });
  await post('/permissions', [
    may('note', 'read', ['*']),
    may('note', 'update', ['title']),
    may('log', 'read', ['*']),
    may('about', 'read', ['*']),
    may('about', 'update', ['*']),
  ]);
  await post('/roles', { id: role, name: 'Readers' });
  await post('/access', { role, policy });
  await post('/users', { ...READER, role, status: 'active' });
}

t.test('somebody who may do little', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeNotes });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await tab.signIn(READER);
  const menu = page.getByRole('navigation').first();

  await t.test('sees in the menu what he may read', async (t) => {
    await menu.getByRole('link', { name: 'Note', exact: true }).waitFor();
    await menu.getByRole('link', { name: 'About', exact: true }).waitFor();
    t.equal(await menu.getByRole('link', { name: 'Secret', exact: true }).count(), 0);
    tab.expectStatus(403, 'secret');
    await tab.open('/content/secret');
    await tab.screenshot('not-for-him');
    t.strictSame(await tab.axe(), [], 'what is not for him is told accessibly');
  });

  await t.test('is offered in a list what he may do', async (t) => {
    await tab.open('/content/note');
    await page.getByRole('link', { name: 'First', exact: true }).waitFor();
    t.equal(await page.getByRole('link', { name: 'New item' }).count(), 0);
    // A file changes items as he may, and makes none.
    await page.getByRole('main').getByRole('link', { name: 'Import' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select item 1', exact: true }).check();
    const bar = page.getByRole('region', { name: 'Selected items' });
    await bar.getByRole('button', { name: 'Edit' }).waitFor();
    t.equal(await bar.getByRole('button', { name: 'Delete' }).count(), 0);
    await bar.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add a field' }).click();
    const fields = page.getByRole('menuitem');
    await fields.first().waitFor();
    t.strictSame((await fields.allTextContents()).at(-1), 'Title');
    t.notOk((await fields.allTextContents()).includes('Body'));
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await tab.open('/content/log');
    await page.getByRole('link', { name: 'Only to read', exact: true }).waitFor();
    t.equal(await page.getByRole('main').getByRole('link', { name: 'Import' }).count(), 0);
  });

  await t.test('changes in a form what he may change', async (t) => {
    await tab.open('/content/note/1');
    await page.getByRole('textbox', { name: 'Title' }).fill('First, renamed');
    t.equal(await page.getByLabel('Body').isEditable(), false);
    t.equal(await button('Delete').count(), 0);
    await tab.screenshot('form');
    t.strictSame(await tab.axe(), [], 'the form is accessible');
    await button('More save options').click();
    t.strictSame(await page.getByRole('menuitem').allTextContents(), ['Save and return to list']);
    await page.getByRole('menuitem').click();
    await page.getByRole('link', { name: 'First, renamed', exact: true }).waitFor();

    await tab.open('/content/note/%2B');
    await page.getByText('You cannot create items here').waitFor();
    await tab.screenshot('new-item');
    t.strictSame(await tab.axe(), [], 'that is told accessibly');
    t.equal(await button('Save').count(), 0, 'a new item is not offered');
    const refused = await page.evaluate(`fetch('/items/note', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"x"}',
    }).then(({ status }) => status)`);
    t.equal(refused, 403, 'and refused by the server');
  });

  await t.test('opens the only item of a collection at once', async (t) => {
    await menu.getByRole('link', { name: 'About', exact: true }).click();
    await page.getByRole('heading', { name: 'About', level: 1 }).waitFor();
    await page.getByLabel('Motto').fill('As it is');
    await tab.screenshot('singleton');
    t.strictSame(await tab.axe(), [], 'the singleton is accessible');
    await button('Save').click();
    await until(async () => {
      const { rows } = await db.query('SELECT motto FROM about');
      return rows[0].motto === 'As it is';
    }, 'it is saved');
  });
  tab.expectStatus(403, '/items/note');
  t.strictSame(
    tab.faults.filter((fault) => !/^403: \S+\/items\/note$/.test(fault)),
    [],
    'nothing else went wrong',
  );
});
