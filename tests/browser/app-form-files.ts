/** Files in forms of the Admin App: uploaded with progress, chosen, given a focal point, replaced. */
import sharp from 'sharp';
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeArticle({ fetch }: Cluster): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const column = (field: string, type: string, meta: object = {}) => ({
    ...{ field, type, schema: {}, meta },
  });
  const fields = [
    column('title', 'string'),
    column('picture', 'uuid', { special: ['file'], interface: 'file-image' }),
  ];
  await post('/collections', { collection: 'article', schema: {}, meta: {}, fields });
  const hidden = { hidden: true };
  const links = [column('article', 'integer', hidden), column('file', 'uuid', hidden)];
  await post('/collections', { collection: 'article_file', schema: {}, meta: {}, fields: links });
  const relate = (collection: string, field: string, related: string, meta: object = {}) =>
    post('/relations', { collection, field, related_collection: related, meta });
  await relate('article', 'picture', 'system_files');
  await relate('article_file', 'article', 'article', {
    ...{ one_field: 'attachments', junction_field: 'file' },
  });
  await relate('article_file', 'file', 'system_files', { junction_field: 'article' });
  const meta = { special: ['files'], interface: 'files' };
  await post('/fields/article', { field: 'attachments', type: 'alias', schema: null, meta });
  await post('/items/article', { title: 'First' });
}

t.test('files are uploaded and described in a form', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeArticle, workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/content/article/1');
  const picture = page.getByRole('group', { name: 'Picture' });
  const png = async (colour: string) => {
    const create = { width: 600, height: 400, channels: 3, background: colour } as const;
    return sharp({ create }).png().toBuffer();
  };

  await picture
    .locator('input[type=file]')
    .setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: await png('red') });
  const focal = picture.getByRole('button', { name: /Focal point/ });
  await focal.waitFor();
  await focal.focus();
  await page.keyboard.press('ArrowRight');
  await picture.getByRole('button', { name: 'Details' }).click();
  const dialog = page.getByRole('dialog').last();
  await dialog.getByLabel('Title').fill('A red picture');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await tab.screenshot('files');
  t.strictSame(await tab.axe(), [], 'the form is accessible');

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').waitFor();
  const { rows } = await app.cluster.db.query(
    `SELECT f.title, f.focal_point_x, f.focal_point_y FROM article a
     JOIN system_files f ON f.id = a.picture`,
  );
  t.strictSame(rows, [{ title: 'A red picture', focal_point_x: 312, focal_point_y: 200 }]);

  await picture
    .getByLabel('Replace content')
    .setInputFiles({ name: 'blue.png', mimeType: 'image/png', buffer: await png('blue') });
  await page.getByText('The file has its new content').waitFor();
  await picture.getByRole('button', { name: 'Take out' }).click();
  await picture.getByRole('button', { name: 'Choose from the library' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'A red picture' }).click();
  await focal.waitFor();
  const faults = tab.faults.filter((fault) => !fault.includes('/files/tus/'));
  t.strictSame(faults, [], 'nothing else went wrong');
});
