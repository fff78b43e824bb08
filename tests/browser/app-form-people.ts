/** Forms of the Admin App with several people and over time: conflicts, history, comments, sessions. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const column = (field: string, type: string, meta: object = {}) => ({
  field,
  type,
  schema: {},
  meta,
});

async function makeNotes({ fetch }: Cluster): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  await post('/collections', {
    collection: 'note',
    schema: {},
    meta: {
      ...{ archive_field: 'state', archive_value: 'archived', unarchive_value: 'open' },
      item_duplication_fields: ['title'],
    },
    fields: [column('title', 'string'), column('body', 'text'), column('state', 'string')],
  });
  await post('/items/note', { title: 'First', body: 'As it was', state: 'open' });
}

t.test('two people change an item, and one chooses', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeNotes, workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/content/note/1');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const other = (changes: object) =>
    app.cluster.fetch('/items/note/1', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(changes),
    });
  const stored = async () => {
    const { rows } = await app.cluster.db.query('SELECT title, body FROM note WHERE id = 1');
    return rows[0];
  };

  tab.expectStatus(412, '/items/note/1');
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
  await page.getByLabel('Body').fill('My body');
  await other({ title: 'Theirs', body: 'Their body' });
  await save.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Another user has changed this item').waitFor();
  await tab.screenshot('conflict');
  t.strictSame(await tab.axe(), [], 'the choice is accessible');
  t.strictSame(await stored(), { title: 'Theirs', body: 'Their body' }, 'nothing is overwritten');
  await dialog.getByRole('radiogroup', { name: 'Title' }).getByLabel('Theirs').check();
  await dialog.getByRole('button', { name: 'Save selection' }).click();
  await until(async () => (await stored()).body === 'My body', 'the choice is saved');
  t.strictSame(await stored(), { title: 'Theirs', body: 'My body' });
  await dialog.waitFor({ state: 'detached' });

  // Changes of different fields do not touch each other.
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine again');
  await other({ body: 'Theirs again' });
  await save.click();
  await dialog.getByText('You changed different fields').waitFor();
  await dialog.getByRole('button', { name: 'Save selection' }).click();
  await dialog.waitFor({ state: 'detached' });
  await until(async () => (await stored()).title === 'Mine again', 'both are saved');
  t.strictSame(await stored(), { title: 'Mine again', body: 'Theirs again' });

  // History tells who changed what, and leads back.
  await page.getByRole('button', { name: 'History' }).click();
  await dialog
    .getByRole('button', { name: /Changed/ })
    .first()
    .click();
  t.equal(await dialog.locator('del').innerText(), 'Theirs', 'the title as it was');
  t.equal(await dialog.locator('ins').innerText(), 'Mine again', 'and as it became');
  await tab.screenshot('differences');
  await dialog.getByRole('button', { name: /Created/ }).click();
  await dialog.getByText('As it was').waitFor();
  await tab.screenshot('history');
  t.strictSame(await tab.axe(), [], 'the history is accessible');
  await dialog.getByRole('button', { name: 'Revert to this version' }).click();
  await page
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: 'Revert to this version' })
    .click();
  await until(
    () => page.evaluate("document.querySelector('[data-field=title] input')?.value === 'First'"),
    'the form shows what was reverted to',
  );
  t.strictSame(await stored(), { title: 'First', body: 'As it was' });

  // Comments.
  await page.getByRole('button', { name: 'Comments' }).click();
  await dialog.getByText('No comments yet.').waitFor();
  await dialog.getByLabel('Comment').fill('Well done');
  await dialog.getByRole('button', { name: 'Comment' }).click();
  await dialog.getByRole('listitem').getByText('Well done').waitFor();
  await tab.screenshot('comments');
  await dialog.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('listitem').getByLabel('Comment').fill('Very well done');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('listitem').getByText('Very well done').waitFor();
  const said = { collection: 'note', item: '1', comment: 'Thank you' };
  await app.cluster.fetch('/comments', { method: 'POST', body: JSON.stringify(said) });
  t.strictSame(await tab.axe(), [], 'the comments are accessible');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Comments' }).click();
  await dialog.getByText('Thank you').waitFor();
  const own = dialog.getByRole('listitem').filter({ hasText: 'Very well done' });
  await own.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the comment?' });
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.waitFor({ state: 'detached' });
  await own.waitFor({ state: 'detached' });
  t.equal(await dialog.getByRole('listitem').count(), 1);
  await dialog.getByRole('button', { name: 'Close' }).click();
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
