/**
 * Forms of the Admin App over time: a session that ends, changes that are not saved, other tabs and
 * other people.
 */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ADMIN, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const OTHER = { email: 'other@example.com', password: 'somebody else entirely' };

async function makeNotes({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE note (id serial PRIMARY KEY, title varchar(200), body text);
    INSERT INTO note (title, body) VALUES ('First', 'One'), ('Second', 'Two'), ('Third', 'Three');
  `);
  await until(async () => (await fetch('/items/note?limit=1')).ok, 'the table is served');
  const policy = randomUUID();
  const role = randomUUID();
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const everything = ['create', 'read', 'update', 'delete'].map((action) => ({
    ...{ collection: 'note', action, fields: ['*'], permissions: {} },
  }));
  await post('/policies', { id: policy, name: 'Notes', app_access: true });
  await post(
    '/permissions',
    everything.map((permission) => ({ ...permission, policy })),
  );
  await post('/roles', { id: role, name: 'Writers' });
  await post('/access', { role, policy });
  await post('/users', { ...OTHER, role, status: 'active' });
}

const storedNote = async ({ db }: Cluster, id: number) => {
  const { rows } = await db.query('SELECT title, body FROM note WHERE id = $1', [id]);
  return rows[0];
};

t.test('what was typed outlives the session', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    prepare: makeNotes,
    // Otherwise the end of the socket opens the dialog before anything is saved.
    env: { WEBSOCKETS_ENABLED: 'false' },
  });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const stored = (id: number) => storedNote(app.cluster, id);
  await tab.signIn();
  for (const status of [400, 401, 403]) tab.expectStatus(status, '');
  await tab.open('/content/note/1');
  await page.getByRole('textbox', { name: 'Title' }).fill('Typed before');
  await page.getByLabel('Body').fill('All of this');
  await db.query('DELETE FROM system_sessions');
  const status = () => page.evaluate("fetch('/users/me').then(({ status }) => status)");
  await until(async () => (await status()) === 401, 'the server knows that it has ended');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await tab.screenshot('session-ended');
  t.strictSame(await tab.axe(), [], 'the dialog is accessible');
  t.equal((await stored(1)).title, 'First', 'nothing is saved yet');
  t.equal(await dialog.getByLabel('E-mail address').inputValue(), ADMIN.email);
  await dialog.locator('input[name=password]').fill('not the password');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').waitFor();
  t.equal(await page.locator('[data-field=title] input').inputValue(), 'Typed before');
  await dialog.locator('input[name=password]').fill(ADMIN.password);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await until(async () => (await stored(1)).title === 'Typed before', 'the save goes on');
  t.strictSame(await stored(1), { title: 'Typed before', body: 'All of this' });
  await page.getByText('Saved').waitFor();
  await page.getByLabel('Body').fill('And more');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until(async () => (await stored(1)).body === 'And more', 'one goes on as before');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('forms over time', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    prepare: makeNotes,
    env: { WEBSOCKETS_ENABLED: 'true' },
  });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const stored = (id: number) => storedNote(app.cluster, id);
  await tab.signIn();

  await t.test('a form hears by itself that the session has ended', async (t) => {
    for (const status of [400, 401, 403]) tab.expectStatus(status, '');
    await tab.open('/content/note/1');
    await page.getByRole('textbox', { name: 'Title' }).fill('Still here');
    await db.query('DELETE FROM system_sessions');
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.locator('input[name=password]').fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    t.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Still here');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await stored(1)).title === 'Still here', 'it is saved');
  });

  await t.test('leaving with unsaved changes asks', async (t) => {
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await tab.open('/content/note');
    await page.getByRole('link', { name: 'Second', exact: true }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Not saved');
    await page.getByRole('link', { name: 'Back' }).click();
    await dialog.waitFor();
    await tab.screenshot('unsaved-changes');
    t.strictSame(await tab.axe(), [], 'the question is accessible');
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    await dialog.waitFor({ state: 'detached' });
    t.equal(
      await page.getByRole('textbox', { name: 'Title' }).inputValue(),
      'Not saved',
      'staying keeps it',
    );

    await page.evaluate('history.back()');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    t.match(page.url(), /note\/2$/, 'the way back is closed, too');
    t.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Not saved');

    const asked = page.waitForEvent('dialog');
    const reloading = page.evaluate('location.reload()');
    const question = await asked;
    t.equal(question.type(), 'beforeunload', 'the browser asks before it loads again');
    await question.dismiss();
    await reloading;
    t.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Not saved');

    await page.evaluate('history.back()');
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'Note', level: 1 }).waitFor();
    t.equal((await stored(2)).title, 'Second', 'leaving discards it');
    await page.getByRole('link', { name: 'Second', exact: true }).click();
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    t.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Second');
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('heading', { name: 'Note', level: 1 }).waitFor();
  });

  await t.test('three tabs and two people', async (t) => {
    const list = await app.newTab(tab);
    const third = await app.newTab(tab);
    const their = await app.newPage();
    await their.signIn(OTHER);
    await tab.open('/content/note/3');
    await list.open('/content/note');
    await third.open('/content/note/3');
    await their.open('/content/note/3');
    await list.page.getByRole('link', { name: 'Third', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Mine');

    const change = async (title: string) => {
      await their.page.getByRole('textbox', { name: 'Title' }).fill(title);
      await their.page.getByRole('button', { name: 'Save', exact: true }).click();
      await until(async () => (await stored(3)).title === title, 'the other has saved');
    };
    await change('Theirs');
    await list.page.getByRole('link', { name: 'Theirs', exact: true }).waitFor();
    await until(
      async () =>
        (await third.page.getByRole('textbox', { name: 'Title' }).inputValue()) === 'Theirs',
      'a form without changes shows it',
    );
    await page.getByText('Another user has just changed this item').waitFor();
    t.equal(
      await page.getByRole('textbox', { name: 'Title' }).inputValue(),
      'Mine',
      'what was typed stays',
    );
    await tab.screenshot('changed-meanwhile');
    t.strictSame(await tab.axe(), [], 'the notice is accessible');
    await page.getByRole('button', { name: 'Compare' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radiogroup', { name: 'Title' }).getByLabel('Yours').check();
    await dialog.getByRole('button', { name: 'Save selection' }).click();
    await until(async () => (await stored(3)).title === 'Mine', 'mine is saved');
    await until(
      async () =>
        (await their.page.getByRole('textbox', { name: 'Title' }).inputValue()) === 'Mine',
      'the other hears of it',
    );
    await list.page.getByRole('link', { name: 'Mine', exact: true }).waitFor();

    for (const one of [tab, list, third]) {
      for (const status of [400, 401, 403]) one.expectStatus(status, '');
    }
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const ended = (one: typeof tab) =>
      one.page.getByRole('dialog', { name: 'Your session has ended' });
    await ended(list).waitFor();
    await ended(third).waitFor();
    t.equal(await ended(their).count(), 0, 'another person stays signed in');
    await tab.signIn();
    await ended(list).waitFor({ state: 'detached' });
    await ended(third).waitFor({ state: 'detached' });
    await change('Heard again');
    await list.page.getByRole('link', { name: 'Heard again', exact: true }).waitFor();

    third.expectStatus(403, '/items/note/3');
    their.expectStatus(403, '/items/note/3');
    await app.cluster.fetch('/items/note/3', { method: 'DELETE' });
    await third.page.getByText('This item has been deleted').waitFor();
    await third.screenshot('deleted-meanwhile');
    for (const one of [list, third, their]) t.strictSame(one.faults, [], 'nothing else went wrong');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
