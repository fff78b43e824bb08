/** Snapshots in the Admin App: taken, compared, and the data model made alike, or not. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeTables({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE book (id serial PRIMARY KEY, title varchar(80));
    INSERT INTO book (title) VALUES ('Elegies'), ('Sonnets');
  `);
  await until(async () => (await fetch('/items/book?limit=1')).ok, 'the table is served');
}

t.test('an administrator compares and applies a snapshot', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeTables });
  const { db, fetch } = app.cluster;
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    t.ok(answer.ok, `${method} ${path}`);
  };
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await page.getByRole('link', { name: 'Data model' }).click();
  await page.getByRole('link', { name: 'Snapshots' }).click();
  await page.getByRole('heading', { level: 1, name: 'Snapshots' }).waitFor();
  t.strictSame(await tab.axe(), [], 'snapshots are accessible');
  const waited = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as YAML' }).click();
  const download = await waited;
  t.match(download.suggestedFilename(), /\.yaml$/);
  const buffer = await readFile(await download.path());
  const file = { name: 'schema.yaml', mimeType: 'application/yaml', buffer };

  // Everything is as it was.
  await page.getByLabel('Choose a file').setInputFiles(file);
  await page.getByText('There is no difference').waitFor();

  await send('POST', '/fields/book', { field: 'note', type: 'text' });
  await send('POST', '/collections', { collection: 'shelf', schema: {}, meta: {} });
  await send('PATCH', '/fields/book/title', { schema: { max_length: 90 } });
  await send('PATCH', '/items/book', { query: { filter: {} }, data: { note: 'read' } });
  await page.getByLabel('Choose a file').setInputFiles(file);
  await page.getByRole('region', { name: 'book' }).getByText('schema.max_length').waitFor();
  t.equal(await page.getByText('Deleted', { exact: true }).count(), 0, 'merging deletes nothing');
  await page.getByRole('radio', { name: /Make it the same/ }).check();
  await page.getByText('2 items would lose their value.').waitFor();
  await page.getByRole('region', { name: 'shelf' }).getByText('It has no items.').waitFor();
  await tab.screenshot('differences');
  t.strictSame(await tab.axe(), [], 'differences are accessible');
  await page.getByRole('button', { name: 'Show SQL' }).click();
  await page.getByText('DROP TABLE').waitFor();
  await tab.screenshot('statements');

  // Somebody else changes the data model meanwhile.
  await send('POST', '/fields/book', { field: 'late', type: 'text' });
  const apply = page.getByRole('button', { name: /^Apply \d+ differences$/ });
  t.equal(await apply.isDisabled(), true);
  await page.getByRole('checkbox', { name: 'I accept' }).check();
  tab.expectStatus(400, '/schema/apply');
  await apply.click();
  await page.getByText('The change was not applied').waitFor();
  await tab.screenshot('stale');
  t.strictSame(await tab.axe(), [], 'the refusal is accessible');
  await page.getByRole('button', { name: 'Compare again' }).click();
  await page.getByText('late', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: 'I accept' }).check();
  await apply.click();
  await page.getByText('Differences applied').waitFor();
  const { rows } = await db.query(`SELECT column_name FROM information_schema.columns
    WHERE table_name IN ('book', 'shelf') ORDER BY 1`);
  t.strictSame(rows, [{ column_name: 'id' }, { column_name: 'title' }]);

  // One collection alone.
  await send('POST', '/collections', { collection: 'shelf', schema: {}, meta: {} });
  await send('POST', '/fields/book', { field: 'stays', type: 'text' });
  const both = { ...file, name: 'both.yaml' };
  await page.getByLabel('Choose a file').setInputFiles(both);
  await page.getByText('stays', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: 'Apply the differences of book' }).uncheck();
  t.equal(await page.getByRole('checkbox', { name: 'I accept' }).isChecked(), false);
  await tab.screenshot('some-collections');
  t.strictSame(await tab.axe(), [], 'choosing collections is accessible');
  await page.getByRole('checkbox', { name: 'I accept' }).check();
  const sent = page.waitForRequest((request) => request.url().includes('/schema/apply'));
  await page.getByRole('button', { name: 'Apply 1 difference' }).click();
  t.match((await sent).postDataJSON(), {
    diff: { collections: [{ collection: 'shelf' }], fields: [] },
  });
  await page.getByRole('region', { name: 'shelf' }).waitFor({ state: 'detached' });
  await page.getByText('stays', { exact: true }).waitFor();
  const { rows: left } = await db.query(`SELECT table_name FROM information_schema.columns
    WHERE column_name = 'stays' OR table_name = 'shelf'`);
  t.strictSame(left, [{ table_name: 'book' }], 'the other one is as it was');
  await page.getByRole('combobox', { name: 'Only these collections' }).click();
  await page.getByRole('option', { name: 'book' }).click();
  await page.keyboard.press('Escape');
  const partly = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as JSON' }).click();
  const text = await readFile(await (await partly).path(), 'utf8');
  const { collections: taken }: { collections: object[] } = JSON.parse(text);
  t.match(taken, [{ collection: 'book' }]);

  // What is no snapshot is refused, and why.
  tab.expectStatus(400, '/schema/diff');
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'other.json',
    mimeType: 'application/json',
    buffer: Buffer.from('{"version": 1}'),
  });
  await page.getByText('The file cannot be compared').waitFor();
  await tab.screenshot('no-snapshot');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
