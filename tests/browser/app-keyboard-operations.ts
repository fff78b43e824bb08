/** Operations and settings by keyboard alone. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { keyboardOf } from './fixture/keyboard.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const QUEUE = 'Imports and exports';

async function makeShop({ db, fetch }: Cluster): Promise<void> {
  await db.query('CREATE TABLE product (id integer PRIMARY KEY, price integer NOT NULL)');
  await until(async () => (await fetch('/items/product?limit=1')).ok, 'the table is served');
}

/** Imports a file, and tells the status of the answer. */
async function importFile({ fetch }: Cluster, name: string, content: string): Promise<number> {
  const form = new FormData();
  form.set('file', new File([content], name, { type: 'text/csv' }));
  const answer = await fetch('/utils/import/product', { method: 'POST', body: form });
  await answer.arrayBuffer();
  return answer.status;
}

t.test('somebody without a mouse', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  const { cluster } = app;
  t.equal(await importFile(cluster, 'good.csv', 'id,price\n1,10\n'), 200);
  t.equal(await importFile(cluster, 'bad.csv', 'id,price\n3,30\n4,cheap\n'), 400);
  const tab = await app.newPage();
  const { page } = tab;
  const { press, go, write, kept } = keyboardOf(tab);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const dialog = page.getByRole('dialog');
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const queue = page.getByRole('region', { name: QUEUE });
  await tab.signIn();

  await t.test('finds a job and takes its rejected rows, and tries it again', async (t) => {
    await press('Operations');
    await heading('Overview');
    await press('Jobs');
    await heading('Jobs');
    await row('good.csv').waitFor();
    await write('State', 'failed');
    await row('good.csv').waitFor({ state: 'detached' });
    await row('bad.csv').waitFor();
    await go('Import', 'bad.csv');
    await page.keyboard.press('Enter');
    await row('cheap').waitFor();
    await kept('a job is opened');
    const rejected = page.waitForEvent('download');
    await press('Rejected rows');
    t.match((await rejected).suggestedFilename(), /errors\.csv$/);
    await press('Try again');
    await page.getByText('The job is queued again').waitFor();
    await kept('a job waits again');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await kept('it has failed again');
  });

  await t.test('stops a queue, and cancels a job', async (t) => {
    await press('Queues');
    await heading('Queues');
    await queue.waitFor();
    await go('Pause', QUEUE);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await press('Pause');
    await dialog.waitFor({ state: 'detached' });
    await queue.getByText('paused').waitFor();
    await kept('a queue is paused');
    const waiting = importFile(cluster, 'later.csv', 'id,price\n5,50\n');
    await queue.getByText('1 waiting').waitFor();
    await press('Jobs');
    await row('later.csv').waitFor();
    await go('Import', 'later.csv');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Cancel the import' }).waitFor();
    await press('Cancel the import');
    await dialog.waitFor();
    await press('Cancel the import');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('cancelled', { exact: true }).waitFor();
    await kept('a job is cancelled');
    t.equal(await waiting, 422);
    await press('Queues');
    await queue.waitFor();
    await go('Resume', QUEUE);
    await page.keyboard.press('Enter');
    await queue.getByText('running', { exact: true }).waitFor();
    await kept('a queue runs again');
  });

  await t.test('reads the other screens', async (t) => {
    for (const [name, text] of [
      ['Health', 'workers:live'],
      ['Activity', 'Signed in'],
      ['Limits', 'Concurrent uploads per user'],
    ] as const) {
      await press(name);
      await heading(name);
      await page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
      await kept(`the way to ${name}`);
    }
    t.pass('by the menu');
  });

  await t.test('changes the settings', async (t) => {
    await press('Settings');
    await heading('Settings');
    await write('Name', 'Harbour');
    await press('Save');
    await page.getByText('Saved').waitFor();
    await kept('the settings are saved');
    const { rows } = await cluster.db.query('SELECT project_name FROM system_settings');
    t.strictSame(rows, [{ project_name: 'Harbour' }]);
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
