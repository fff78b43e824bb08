/** Files in forms of the Admin App: uploaded with progress, chosen, given a focal point, replaced. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { startS3Server } from '#tests/harness/s3-server.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

function png(colour: string): Promise<Buffer> {
  const create = { width: 600, height: 400, channels: 3, background: colour } as const;
  return sharp({ create }).png().toBuffer();
}

const MIB = 1_048_576;

/** A file of 9 MiB as somebody drops it; its SHA-256 is kept beside it. */
const MAKE_DROP = `(async () => {
  const bytes = new Uint8Array(9 * ${MIB});
  for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  globalThis.digest = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], 'large.bin', { lastModified: 1 }));
  return transfer;
})()`;

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
    column('picture', 'uuid', { special: ['file'], interface: 'file' }),
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
  // The server makes so many others that it gives up on this one at first.
  tab.expectStatus(503, '/assets/');
  let asked = 0;
  await page.route('**/assets/*system-large-contain*', (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 503 }) : route.continue();
  });

  await picture
    .locator('input[type=file]')
    .setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: await png('red') });
  const focal = picture.getByRole('button', { name: /Focal point/ });
  await focal.waitFor();
  await focal.focus();
  await page.keyboard.press('ArrowRight');
  await until(
    () => page.evaluate("document.querySelector('[data-field=picture] img')?.naturalWidth > 0"),
    'the picture is shown',
  );
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
  await page.getByText('Content replaced').waitFor();
  await picture.getByRole('button', { name: 'Remove' }).click();
  await picture.getByRole('button', { name: 'Choose from the library' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'A red picture' }).click();
  await focal.waitFor();
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test(
  'an upload that begins while a new item is saved goes into the item',
  { skip },
  async (t) => {
    if (browser === null) return;
    const app = await startApp(t, browser, { prepare: makeArticle, workers: 1 });
    const { db } = app.cluster;
    const tab = await app.newPage();
    const { page } = tab;
    await tab.signIn();
    await tab.open('/content/article/+');
    /** Keeps back what is written to a path until it is let go. */
    const holdBack = async (path: string | RegExp) => {
      const held = { isSent: false, letGo() {} };
      const kept = new Promise<void>((resolve) => {
        held.letGo = resolve;
      });
      await page.route(path, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        held.isSent = true;
        await kept;
        return route.continue();
      });
      return held;
    };
    const item = await holdBack('**/items/article*');
    const upload = await holdBack(/\/files(\/tus)?(\?|$)/);
    await page.getByRole('textbox', { name: 'Title' }).fill('With a picture');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(() => item.isSent, 'the item is being saved');
    await page
      .getByRole('group', { name: 'Picture' })
      .locator('input[type=file]')
      .setInputFiles({ name: 'late.png', mimeType: 'image/png', buffer: await png('green') });
    await until(() => upload.isSent, 'the file is on its way');
    item.letGo();
    const made = async () =>
      (await db.query("SELECT picture FROM article WHERE title LIKE 'With%'")).rows;
    await until(async () => (await made()).length === 1, 'the item is made');
    upload.letGo();
    await page.waitForURL(/\/content\/article\/\d+$/);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await made())[0]?.picture !== null, 'the item has its picture');
    t.equal((await made()).length, 1, 'the item is made once');
    t.strictSame(tab.faults, []);
  },
);

t.test('a large file arrives in pieces, over a connection that breaks', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeArticle, workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/content/article/1');
  const picture = page.getByRole('group', { name: 'Picture' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const stored = async () => {
    const { rows } = await app.cluster.db.query('SELECT title, picture FROM article');
    return rows[0];
  };

  // The first piece breaks off, and the last one is kept back until the form was to be saved.
  const pieces: string[] = [];
  let letGo = () => {};
  const kept = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/files/tus/*', async (route) => {
    const request = route.request();
    if (request.method() !== 'PATCH') return route.continue();
    pieces.push(request.headers()['upload-offset'] ?? '');
    if (pieces.length === 1) return route.abort('connectionreset');
    if (pieces.length === 4) await kept;
    return route.continue();
  });
  const dropped = await page.evaluateHandle(MAKE_DROP);
  const digest = await page.evaluate('globalThis.digest');
  await picture.getByText('Drop a file here').dispatchEvent('drop', { dataTransfer: dropped });
  await until(() => pieces.length === 4, 'the pieces are sent');
  t.strictSame(pieces, ['0', '0', String(4 * MIB), String(8 * MIB)], 'it goes on where it broke');
  const progress = picture.getByRole('progressbar', { name: 'Uploading large.bin' });
  await until(
    async () => Number(await progress.getAttribute('aria-valuenow')) >= 80,
    'the progress is shown',
  );
  await page.getByRole('textbox', { name: 'Title' }).fill('With a large file');
  await save.click();
  await page.getByText('A file is still being uploaded').waitFor();
  await tab.screenshot('uploading');
  t.strictSame(await tab.axe(), [], 'waiting is accessible');
  t.equal((await stored()).title, 'First', 'nothing is saved before');
  letGo();
  await until(async () => (await stored()).picture, 'the form is saved with the file');
  t.equal((await stored()).title, 'With a large file');
  const answer = await app.cluster.fetch(`/assets/${(await stored()).picture}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  t.equal(createHash('sha256').update(bytes).digest('hex'), digest, 'it is whole');
  await picture.getByText('application/octet-stream').waitFor();

  t.strictSame(
    tab.faults.filter((fault) => !fault.startsWith('net::ERR_CONNECTION_RESET')),
    [],
    'nothing else went wrong',
  );
});

t.test(
  'an upload that failed goes on, also after the page was loaded again',
  { skip },
  async (t) => {
    if (browser === null) return;
    const app = await startApp(t, browser, { prepare: makeArticle, workers: 1 });
    const tab = await app.newPage();
    const { page } = tab;
    const path = join(t.testdir(), 'film.bin');
    const content = randomBytes(9 * MIB);
    writeFileSync(path, content);
    await tab.signIn();
    await tab.open('/content/article/1');
    const picture = page.getByRole('group', { name: 'Picture' });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const choose = () => picture.locator('input[type=file]').setInputFiles(path);

    // The first piece arrives, and then nothing more does.
    const pieces: string[] = [];
    let isBroken = true;
    let letGo = () => {};
    let kept = Promise.resolve();
    const hold = () => {
      kept = new Promise<void>((resolve) => {
        letGo = resolve;
      });
    };
    await page.route('**/files/tus/*', async (route) => {
      const { 'upload-offset': offset = '' } = route.request().headers();
      if (route.request().method() === 'PATCH') pieces.push(offset);
      if (!isBroken || offset === '0') return await route.continue();
      await kept;
      // One that was given up meanwhile is there no more.
      await route.abort('connectionreset').catch(() => undefined);
    });
    hold();
    await choose();
    const goOn = picture.getByRole('button', { name: 'Resume' });
    await until(() => pieces.includes(String(4 * MIB)), 'the first piece is there');
    await page.getByRole('textbox', { name: 'Title' }).fill('With a film');
    await save.click();
    await page.getByText('A file is still being uploaded').waitFor();
    letGo();
    await goOn.waitFor();
    await page.getByText('A file could not be uploaded.').waitFor();
    await tab.screenshot('upload-failed');
    t.strictSame(await tab.axe(), [], 'the failure is accessible');
    const { rows } = await app.cluster.db.query('SELECT title FROM article');
    t.strictSame(rows, [{ title: 'First' }], 'nothing is saved without the file');

    page.on('dialog', (question) => question.accept());
    await page.reload();
    await picture.getByText('Drop a file here').waitFor();
    isBroken = false;
    pieces.length = 0;
    await choose();
    await picture.getByText('application/octet-stream').waitFor();
    t.strictSame(pieces, [String(4 * MIB), String(8 * MIB)], 'what had arrived is not sent again');
    await save.click();
    const file = await until(async () => {
      const stored = await app.cluster.db.query('SELECT picture FROM article');
      return stored.rows[0].picture;
    }, 'the form is saved');
    const answer = await app.cluster.fetch(`/assets/${file}`);
    t.ok(content.equals(Buffer.from(await answer.arrayBuffer())), 'it is whole');

    await picture.getByRole('button', { name: 'Remove' }).click();
    isBroken = true;
    hold();
    await choose();
    await picture.getByRole('progressbar').waitFor();
    const isRemembered = () =>
      page.evaluate("Object.keys(localStorage).some((key) => key.includes('film'))");
    await until(async () => (await isRemembered()) === true, 'it has begun');
    await picture.getByRole('button', { name: 'Cancel film.bin' }).click();
    await picture.getByRole('progressbar').waitFor({ state: 'detached' });
    letGo();
    t.equal(await isRemembered(), false, 'one that is given up is forgotten');
    t.strictSame(
      tab.faults.filter((fault) => !fault.startsWith('net::ERR_CONNECTION_RESET')),
      [],
      'nothing else went wrong',
    );
  },
);

t.test('pictures are shown that a bucket sends to browsers', { skip }, async (t) => {
  if (browser === null) return;
  const bucket = await startS3Server(t);
  const app = await startApp(t, browser, {
    prepare: makeArticle,
    workers: 1,
    env: {
      STORAGE_LOCATIONS: 'bucket',
      STORAGE_BUCKET_DRIVER: 's3',
      STORAGE_BUCKET_BUCKET: bucket.bucket,
      STORAGE_BUCKET_ENDPOINT: bucket.url,
      STORAGE_BUCKET_FORCE_PATH_STYLE: 'true',
      STORAGE_BUCKET_KEY: 'S3RVER',
      STORAGE_BUCKET_SECRET: 'S3RVER',
      STORAGE_BUCKET_REDIRECT: 'true',
    },
  });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/content/article/1');
  const picture = page.getByRole('group', { name: 'Picture' });
  await picture
    .locator('input[type=file]')
    .setInputFiles({ name: 'green.png', mimeType: 'image/png', buffer: await png('green') });
  await until(
    () => page.evaluate("document.querySelector('[data-field=picture] img')?.naturalWidth > 0"),
    'the picture is shown',
  );
  await tab.screenshot('bucket');
  const [foreign, faults] = [true, false].map((isForeign) =>
    tab.faults.filter((fault) => fault.startsWith('foreign: ') === isForeign),
  );
  t.ok(foreign?.every((fault) => fault.startsWith(`foreign: ${bucket.url}/`)));
  t.ok(foreign?.length, 'it comes from the bucket');
  t.strictSame(faults, [], 'nothing else went wrong');
});
