/** Related items in forms of the Admin App: all kinds of relations, saved as one payload. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

type Post = (path: string, body: unknown) => Promise<void>;

const alias = (post: Post, collection: string, field: string, special: string, meta: object = {}) =>
  post(`/fields/${collection}`, {
    field,
    type: 'alias',
    schema: null,
    meta: { special: [special], interface: `list-${special}`, ...meta },
  });

const relate = (post: Post, collection: string, field: string, related: string | null, meta = {}) =>
  post('/relations', { collection, field, related_collection: related, meta });

async function makePosts({ db, fetch }: Cluster): Promise<void> {
  const post: Post = async (path, body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const column = (field: string, type: string, meta: object = {}, schema: object = {}) => ({
    ...{ field, type, schema, meta },
  });
  const make = (collection: string, fields: readonly object[], meta: object = {}) =>
    post('/collections', { collection, schema: {}, meta, fields });
  const hidden = { hidden: true };
  const code = column('code', 'string', {}, { is_primary_key: true });
  await make('author', [column('name', 'string')]);
  await make('tag', [column('name', 'string')]);
  await make('heading', [column('text', 'string')]);
  await make('quotation', [column('words', 'string')]);
  await make('language', [code, column('name', 'string')], { display_template: '{{name}}' });
  await make('post', [column('title', 'string'), column('author', 'integer')]);
  await make('remark', [
    column('body', 'string', {}, { is_nullable: false }),
    column('position', 'integer', hidden),
    column('post', 'integer', hidden),
  ]);
  await make('post_tag', [column('post', 'integer', hidden), column('tag', 'integer', hidden)]);
  await make('post_block', [
    column('post', 'integer', hidden),
    column('collection', 'string', hidden),
    column('item', 'string', hidden),
  ]);
  await make('note', [column('text', 'string'), column('post', 'integer', hidden)]);
  await make('post_text', [
    column('post', 'integer', hidden),
    column('language', 'string', hidden),
    column('summary', 'text'),
  ]);
  await relate(post, 'post', 'author', 'author');
  await relate(post, 'remark', 'post', 'post', {
    ...{ one_field: 'remarks', sort_field: 'position', one_deselect_action: 'delete' },
  });
  await alias(post, 'post', 'remarks', 'o2m');
  await relate(post, 'note', 'post', 'post', { one_field: 'notes' });
  await alias(post, 'post', 'notes', 'o2m');
  await relate(post, 'post_tag', 'post', 'post', { one_field: 'tags', junction_field: 'tag' });
  await relate(post, 'post_tag', 'tag', 'tag', { junction_field: 'post' });
  await alias(post, 'post', 'tags', 'm2m');
  await relate(post, 'post_block', 'post', 'post', { one_field: 'blocks', junction_field: 'item' });
  await relate(post, 'post_block', 'item', null, {
    ...{ one_collection_field: 'collection', junction_field: 'post' },
    one_allowed_collections: ['heading', 'quotation'],
  });
  await alias(post, 'post', 'blocks', 'm2a');
  await relate(post, 'post_text', 'post', 'post', {
    ...{ one_field: 'texts', junction_field: 'language' },
  });
  await relate(post, 'post_text', 'language', 'language', { junction_field: 'post' });
  await alias(post, 'post', 'texts', 'translations', { interface: 'translations' });
  await db.query(`
    INSERT INTO author (name) VALUES ('Ursula'), ('Jane');
    INSERT INTO tag (name) VALUES ('old'), ('new'), ('blue');
    INSERT INTO language VALUES ('en', 'English'), ('de', 'Deutsch');
    INSERT INTO post (title, author) VALUES ('First', 1), ('Second', 2);
    INSERT INTO note (text, post) SELECT 'note ' || number, 2 FROM generate_series(1, 60) number;
    INSERT INTO remark (body, position, post) VALUES ('one', 1, 1), ('two', 2, 1), ('three', 3, 1);
    INSERT INTO post_tag (post, tag) VALUES (1, 1);
    INSERT INTO post_text (post, language, summary) VALUES (1, 'en', 'In short');
  `);
}

t.test('relations are edited in place and saved by one request', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makePosts, workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/content/post/1');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const group = (name: string) => page.getByRole('group', { name, exact: true });
  const dialog = page.getByRole('dialog').last();
  const apply = () => dialog.getByRole('button', { name: 'Apply' }).click();

  // To one: another is searched; it is edited in a drawer.
  const author = page.getByRole('combobox', { name: 'Author' });
  await until(
    () => page.evaluate("document.querySelector('[data-field=author] input')?.value === 'Ursula'"),
    'the author is shown',
  );
  await author.fill('Jan');
  await page.getByRole('option', { name: 'Jane' }).click();
  await button('Edit Jane').click();
  await dialog.getByLabel('Name').fill('Jane Austen');
  await apply();

  // One to many, in its order: edited, taken out, created, moved.
  await button('Edit one').click();
  await dialog.getByLabel('Body').fill('ONE');
  await apply();
  await button('Delete two').click();
  await group('Remarks').getByRole('button', { name: 'Create new' }).click();
  await tab.screenshot('drawer');
  t.strictSame(await tab.axe(), [], 'the drawer is accessible');
  await dialog.getByLabel('Body').fill('four');
  await apply();
  await button('Move up three').click();
  await page.getByText('Items that you remove from this list are deleted').waitFor();

  // Many to many: one that exists, one that is new, one that goes.
  await group('Tags').getByRole('button', { name: 'Add existing' }).click();
  await dialog.getByRole('checkbox', { name: 'blue' }).click();
  t.equal(
    await dialog.getByRole('checkbox', { name: 'old' }).count(),
    0,
    'what is there is not offered',
  );
  await dialog.getByRole('button', { name: 'Add 1 item' }).click();
  await group('Tags').getByRole('button', { name: 'Create new' }).click();
  await dialog.getByLabel('Name').fill('fresh');
  await apply();
  await button('Remove old').click();

  // Many to any.
  await group('Blocks').getByRole('button', { name: 'Create new' }).click();
  await page.getByRole('menuitem', { name: 'Heading' }).click();
  await dialog.getByLabel('Text').fill('A heading');
  await apply();

  // Translations.
  await group('Texts').getByLabel('Summary').fill('In brief');
  await group('Texts').getByRole('combobox').click();
  await page.getByRole('option', { name: 'Deutsch' }).click();
  await group('Texts').getByLabel('Summary').fill('Kurz');

  await tab.screenshot('relations');
  t.strictSame(await tab.axe(), [], 'the form is accessible');
  const writes: string[] = [];
  page.on('request', (request) => {
    if (!['GET', 'SEARCH'].includes(request.method())) writes.push(request.method());
  });
  const saving = page.waitForRequest((request) => request.method() === 'PATCH');
  await button('Save').click();
  t.strictSame((await saving).postDataJSON(), {
    author: { id: 2, name: 'Jane Austen' },
    remarks: {
      create: [{ body: 'four', position: 3 }],
      update: [
        { id: 1, body: 'ONE' },
        { id: 3, position: 2 },
      ],
      delete: [2],
    },
    tags: { create: [{ tag: 3 }, { tag: { name: 'fresh' } }], delete: [1] },
    blocks: { create: [{ collection: 'heading', item: { text: 'A heading' } }] },
    texts: {
      create: [{ language: 'de', summary: 'Kurz' }],
      update: [{ id: 1, summary: 'In brief' }],
    },
  });
  await page.getByText('Saved').waitFor();
  t.strictSame(writes, ['PATCH'], 'one request writes all');
  await group('Remarks').getByText('four').waitFor();
  await group('Tags').getByText('fresh').waitFor();
  await group('Blocks').getByText('A heading').waitFor();
  const { rows } = await app.cluster.db.query(
    'SELECT body FROM remark WHERE post = 1 ORDER BY position',
  );
  t.strictSame(rows, [{ body: 'ONE' }, { body: 'three' }, { body: 'four' }]);

  // What is wrong with a nested item is said at its row, and in its drawer.
  tab.expectStatus(400, '/items/post/1');
  await group('Remarks').getByRole('button', { name: 'Create new' }).click();
  await apply();
  await button('Save').click();
  await group('Remarks')
    .locator('li')
    .last()
    .getByText(/required|value/i)
    .first()
    .waitFor();
  await tab.screenshot('nested-fault');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('a long list of related items is searched and filtered', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makePosts, workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/content/post/2');
  const notes = page.getByRole('group', { name: 'Notes', exact: true });
  const cell = (text: string) => notes.getByRole('cell', { name: text, exact: true });
  const dialog = page.getByRole('dialog').last();
  await cell('note 2').waitFor();
  t.equal(await cell('note 57').count(), 0, 'the list shows its first page');

  // What is not saved yet stays while one searches.
  await notes.getByRole('button', { name: 'Create new' }).click();
  await dialog.getByLabel('Text').fill('fresh');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await notes.getByRole('button', { name: 'Edit note 2', exact: true }).click();
  await dialog.getByLabel('Text').fill('changed');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await notes.getByRole('button', { name: 'Remove note 3', exact: true }).click();
  await page.getByLabel('Title', { exact: true }).focus();
  await tab.tabTo('Search Notes', 30);
  await page.keyboard.type('note 57');
  await page.keyboard.press('Enter');
  await cell('note 57').waitFor();
  await cell('note 4').waitFor({ state: 'detached' });
  const shown =
    "[...document.querySelectorAll('[data-field=notes] tbody tr')].map((row) => row.cells[0].textContent)";
  const texts = () => page.evaluate(shown);
  t.strictSame(await texts(), ['note 57', 'changed', 'note 3', 'fresh'], 'rows keep their changes');
  t.equal(await notes.getByText('Changed', { exact: true }).count(), 1, 'and their states');
  t.equal(await notes.getByText('Added', { exact: true }).count(), 0);
  t.equal(await page.getByText('Saved').count(), 0, 'the key that searches does not save');
  await tab.screenshot('searched');
  t.strictSame(await tab.axe(), [], 'a searched list is accessible');

  // The filter of lists.
  await page.getByLabel('Search Notes').fill('');
  await cell('note 4').waitFor();
  await notes.getByRole('button', { name: 'Filter Notes' }).click();
  await notes.getByRole('button', { name: 'Add condition' }).click();
  const condition = notes.getByRole('group', { name: 'Condition', exact: true });
  await condition.getByLabel('Field', { exact: true }).selectOption('text');
  await condition.getByLabel('Comparison').selectOption('_eq');
  await condition.getByLabel('Value').fill('note 44');
  await cell('note 44').waitFor();
  await cell('note 4').waitFor({ state: 'detached' });
  await tab.screenshot('filtering');
  t.strictSame(await tab.axe(), [], 'and its filter');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').waitFor();
  const { rows } = await app.cluster.db.query(
    'SELECT id, text FROM note WHERE post = 2 AND id NOT BETWEEN 4 AND 60 ORDER BY id',
  );
  t.strictSame(
    rows.map(({ text }) => text),
    ['note 1', 'changed', 'fresh'],
  );
  t.strictSame(tab.faults, [], 'nothing went wrong');
});
