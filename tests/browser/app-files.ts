/** The library of files: folders, uploads, what describes a file, cutting it, and rights. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { DESKTOP, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { turnDark } from './fixture/screen-checks.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const READER = { email: 'rita@example.com', password: 'the password of Rita' };

async function post({ fetch }: Cluster, path: string, body: object): Promise<string> {
  const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${text}`);
  return JSON.parse(text).data.id;
}

/** Articles with a picture and attachments; Rita reads files and nothing else. */
async function prepare(cluster: Cluster): Promise<void> {
  const { db, fetch } = cluster;
  await db.query(`
    CREATE TABLE article (id serial PRIMARY KEY, title text, picture uuid REFERENCES system_files);
    CREATE TABLE article_file (id serial PRIMARY KEY, article integer REFERENCES article,
      file uuid REFERENCES system_files);
    INSERT INTO article (title) VALUES ('On gardens'), ('On seas');
    INSERT INTO system_fields (collection, field, special, interface)
    VALUES ('article', 'attachments', 'files', 'files');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field, junction_field)
    VALUES ('article_file', 'article', 'article', 'attachments', 'file'),
      ('article_file', 'file', 'system_files', NULL, 'article');
  `);
  await until(
    async () => (await fetch('/items/article?fields=attachments.file')).ok,
    'the relation is served',
  );
  const policy = await post(cluster, '/policies', { name: 'Reading', app_access: true });
  const right = { policy, collection: 'system_files', action: 'read', fields: ['*'] };
  await post(cluster, '/permissions', right);
  const user = await post(cluster, '/users', { ...READER, status: 'active' });
  await post(cluster, '/access', { user, policy });
}

function picture(colour: string, text: string): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600">
    <rect width="900" height="600" fill="${colour}"/>
    <circle cx="620" cy="240" r="150" fill="white" opacity=".6"/>
    <text x="60" y="540" font-size="80" fill="white">${text}</text></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

/** Drops a text file on an element. */
const MAKE_DROP = `(() => {
  const transfer = new DataTransfer();
  transfer.items.add(new File(['What is dropped, is kept.'], 'dropped.txt', { type: 'text/plain' }));
  return transfer;
})()`;

t.test('the library of files', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  // A busy server makes small pictures later.
  tab.expectStatus(503, '/assets/');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const rows = async (sql: string) => (await db.query(sql)).rows;
  await tab.signIn();
  await page.getByRole('link', { name: 'Files' }).click();
  await page.getByText('No files yet').waitFor();

  await t.test('folders and uploads', async (t) => {
    await button('New folder').click();
    await page.getByLabel('Name').fill('Gardens');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Gardens' }).waitFor();
    const folder = mkdtempSync(join(tmpdir(), 'sluice-library-'));
    const names = ['rose.png', 'lily.png', 'tulip.png', 'moss.png', 'fern.png'];
    const colours = ['#a33', '#dda', '#c63', '#363', '#285'];
    const paths: string[] = [];
    for (const [index, name] of names.entries()) {
      const path = join(folder, name);
      writeFileSync(path, await picture(colours[index] ?? '#000', name));
      paths.push(path);
    }
    await page.locator('input[type=file]').setInputFiles(paths);
    await page.getByText('5 files', { exact: true }).waitFor();
    await page.getByText('5 files uploaded').waitFor();
    const transfer = await page.evaluateHandle(MAKE_DROP);
    await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByRole('link', { name: 'Dropped' }).waitFor();
    t.strictSame(
      await rows(`SELECT count(*)::int AS files, d.name FROM system_files f
        JOIN system_folders d ON d.id = f.folder GROUP BY d.name`),
      [{ files: 6, name: 'Gardens' }],
    );
    await page.mouse.move(0, 0);
    await until(
      () =>
        page.evaluate(
          "[...document.querySelectorAll('main img')].every((one) => one.naturalWidth > 0)",
        ),
      'all pictures are there',
    );
    t.strictSame(await tab.axe(), []);
    await tab.screenshot('grid');
  });

  await t.test('found by name, type and order', async (t) => {
    await page.getByLabel('Type').selectOption('Documents');
    await page.getByText('1 file', { exact: true }).waitFor();
    await page.getByLabel('Type').selectOption('Any type');
    await page.getByLabel('Search files').fill('lily');
    await page.getByText('1 file', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Lily' }).waitFor();
    await page.getByLabel('Search files').fill('');
    await page.getByLabel('Order').selectOption('Name');
    await page.getByText('6 files', { exact: true }).waitFor();
    await button('List').click();
    const table = page.getByRole('table');
    await until(
      async () => (await table.getByRole('row').nth(1).textContent())?.includes('Dropped') === true,
      'the first by name',
    );
    t.strictSame(await tab.axe(), []);
    await tab.screenshot('list');
    await button('Grid').click();
  });

  await t.test('moved and downloaded together', async (t) => {
    await button('New folder').click();
    await page.getByLabel('Name').fill('Green');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Green' }).waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('link', { name: 'Fern' }).waitFor();
    const tile = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    for (const name of ['Fern', 'Moss']) await tile(name).getByRole('checkbox').check();
    const download = page.waitForEvent('download');
    await button('Download').click();
    t.equal((await download).suggestedFilename(), 'files.zip');
    await button('Move').click();
    await page.getByRole('dialog').getByLabel('Folder').selectOption({ label: '\u2003Green' });
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.getByText('2 files moved').waitFor();
    await page.getByText('4 files', { exact: true }).waitFor();
  });

  await t.test('described, cut, and where it is used', async (t) => {
    const [rose] = await rows("SELECT id FROM system_files WHERE title = 'Rose'");
    await db.query('UPDATE article SET picture = $1 WHERE id = 1', [rose?.id]);
    await db.query('INSERT INTO article_file (article, file) VALUES (2, $1)', [rose?.id]);
    await page.getByRole('link', { name: 'Rose' }).click();
    await page.getByLabel('Description').fill('A red one');
    await page.getByLabel('Tags').fill('flower, red');
    const focus = page.getByRole('button', { name: /^Focal point/ });
    await focus.press('ArrowRight');
    await button('Save').click();
    await page.getByText('File saved').waitFor();
    t.match(
      await rows("SELECT description, tags, focal_point_x FROM system_files WHERE title = 'Rose'"),
      [{ description: 'A red one', tags: /flower.*red/, focal_point_x: 468 }],
    );
    const usage = page.getByRole('region', { name: 'Used in' });
    await usage.getByRole('link', { name: 'On gardens' }).waitFor();
    await usage.getByRole('link', { name: 'On seas' }).waitFor();
    await page.mouse.move(0, 0);
    t.strictSame(await tab.axe(), []);
    await tab.screenshot('file');
    await button('Crop').click();
    const dialog = page.getByRole('dialog', { name: 'Crop' });
    await dialog.getByLabel('Aspect ratio').selectOption('1:1');
    await until(async () => {
      const box = await dialog.getByRole('group').boundingBox();
      return box !== null && Math.abs(box.width - box.height) < 2;
    }, 'the part is a square');
    t.strictSame(await tab.axe(), []);
    await tab.screenshot('crop');
    await dialog.getByRole('button', { name: 'Save as new file' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rose (cropped)' }).waitFor();
    await until(async () => {
      const [cut] = await rows(
        "SELECT width, height FROM system_files WHERE title LIKE '%cropped%'",
      );
      return cut?.width === 600 && cut?.height === 600;
    }, 'the part has the size that was chosen');
    await button('Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Gardens' }).waitFor();
  });

  await t.test('a folder goes, and its content stays', async (t) => {
    await turnDark(tab);
    await tab.screenshot('grid-dark');
    await page.setViewportSize(PHONE);
    await tab.screenshot('grid-phone');
    await page.setViewportSize(DESKTOP);
    await button('Delete folder').click();
    await page.getByText('The folder contains files (6) and folders (1).').waitFor();
    t.strictSame(await tab.axe(), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'All files' }).waitFor();
    t.strictSame(await rows('SELECT name, parent FROM system_folders'), [
      { name: 'Green', parent: null },
    ]);
    t.strictSame(
      await rows(
        'SELECT count(*)::int, folder IS NULL AS free FROM system_files GROUP BY 2 ORDER BY 2',
      ),
      [
        { count: 2, free: false },
        { count: 4, free: true },
      ],
    );
  });

  await t.test('a folder goes with its content', async (t) => {
    await page.getByRole('list', { name: 'Folders' }).getByRole('link', { name: 'Green' }).click();
    await button('Delete folder').click();
    await page.getByLabel('Delete the content permanently').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'All files' }).waitFor();
    t.strictSame(await rows('SELECT name FROM system_folders'), []);
    t.strictSame(await rows('SELECT count(*)::int FROM system_files'), [{ count: 4 }]);
  });

  await t.test('who may read alone is offered no change', async (t) => {
    const reader = await app.newPage();
    reader.expectStatus(503, '/assets/');
    await reader.signIn(READER);
    await reader.open('/files');
    await reader.page.getByRole('link', { name: 'Rose' }).waitFor();
    for (const name of ['Upload', 'New folder']) {
      t.equal(await reader.page.getByRole('button', { name }).count(), 0, name);
    }
    await reader.page.getByRole('link', { name: 'Rose' }).click();
    await reader.page.getByText('No item uses this file.').waitFor();
    for (const name of ['Save', 'Delete', 'Crop', 'Replace content']) {
      t.equal(await reader.page.getByRole('button', { name }).count(), 0, name);
    }
    t.strictSame(reader.faults, []);
  });
  t.strictSame(tab.faults, []);
});
