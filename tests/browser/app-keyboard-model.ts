/** The data model by keyboard alone: relations, the order of fields, a field that goes, a snapshot. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { keyboardOf } from './fixture/keyboard.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeTables({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE book (id serial PRIMARY KEY, title varchar(80), subtitle varchar(80));
    CREATE TABLE publisher (id serial PRIMARY KEY, name varchar(80));
    CREATE TABLE tag (name varchar(40) PRIMARY KEY);
    CREATE TABLE review (id serial PRIMARY KEY, body text);
    INSERT INTO book (title, subtitle) VALUES ('Elegies', 'Duino');
  `);
  await until(async () => (await fetch('/items/review?limit=1')).ok, 'the tables are served');
}

t.test('an administrator without a mouse', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeTables });
  const { db, fetch } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const { press, radio, write, go, kept } = keyboardOf(tab);
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const dialog = page.getByRole('dialog');
  await tab.signIn();

  await t.test('relates collections', async (t) => {
    await tab.open('/model/collections/book');
    const relate = async (kind: string, name: string, ends: () => Promise<void>) => {
      await press('Create relation');
      await heading('New relation');
      await kept('the way to the form');
      await radio(kind);
      await ends();
      await press('Create');
      await page
        .getByRole('alert')
        .filter({ hasText: `Relation ${name} created` })
        .waitFor();
      await heading('Book');
      await kept('the relation is made');
      const answer = await fetch(`/fields/book/${name}`);
      t.equal(answer.status, 200, kind);
    };
    await relate('To one item', 'publisher', () => write('Other collection', 'Publisher'));
    await relate('To many items', 'review', () => write('Other collection', 'Review'));
    await relate('Many to many', 'tags', async () => {
      await write('Other collection', 'Tag');
      await write('Name', 'tags');
    });
    await relate('To items of several collections', 'parts', async () => {
      await press('Review', 'Space');
      await press('Tag', 'Space');
      await write('Name', 'parts');
    });
    await tab.screenshot('relations');
  });

  await t.test('orders fields', async (t) => {
    const placeOf = `[...document.querySelectorAll('main li a')]
      .findIndex((one) => one.textContent === 'Subtitle')`;
    await tab.open('/model/collections/book');
    await page.getByRole('link', { name: 'Subtitle' }).waitFor();
    const first: number = await page.evaluate(placeOf);
    for (let place = first - 1; place >= 0; place -= 1) {
      await press('Move up Subtitle');
      await until(async () => (await page.evaluate(placeOf)) === place, 'it has moved up');
      await kept('a field has moved');
      await until(
        () => page.getByRole('button', { name: 'Move down Subtitle' }).isEnabled(),
        'the order is saved',
      );
      await kept('the order is saved');
    }
    const { data } = JSON.parse(await (await fetch('/fields/book/subtitle')).text());
    t.equal(data.meta.sort, 1);
  });

  await t.test('changes a field, and deletes another', async (t) => {
    await tab.open('/model/collections/book');
    await press('Title');
    await heading('Title');
    await kept('a field is opened');
    await write('Note', 'On the cover');
    await press('Save');
    await heading('Book');
    await kept('the field is saved');
    const { data } = JSON.parse(await (await fetch('/fields/book/title')).text());
    t.equal(data.meta.note, 'On the cover');

    await press('Subtitle');
    await heading('Subtitle');
    await press('Delete');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(
      () => page.evaluate("document.activeElement?.textContent === 'Delete'"),
      'the focus is where the dialog was opened',
    );
    await page.keyboard.press('Enter');
    await dialog.getByText('1 item has a value').or(dialog.getByRole('textbox')).first().waitFor();
    await page.keyboard.type('subtitle');
    await until(
      () => dialog.getByRole('button', { name: 'Delete' }).isEnabled(),
      'it may be deleted',
    );
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await heading('Book');
    await kept('the field is deleted');
    t.equal((await fetch('/fields/book/subtitle')).status, 403);
  });

  await t.test('compares and applies a snapshot', async (t) => {
    await press('Snapshots');
    await heading('Snapshots');
    const waited = page.waitForEvent('download');
    await press('Download as YAML');
    const buffer = await readFile(await (await waited).path());
    const file = { name: 'schema.yaml', mimeType: 'application/yaml', buffer };
    const choose = async () => {
      const chooser = page.waitForEvent('filechooser');
      await press('Choose a file');
      await (await chooser).setFiles(file);
    };
    await choose();
    await page.getByText('There is no difference').waitFor();
    await kept('a file is compared');
    const body = JSON.stringify({ field: 'late', type: 'text' });
    t.equal((await fetch('/fields/book', { method: 'POST', body })).status, 200);
    await radio('Make it the same');
    await page.getByText('late', { exact: true }).waitFor();
    await kept('it is compared again');
    await go('Show SQL');
    await page.keyboard.press('Enter');
    await page.getByText('DROP COLUMN').waitFor();
    await kept('the statements are shown');
    await press('I accept the loss of this data', 'Space');
    await press('Apply 1 difference');
    await page.getByText('Differences applied').waitFor();
    await kept('they are applied');
    const { rows } = await db.query(
      "SELECT FROM information_schema.columns WHERE table_name = 'book' AND column_name = 'late'",
    );
    t.equal(rows.length, 0);
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
