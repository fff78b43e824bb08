// @newest
/** What a static site answers: names, types, headers, codings, deep links; and nothing outside of it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { Folder, filesInMemory, firstOf } from '#edge/static/file-source.ts';
import { StaticFile } from '#edge/static/static-file.ts';
import { type StaticSite, staticRoutes } from '#edge/static/static-routes.ts';
import { exchange, request } from '#tests/edge/http/fixture/client.ts';
import { serveRoutes } from './fixture/serve-routes.ts';

const SCRIPT = 'console.log("a script that is long enough to be compressed");\n'.repeat(60);
const BROWSER = 'Accept: text/html,application/xhtml+xml,*/*;q=0.8';

const root = mkdtempSync(join(tmpdir(), 'sluice-static-'));
t.teardown(() => rmSync(root, { recursive: true, force: true }));
const folder = join(root, 'site');
mkdirSync(join(folder, 'assets'), { recursive: true });
writeFileSync(join(root, 'secret.txt'), 'secret');
writeFileSync(join(folder, 'index.html'), '<h1>first</h1>');
writeFileSync(join(folder, 'assets/app-1a2b3c4d.js'), SCRIPT);
writeFileSync(join(folder, 'assets/ready-1a2b3c4d.js'), SCRIPT);
const ready = brotliCompressSync('made by the build');
writeFileSync(join(folder, 'assets/ready-1a2b3c4d.js.br'), ready);
writeFileSync(join(folder, 'a b.v1.txt'), 'dots and blanks');
writeFileSync(join(folder, 'licenses.md'), '# Licences');
writeFileSync(join(folder, 'program.sh'), 'not served');
symlinkSync(join(root, 'secret.txt'), join(folder, 'link.txt'));
symlinkSync(root, join(folder, 'up'));

const made = filesInMemory(
  new Map([
    ['guide', new StaticFile('text/html; charset=utf-8', '<h1>guide</h1>')],
    ['missing.html', new StaticFile('text/html; charset=utf-8', '<h1>nothing here</h1>')],
  ]),
);
const files = new Folder(folder);
const base: Omit<StaticSite, 'prefix'> = {
  title: 'a site',
  enabled: () => true,
  source: () => firstOf(files, made),
  policy: (name) => `default-src 'none'; report-uri /${encodeURIComponent(name)}`,
  entry: 'index.html',
  hashed: /^assets\//,
};
const services = { config: loadConfig({}), adminApp: files, docs: files };
const routes = [
  ...staticRoutes({ ...base, prefix: '/app', deepLinks: 'index.html' }),
  ...staticRoutes({ ...base, prefix: '/docs', missing: 'missing.html' }),
  ...staticRoutes({ ...base, prefix: '/off', enabled: () => false }),
];
const { port, url } = await serveRoutes(t, routes, services);

/** Sends a path as it is, which fetch would tidy up. */
async function raw(path: string, ...headers: string[]) {
  const answer = await exchange(port, request(`GET ${path}`, headers));
  return { status: Number(answer.split(' ')[1]), answer };
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${url}${path}`, { headers, method, redirect: 'manual' });

t.test('files have their type, their tag and the policy of the site', async (t) => {
  const page = await get('/docs');
  t.equal(page.status, 200);
  t.equal(await page.text(), '<h1>first</h1>');
  t.match(page.headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(page.headers.get('cache-control'), 'no-cache');
  t.equal(page.headers.get('x-content-type-options'), 'nosniff');
  t.equal(page.headers.get('referrer-policy'), 'no-referrer');
  t.match(page.headers.get('content-security-policy'), 'report-uri /index.html');
  const tag = page.headers.get('etag') ?? '';
  const again = await get('/docs', { 'If-None-Match': tag });
  t.equal(again.status, 304);
  t.equal(again.headers.get('etag'), tag);
  t.equal((await get('/docs', { 'If-None-Match': '"another"' })).status, 200);
  const script = await get('/docs/assets/app-1a2b3c4d.js');
  t.match(script.headers.get('content-type'), 'text/javascript');
  t.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  t.equal(await (await get('/docs/a%20b.v1.txt')).text(), 'dots and blanks');
  const licences = await get('/app/licenses.md');
  t.match(licences.headers.get('content-type'), 'text/plain');
  t.equal(await licences.text(), '# Licences');
  t.equal(await (await get('/docs/guide')).text(), '<h1>guide</h1>');
});

t.test('HEAD answers like GET, without the body', async (t) => {
  for (const coding of ['identity', 'gzip', 'br']) {
    const headers = { 'Accept-Encoding': coding };
    const path = '/app/assets/app-1a2b3c4d.js';
    const [whole, head] = [await get(path, headers), await get(path, headers, 'HEAD')];
    await whole.text();
    t.equal(await head.text(), '');
    for (const name of ['etag', 'content-type', 'content-encoding', 'vary', 'content-length']) {
      t.equal(head.headers.get(name), whole.headers.get(name), `${coding} ${name}`);
    }
  }
});

t.test('long texts are compressed once, and what the build has compressed is sent', async (t) => {
  const path = '/app/assets/app-1a2b3c4d.js';
  const asked = (coding: string, of = path) =>
    exchange(port, request(`GET ${of}`, [`Accept-Encoding: ${coding}`]));
  t.match(await asked('br'), /Content-Encoding: br\r\n/i);
  t.match(await asked('br'), /Vary: Accept-Encoding/i);
  t.equal(await (await get(path, { 'Accept-Encoding': 'gzip' })).text(), SCRIPT);
  const file = await files.find('assets/app-1a2b3c4d.js');
  if (file === null) throw new Error('no file');
  t.equal(file.compressed('br'), file.compressed('br'), 'made once');
  t.equal(Buffer.from(brotliDecompressSync(await file.compressed('br'))).toString(), SCRIPT);
  t.equal(Buffer.from(gunzipSync(await file.compressed('gzip'))).toString(), SCRIPT);
  t.notMatch(await asked('identity'), /Content-Encoding/i);
  t.notMatch(await asked('gzip', '/docs'), /Content-Encoding/i, 'a short one is not');
  const built = await get('/app/assets/ready-1a2b3c4d.js', { 'Accept-Encoding': 'br' });
  t.equal(await built.text(), 'made by the build');
  t.equal((await get('/app/assets/ready-1a2b3c4d.js.br')).status, 404, 'by itself it is no file');
});

t.test('nothing outside of the folder, and no other way to write a name', async (t) => {
  const attempts = [
    ...['../secret.txt', '..%2fsecret.txt', '%2e%2e/secret.txt', '%2e%2e%2fsecret.txt'],
    ...['assets/../../secret.txt', 'assets/..%2f..%2fsecret.txt', '....//secret.txt'],
    ...['..%5csecret.txt', '%252e%252e%252fsecret.txt', '..;/secret.txt', '/etc/passwd'],
    ...['%2fetc%2fpasswd', 'link.txt', 'up/secret.txt', 'up/site/index.html', 'program.sh'],
    ...['index.html%00', 'index.html%00.js', 'assets%2fapp-1a2b3c4d.js', './index.html'],
    ...['assets//app-1a2b3c4d.js', '%ff', '%', 'constructor', '__proto__', 'assets', 'assets/'],
    ...['index.html%20', 'INDEX.HTML', 'index.html%0d%0aX:y', '..%c0%af..%c0%afsecret.txt'],
  ];
  for (const attempt of attempts) {
    const { status, answer } = await raw(`/docs/${attempt}`);
    t.equal(status, 404, attempt);
    t.notMatch(answer, /\r\n\r\n(?:secret|not served|<h1>)/, attempt);
    const page = await raw(`/app/${attempt}`);
    t.ok(page.status === 404 || page.answer.includes('<h1>first'), `${attempt} ${page.status}`);
  }
  for (const attempt of ['../secret.txt', '%2e%2e/x', 'a/../../b', 'x%00', '.']) {
    t.equal((await raw(`/app/${attempt}`, BROWSER)).status, 404, `no deep link: ${attempt}`);
  }
  t.equal((await raw('/docs/../app')).status, 404);
});

t.test('an application answers every path that a person may open', async (t) => {
  const isPage = async (path: string, ...headers: string[]) =>
    (await raw(path, ...headers)).answer.includes('<h1>first</h1>');
  for (const path of [
    '',
    '/',
    '/content',
    '/content/my.table/1.5',
    '/content/a%2Fb/',
    '/x/%E2%82%AC',
  ]) {
    t.ok(await isPage(`/app${path}`), path);
    t.ok(await isPage(`/app${path}?page=2`, BROWSER), `${path} in a browser`);
  }
  t.ok(await isPage('/app/content/notes.txt', BROWSER), 'a key that looks like a file');
  for (const path of ['/logo.png', '/assets/gone-1a2b3c4d.js', '/assets/gone']) {
    t.equal((await raw(`/app${path}`)).status, 404, path);
  }
  t.equal((await raw('/app/assets/gone-1a2b3c4d.js', BROWSER)).status, 404);
});

t.test('other sites have one address for each page, and say where there is none', async (t) => {
  for (const [path, to] of [
    ['/docs/', '../docs'],
    ['/docs/guide/', '../guide'],
  ] as const) {
    const answer = await get(path);
    t.equal(answer.status, 301, path);
    t.equal(answer.headers.get('location'), to);
  }
  const missing = await raw('/docs/nowhere', BROWSER);
  t.equal(missing.status, 404);
  t.match(missing.answer, '<h1>nothing here</h1>');
  t.match((await raw('/docs/nowhere')).answer, 'ROUTE_NOT_FOUND');
  for (const path of ['/off', '/off/index.html']) t.equal((await get(path)).status, 404);
});

t.test('a new build is noticed, and a folder that is not there holds nothing', async (t) => {
  t.equal((await get('/app/new.txt')).status, 404);
  writeFileSync(join(folder, 'new.txt'), 'new');
  rmSync(join(folder, 'assets/app-1a2b3c4d.js'));
  writeFileSync(join(folder, 'index.html'), '<h1>second, which is longer</h1>');
  t.equal(await (await get('/app/new.txt')).text(), 'new');
  t.equal(await (await get('/app')).text(), '<h1>second, which is longer</h1>');
  t.equal((await get('/app/assets/app-1a2b3c4d.js')).status, 404);
  const none = new Folder(join(root, 'nothing'));
  t.equal(await none.exists(), false);
  t.equal(await none.find('index.html'), null);
});
