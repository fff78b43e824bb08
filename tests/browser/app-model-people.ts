/** Two people change the data model in the Admin App: nobody writes over what the other has saved. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeModel({ fetch }: Cluster): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const text = { type: 'string', schema: {}, meta: { interface: 'input' } };
  await post('/collections', { collection: 'author', schema: {}, meta: {} });
  await post('/collections', {
    ...{ collection: 'article', schema: {}, meta: {} },
    fields: [
      { ...text, field: 'title' },
      { field: 'author', type: 'integer', schema: {}, meta: { interface: 'select-dropdown-m2o' } },
    ],
  });
  await post('/relations', {
    ...{ collection: 'article', field: 'author', related_collection: 'author' },
    ...{ schema: { on_delete: 'SET NULL' }, meta: {} },
  });
}

t.test('two people change the data model', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeModel });
  const tab = await app.newPage();
  const { page } = tab;
  const read = async (path: string) => (await app.cluster.fetch(path)).json();
  const other = async (path: string, body: unknown) => {
    const request = { method: 'PATCH', body: JSON.stringify(body) };
    t.equal((await app.cluster.fetch(path, request)).status, 200, `the other changes ${path}`);
  };
  const dialog = page.getByRole('dialog');
  const saves = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText('Another user has changed this').waitFor();
  };
  const saved = async (text: string) => {
    const notice = page.getByRole('alert').filter({ hasText: text });
    await notice.waitFor();
    await notice.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await tab.signIn();

  await t.test('a field', async (t) => {
    await tab.open('/model/collections/article/fields/title');
    await page.getByRole('textbox', { name: 'Note' }).fill('Mine');
    await page.getByRole('switch', { name: 'Required' }).check();
    await other('/fields/article/title', { meta: { note: 'Theirs', width: 'half' } });
    await saves();
    const note = dialog.getByRole('radiogroup', { name: 'Note' });
    await note.getByText('Theirs').first().waitFor();
    await dialog.getByText(/^Width: .*half$/).waitFor();
    await tab.screenshot('field');
    t.strictSame(await tab.axe(), [], 'the choice is accessible');
    t.match(await read('/fields/article/title'), {
      data: { meta: { note: 'Theirs', required: false } },
    });
    await note.getByLabel('Theirs').check();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await dialog.getByRole('button', { name: 'Save selection' }).click();
    t.ok((await sent).headers()['if-match'], 'who is faster still is not overwritten');
    await saved('Field title saved');
    t.match(await read('/fields/article/title'), {
      data: { meta: { note: 'Theirs', required: true, width: 'half' } },
    });
  });

  await t.test('a relation', async (t) => {
    await tab.open('/model/collections/article/fields/author');
    await page.getByLabel('When an item is deleted').selectOption('CASCADE');
    await other('/relations/article/author', { schema: { on_delete: 'RESTRICT' } });
    await saves();
    await tab.screenshot('relation');
    t.match(await read('/relations/article/author'), {
      data: { schema: { on_delete: 'RESTRICT' } },
    });
    await dialog.getByRole('button', { name: 'Save selection' }).click();
    await saved('Field author saved');
    t.match(await read('/relations/article/author'), {
      data: { schema: { on_delete: 'CASCADE' } },
    });
  });

  await t.test('the settings of a collection', async (t) => {
    await tab.open('/model/collections/article/settings');
    await page.getByRole('textbox', { name: 'Note' }).fill('My note');
    await page.getByRole('switch', { name: 'Hidden' }).check();
    await other('/collections/article', { meta: { note: 'Their note', color: '#ff0000' } });
    await saves();
    await tab.screenshot('collection');
    await dialog.getByRole('radiogroup', { name: 'Note' }).getByLabel('Theirs').check();
    await dialog.getByRole('button', { name: 'Save selection' }).click();
    await saved('Collection saved');
    t.match(await read('/collections/article'), {
      data: { meta: { note: 'Their note', color: '#ff0000', hidden: true } },
    });
    t.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'Their note');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
