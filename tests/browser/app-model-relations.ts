/** Relations in the Admin App: one of each kind made by clicking, changed, and used in a form. */
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeTables({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE book (id serial PRIMARY KEY, title varchar(80));
    CREATE TABLE publisher (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name varchar(80));
    CREATE TABLE tag (name varchar(40) PRIMARY KEY);
    CREATE TABLE review (id serial PRIMARY KEY, body text);
    INSERT INTO publisher (name) VALUES ('Insel');
    INSERT INTO tag VALUES ('poetry');
  `);
  await until(async () => (await fetch('/items/review?limit=1')).ok, 'the tables are served');
}

t.test('an administrator relates collections', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeTables });
  const { db, fetch } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const read = async (path: string) => (await fetch(path)).json();
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const begin = async (kind: string) => {
    await page.getByRole('link', { name: 'Create relation' }).click();
    await heading('New relation');
    await page.getByRole('radio', { name: kind, exact: true }).check();
  };
  const finish = async (name: string) => {
    await button('Create').click();
    const shown = page.getByRole('alert').filter({ hasText: `Relation ${name} created` });
    await shown.waitFor();
    await shown.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
  };
  await tab.signIn();
  await tab.open('/model/collections/book');

  await begin('To one item');
  await button('Create').click();
  await page.getByText('Choose a collection.').first().waitFor();
  await page.getByLabel('Other collection').selectOption('publisher');
  await page.getByLabel('List on the other side').fill('books');
  await page.getByLabel('When an item is deleted').selectOption('RESTRICT');
  t.strictSame(await tab.axe(), [], 'the form of a relation is accessible');
  await tab.screenshot('to-one');
  await finish('publisher');
  t.match(await read('/relations/book/publisher'), {
    data: {
      related_collection: 'publisher',
      schema: { on_delete: 'RESTRICT' },
      meta: { one_field: 'books' },
    },
  });

  await begin('To many items');
  await page.getByLabel('Other collection').selectOption('review');
  await page.getByRole('switch', { name: 'Manually ordered' }).check();
  await page.getByLabel('When an item is removed from the list').selectOption('delete');
  await finish('review');
  t.match(await read('/relations/review/book'), {
    data: { meta: { one_field: 'review', sort_field: 'sort', one_deselect_action: 'delete' } },
  });

  await begin('Many to many');
  await page.getByLabel('Other collection').selectOption('tag');
  await page.getByRole('textbox', { name: 'Name' }).fill('tags');
  await page.getByLabel('List on the other side').fill('books');
  await page.getByText('book_tag.book_id').waitFor();
  await tab.screenshot('many-to-many');
  t.strictSame(await tab.axe(), [], 'what will be made is accessible');
  await finish('tags');
  t.match(await read('/relations/book_tag'), {
    data: [{ meta: { junction_field: /_id/ } }, { meta: { junction_field: /_id/ } }],
  });

  await begin('To items of several collections');
  await page.getByRole('checkbox', { name: 'Review' }).check();
  await page.getByRole('checkbox', { name: 'Tag', exact: true }).check();
  await page.getByRole('textbox', { name: 'Name' }).fill('parts');
  await finish('parts');
  t.match(await read('/relations/book_parts/item'), {
    data: { related_collection: null, meta: { one_allowed_collections: ['review', 'tag'] } },
  });

  await begin('File or image');
  await page.getByLabel('Interface').selectOption('image');
  await page.getByRole('textbox', { name: 'Name' }).fill('cover');
  await finish('cover');
  t.match(await read('/fields/book/cover'), {
    data: { type: 'uuid', meta: { special: 'file', interface: 'file-image' } },
  });

  await begin('Several files');
  await finish('files');
  t.match(await read('/fields/book/files'), { data: { meta: { special: 'files' } } });

  await begin('Translations');
  await page.getByLabel('Languages collection').selectOption('languages');
  await page.getByLabel('Translated fields').fill('summary');
  await page.keyboard.press('Enter');
  await tab.screenshot('translations');
  await finish('translations');
  t.match(await read('/fields/book_translations/summary'), { data: { type: 'text' } });
  t.match(await read('/relations/book_translations/languages_code'), {
    data: { related_collection: 'languages' },
  });
  await tab.screenshot('fields');

  // What the relation does can be changed later.
  await page.getByRole('link', { name: 'Publisher' }).click();
  await heading('Publisher');
  t.equal(await page.getByLabel('Width').inputValue(), 'full', 'as it is without a word');
  const relation = page.getByRole('region', { name: 'Relation' });
  await relation.getByLabel('When an item is deleted').selectOption('SET NULL');
  await tab.screenshot('relation');
  t.strictSame(await tab.axe(), [], 'the form of a related field is accessible');
  await button('Save').click();
  await heading('Book');
  await until(async () => {
    const known = await read('/relations/book/publisher');
    return JSON.stringify(known).includes('SET NULL');
  }, 'the change is made');

  // A second relation of this name is refused, and nothing of it stays.
  await begin('Many to many');
  await page.getByLabel('Other collection').selectOption('tag');
  await page.getByRole('textbox', { name: 'Name' }).fill('tags');
  await button('Create').click();
  await page.getByText('This name is already in use.').first().waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await heading('Book');

  // Somebody else takes the name meanwhile: what was made so far is taken back.
  await begin('Many to many');
  await page.getByLabel('Other collection').selectOption('tag');
  await page.getByRole('textbox', { name: 'Name' }).fill('genres');
  await page.getByLabel('Junction collection').fill('book_genre');
  const late = await fetch('/fields/book', {
    method: 'POST',
    body: JSON.stringify({ field: 'genres', type: 'text' }),
  });
  t.equal(late.status, 200);
  tab.expectStatus(400, '/fields/book');
  await button('Create').click();
  await page.getByText('The change was not applied').waitFor();
  await tab.screenshot('taken-back');
  const junctions = await db.query(`SELECT FROM pg_class WHERE relname = 'book_genre'`);
  t.equal(junctions.rows.length, 0, 'no junction is left');
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await heading('Book');

  // The form of an item has them all.
  await tab.open('/content/book/+');
  await page.getByRole('textbox', { name: 'Title' }).fill('Duino Elegies');
  for (const name of ['Tags', 'Review', 'Parts', 'Files', 'Cover']) {
    await page.getByRole('group', { name }).first().waitFor();
  }
  await tab.screenshot('form');
  await button('Save').click();
  await page.getByText('Saved').waitFor();
  const { rows } = await db.query('SELECT title FROM book');
  t.strictSame(rows, [{ title: 'Duino Elegies' }]);

  await page.setViewportSize(PHONE);
  await tab.open('/model/collections/book/new-relation');
  await page.getByRole('radio', { name: 'Many to many' }).waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(
    () =>
      page.evaluate(`document.documentElement.style.colorScheme === 'dark' &&
          document.getAnimations().length === 0`),
    'all is dark',
  );
  t.strictSame(await tab.axe(), [], 'dark, on a phone, too');
  await tab.screenshot('phone');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
