/** What is typed while a form of the Admin App is being saved is still there afterwards, and saved next. */
import t, { type Test } from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeNotes({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE note (id serial PRIMARY KEY, title varchar(200), body text);
    INSERT INTO note (title, body) VALUES ('First', 'As it was')`);
  await until(async () => (await fetch('/items/note/1')).ok, 'the collection is served');
}

t.test('somebody who does not wait', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeNotes });
  const { db, fetch } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const keys = page.keyboard;
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    return JSON.parse(await answer.text()).data.id;
  };
  const role = await make('/roles', { name: 'Editors' });
  const policy = await make('/policies', { name: 'Editing' });
  await tab.signIn();

  /** Saves a form that has two fields, and goes on typing before the answer comes. */
  const hurry = async (
    t: Test,
    path: string,
    request: string,
    [first, second]: [string, string],
    { method = 'PATCH', save = () => keys.press('Enter') } = {},
  ) => {
    let letGo = () => {};
    let isSent = false;
    const kept = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(`**${request}*`, async (route) => {
      if (route.request().method() !== method) return route.continue();
      isSent = true;
      await kept;
      return route.continue();
    });
    await tab.open(path);
    await field(first).fill('Second');
    await field(first).focus();
    await save();
    await until(() => isSent, 'the form is being saved');
    await field(first).press('End');
    await keys.type(' and more');
    await field(second).fill('Meanwhile');
    letGo();
    await page.getByText(/^Saved$| saved$/).waitFor();
    t.equal(await field(first).inputValue(), 'Second and more');
    t.equal(await field(second).inputValue(), 'Meanwhile');
    await tab.screenshot(first);
    await page.unroute(`**${request}*`);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
  };
  const leaving = async () => {
    await page.getByRole('button', { name: 'More save options' }).click();
    await page.getByRole('menuitem', { name: 'Save and return to list' }).click();
    await page.locator('[role=menu]').waitFor({ state: 'detached' });
  };
  const stored = async (sql: string) => JSON.stringify((await db.query(sql)).rows[0]);
  const saved = async (sql: string) => {
    const whole = '{"one":"Second and more","other":"Meanwhile"}';
    await until(async () => (await stored(sql)) === whole, 'all is saved');
  };

  await t.test('for the answer of an item', async (t) => {
    await hurry(t, '/content/note/1', '/items/note/1', ['Title', 'Body']);
    await saved('SELECT title AS one, body AS other FROM note');
  });
  await t.test('for that of a role', async (t) => {
    await hurry(t, `/access/roles/${role}`, `/roles/${role}`, ['Name', 'Description']);
    await saved(
      "SELECT name AS one, description AS other FROM system_roles WHERE name LIKE 'Second%'",
    );
  });
  await t.test('for that of a policy', async (t) => {
    await hurry(t, `/access/policies/${policy}`, `/policies/${policy}`, ['Name', 'Description']);
    await saved(
      "SELECT name AS one, description AS other FROM system_policies WHERE name LIKE 'Second%'",
    );
  });
  for (const [name, how] of [
    ['for a new item', {}],
    ['for a new item, and leaves', { save: leaving }],
  ] as const) {
    await t.test(name, async (t) => {
      await db.query('DELETE FROM note');
      await hurry(t, '/content/note/+', '/items/note', ['Title', 'Body'], {
        method: 'POST',
        ...how,
      });
      await saved('SELECT title AS one, body AS other FROM note');
      t.equal((await db.query('SELECT FROM note')).rowCount, 1, 'it is made once');
      await tab.open('/content/note');
    });
  }
  await t.test('and leaves', async (t) => {
    const { rows } = await db.query("UPDATE note SET title = 'First', body = '' RETURNING id");
    const item = `/items/note/${rows[0].id}`;
    const path = `/content/note/${rows[0].id}`;
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    const stay = async () => {
      await leaving();
      // The answer comes when the question can be asked.
      void asked.getByRole('button', { name: 'Stay' }).click();
    };
    await hurry(t, path, item, ['Title', 'Body'], { save: stay });
    await saved('SELECT title AS one, body AS other FROM note');
  });
  await t.test('who may not change the item is told', async (t) => {
    const once = await make('/policies', { name: 'Writing once', app_access: true });
    for (const action of ['create', 'read']) {
      const right = { policy: once, collection: 'note', action, fields: ['*'] };
      await make('/permissions', right);
    }
    const credentials = { email: 'once@example.com', password: 'a password of one' };
    const user = await make('/users', credentials);
    await make('/access', { user, policy: once });
    const other = await app.newPage();
    await other.signIn(credentials);
    await other.open('/content/note/+');
    const own = (name: string) => other.page.getByRole('textbox', { name, exact: true });
    let letGo = () => {};
    const kept = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await other.page.route('**/items/note*', async (route) => {
      await kept;
      return route.continue();
    });
    await own('Title').fill('Once');
    const sent = other.page.waitForRequest(/items\/note/);
    await own('Title').press('Enter');
    await sent;
    await own('Body').fill('Too late');
    letGo();
    await other.page.getByText('Changes that you typed after you pressed').waitFor();
    await until(async () => (await own('Title').inputValue()) === 'Once', 'the item is shown');
    t.equal(await own('Body').inputValue(), '');
    t.strictSame(other.faults, [], 'nothing else went wrong');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
