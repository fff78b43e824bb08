// @newest
/** The root of a server, the Admin App with and without its build, and what no limit counts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-app-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const cluster = await startCluster(t, {
  env: {
    ADMIN_APP_DIR: folder,
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_POINTS: '1',
    RATE_LIMIT_DURATION: '3600',
  },
});
const get = (path: string, headers: Record<string, string> = {}, url = cluster.url) =>
  fetch(`${url}${path}`, { headers, redirect: 'manual' });
const BROWSER = { accept: 'text/html' };

t.test('without its build the app says how to build it', async (t) => {
  t.equal((await get('/')).headers.get('location'), 'docs');
  const page = await get('/admin/content', BROWSER);
  t.equal(page.status, 404);
  t.match(await page.text(), 'npm run build:app');
  t.equal((await get('/admin')).status, 404);
});

t.test('with its build it answers deep links, under a policy', async (t) => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'assets/index-1a2b3c4d.js'), 'export {};');
  writeFileSync(join(folder, 'index.html'), '<title>app</title>');
  const front = await get('/');
  t.equal(front.status, 302);
  t.equal(front.headers.get('location'), 'admin');
  for (const path of ['/admin', '/admin/', '/admin/content/my.table/1', '/admin/users?page=2']) {
    const page = await get(path, BROWSER);
    t.equal(await page.text(), '<title>app</title>', path);
    t.match(page.headers.get('content-security-policy'), "script-src 'self';");
    t.equal(page.headers.get('cache-control'), 'no-cache');
  }
  const script = await get('/admin/assets/index-1a2b3c4d.js');
  t.match(script.headers.get('cache-control'), 'immutable');
  const gone = await get('/admin/assets/index-00000000.js', BROWSER);
  t.equal(gone.status, 404);
  t.notMatch(await gone.text(), 'build:app');
});

t.test('an icon, and crawlers stay away', async (t) => {
  const icon = await get('/favicon.ico');
  t.equal(icon.headers.get('content-type'), 'image/x-icon');
  t.equal(Buffer.from(await icon.arrayBuffer()).readUInt16LE(2), 1);
  t.equal(await (await get('/robots.txt')).text(), 'User-agent: *\nDisallow: /\n');
});

t.test('no token, no session and no limit matters to them', async (t) => {
  const headers = { authorization: 'Bearer wrong', cookie: 'session_token=wrong' };
  t.equal((await get('/server/info')).status, 429, 'the limit is used up by /robots.txt');
  for (const path of ['/admin', '/admin/assets/index-1a2b3c4d.js', '/favicon.ico']) {
    const answer = await get(path, headers);
    t.equal(answer.status, 200, path);
    t.equal(answer.headers.get('ratelimit'), null, path);
  }
});

t.test('both can be turned off', async (t) => {
  const other = await startCluster(t, { env: { ADMIN_APP: 'off', DOCS_PAGE: 'off' } });
  for (const path of ['/', '/admin', '/docs']) {
    t.equal((await get(path, BROWSER, other.url)).status, 404, path);
  }
});
