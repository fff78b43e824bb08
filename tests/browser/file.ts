/**
 * Files in a real browser: uploads by tus from a page of another origin, images in other forms, and
 * content of users that would run if it could.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import t from 'tap';
import * as v from 'valibot';
import { startBrowser } from '#tests/harness/browser.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const require = createRequire(import.meta.url);
const TUS_CLIENT = readFileSync(require.resolve('tus-js-client/dist/tus.min.js'));
const MIB = 1024 * 1024;

/** Another origin: pages, raw content, and a place that content reaches when it runs. */
interface Friend {
  readonly url: string;
  /** What has reached it. */
  readonly reached: string[];
  /** Content that is served as it says it is, without any protection. */
  readonly raw: Map<string, { readonly type: string; readonly body: string }>;
}

async function startFriend(t: Teardown): Promise<Friend> {
  const reached: string[] = [];
  const raw: Friend['raw'] = new Map();
  const server = createServer(({ url = '/' }, response) => {
    if (url.startsWith('/reached/')) {
      reached.push(decodeURIComponent(url.slice('/reached/'.length)));
      response.writeHead(204).end();
      return;
    }
    const found = raw.get(url);
    if (url === '/tus.js') response.setHeader('Content-Type', 'text/javascript').end(TUS_CLIENT);
    else if (found !== undefined) response.setHeader('Content-Type', found.type).end(found.body);
    else response.setHeader('Content-Type', 'text/html').end('<!doctype html><h1>page</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { url: `http://127.0.0.1:${port}`, reached, raw };
}

/** Stores a file. @returns a URL of it that works without a token */
async function stored(
  cluster: Cluster,
  content: string | Uint8Array<ArrayBuffer>,
  name: string,
  type: string,
) {
  const form = new FormData();
  form.append('file', new File([content], name, { type }));
  const answer = await cluster.fetch('/files', { method: 'POST', body: form });
  const { id } = JSON.parse(await answer.text()).data;
  const signed = await cluster.fetch(`/files/${id}/url`, { method: 'POST', body: '{}' });
  const url: string = JSON.parse(await signed.text()).data.url;
  return new URL(url.replace(/^https?:\/\/[^/]+/, cluster.url)).href;
}

const uploaded = v.object({
  key: v.string(),
  /** Uploads that the page remembered. */
  previous: v.number(),
  /** Bytes that were there when it went on. */
  began: v.number(),
  sha256: v.array(v.number()),
});

/** Uploads in the page, interrupted after the first piece and resumed by another object. */
async function uploadInPage(page: Page, endpoint: string, bytes: number) {
  const done: unknown = await page.evaluate(`(async () => {
    const content = new Uint8Array(${bytes}).map((_, n) => (n * 31) % 251);
    const file = new File([content], 'a picture.bin');
    let key = null;
    let began = 0;
    let previous = 0;
    const options = {
      endpoint: ${JSON.stringify(endpoint)},
      chunkSize: ${MIB},
      metadata: { filename: file.name },
      headers: { Authorization: 'Bearer ${ADMIN_TOKEN}' },
      onAfterResponse: (_, answer) => { key = answer.getHeader('File-Id') ?? key; },
    };
    await new Promise((resolve, reject) => {
      const first = new tus.Upload(file, {
        ...options,
        onError: reject,
        onChunkComplete: () => first.abort().then(resolve, reject),
      });
      first.start();
    });
    await new Promise((resolve, reject) => {
      const second = new tus.Upload(file, {
        ...options,
        onError: reject,
        onProgress: (sent) => { began ||= sent; },
        onSuccess: resolve,
      });
      second.findPreviousUploads().then((uploads) => {
        previous = uploads.length;
        second.resumeFromPreviousUpload(uploads[0]);
        second.start();
      }, reject);
    });
    const digest = await crypto.subtle.digest('SHA-256', content);
    return { key, previous, began, sha256: [...new Uint8Array(digest)] };
  })()`);
  return v.parse(uploaded, done);
}

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

t.test('files in a browser', { skip }, async (t) => {
  if (browser === null) return;
  const friend = await startFriend(t);
  const cluster = await startCluster(t, {
    edges: 1,
    workers: 1,
    env: { CORS_ENABLED: 'true', CORS_ORIGIN: friend.url },
  });
  const context = await browser.newContext();
  t.teardown(() => context.close());

  t.test('tus from a page of another origin goes on where it was', async (t) => {
    const page = await context.newPage();
    await page.goto(friend.url);
    await page.addScriptTag({ url: `${friend.url}/tus.js` });
    const done = await uploadInPage(page, `${cluster.url}/files/tus`, 3 * MIB + 5);
    t.equal(done.previous, 1, 'the page remembers the upload');
    t.ok(done.began >= MIB, `it went on behind ${done.began} bytes`);
    const answer = await cluster.fetch(`/assets/${done.key}`);
    t.equal(answer.status, 200);
    const hash = createHash('sha256').update(new Uint8Array(await answer.arrayBuffer()));
    t.strictSame([...hash.digest()], done.sha256);
    await page.close();
  });

  t.test('an image is shown in the best format that the browser takes', async (t) => {
    const create = { width: 200, height: 100, channels: 3, background: '#0a0' } as const;
    const picture = await sharp({ create }).png().toBuffer();
    const url = await stored(cluster, new Uint8Array(picture), 'green.png', 'image/png');
    const page = await context.newPage();
    await page.goto(friend.url);
    const types: (string | undefined)[] = [];
    page.on('response', (answer) => {
      if (answer.url().startsWith(cluster.url)) types.push(answer.headers()['content-type']);
    });
    await page.setContent(`<img src="${url}&width=20&format=auto">`);
    const width = await page.evaluate(`(async () => {
      const image = document.querySelector('img');
      await image.decode();
      return image.naturalWidth;
    })()`);
    t.equal(width, 20);
    t.match(types, [/^image\/(avif|webp)$/]);
    await page.close();
  });

  t.test('content of users does not run in the origin of the API', async (t) => {
    const script = (name: string) => `fetch('${friend.url}/reached/${name}',{mode:'no-cors'})`;
    const html = (name: string) => `<!doctype html><h1>x</h1><script>${script(name)}</script>`;
    const svg = (name: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>${script(name)}</script></svg>`;
    const xhtml = (name: string) =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${script(name)}</script></body></html>`;
    const cases = [
      { name: 'html', file: 'a.html', type: 'text/html', body: html('html') },
      { name: 'html as png', file: 'a.png', type: 'image/png', body: html('html as png') },
      { name: 'svg', file: 'a.svg', type: 'image/svg+xml', body: svg('svg') },
      { name: 'xhtml', file: 'a.xhtml', type: 'application/xhtml+xml', body: xhtml('xhtml') },
      { name: 'gif', file: 'a.gif', type: 'image/gif', body: `GIF89a${html('gif')}` },
      { name: 'text', file: 'a.txt', type: 'text/plain', body: html('text') },
    ];
    const shown = async (urls: readonly string[]) => {
      const page = await context.newPage();
      for (const url of urls) {
        // A download is no page.
        await page.goto(url).catch(() => null);
        await page.goto(friend.url);
        await page.setContent(`<iframe src="${url}"></iframe><embed src="${url}">
          <object data="${url}"></object><img src="${url}">`);
      }
      await page.close();
    };
    const urls: string[] = [];
    for (const { file, type, body } of cases) urls.push(await stored(cluster, body, file, type));
    await shown(urls);
    // The same content without protection, which runs: so nothing is merely late.
    const running = cases.filter(({ name }) => ['html', 'svg', 'xhtml'].includes(name));
    for (const { name, type, body } of running) {
      friend.raw.set(`/${name}`, { type, body: body.replace(`/reached/`, '/reached/control ') });
    }
    t.strictSame(friend.reached, [], 'nothing ran');
    await shown(running.map(({ name }) => `${friend.url}/${name}`));
    await until(
      () => running.every(({ name }) => friend.reached.includes(`control ${name}`)),
      'what is not protected runs',
    );
    t.ok(
      friend.reached.every((name) => name.startsWith('control ')),
      friend.reached.join(),
    );
  });
});
