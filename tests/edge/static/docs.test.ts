// @newest
/** What `/docs` answers from the folder of a build, and before there is one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { DOCS_ROUTES } from '#edge/static/docs.ts';
import { Folder } from '#edge/static/file-source.ts';
import { serveRoutes } from './fixture/serve-routes.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-docs-'));
t.teardown(() => rmSync(folder, { recursive: true, force: true }));
const docs = new Folder(folder, 'docs.html');
const services = { config: loadConfig({}), adminApp: docs, docs };
const { url } = await serveRoutes(t, DOCS_ROUTES, services);
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, { headers, redirect: 'manual' });
const BROWSER = { accept: 'text/html' };

function build(text: string): void {
  mkdirSync(join(folder, 'docs/assets/1a2b'), { recursive: true });
  mkdirSync(join(folder, 'docs/source/core'), { recursive: true });
  writeFileSync(join(folder, 'docs/query.html'), `query ${text}`);
  writeFileSync(join(folder, 'docs/source/core/page.html.html'), 'a page as code');
  writeFileSync(join(folder, 'docs/not-found.html'), 'no such page');
  writeFileSync(join(folder, 'docs/assets/1a2b/index.json'), '{}');
  writeFileSync(join(folder, 'docs.html'), `first ${text}`);
}

t.test('without its build the documentation says how to build it', async (t) => {
  for (const path of ['/docs', '/docs/query']) {
    const page = await get(path, BROWSER);
    t.equal(page.status, 404, path);
    t.match(await page.text(), 'npm run build:docs', path);
    t.match(await (await get(path)).text(), 'ROUTE_NOT_FOUND', path);
  }
});

t.test('with its build each page has one address', async (t) => {
  build('one');
  t.equal(await (await get('/docs')).text(), 'first one');
  const page = await get('/docs/query');
  t.equal(await page.text(), 'query one');
  t.equal(page.headers.get('cache-control'), 'no-cache');
  t.equal(await (await get('/docs/source/core/page.html')).text(), 'a page as code');
  const index = await get('/docs/assets/1a2b/index.json');
  t.match(index.headers.get('content-type'), 'application/json');
  t.match(index.headers.get('cache-control'), 'immutable');
  for (const path of ['docs', 'docs.html', 'index', 'query.html', 'not-found.html', 'assets']) {
    const answer = await get(`/docs/${path}`, BROWSER);
    t.equal(answer.status, 404, path);
    t.equal(await answer.text(), 'no such page', path);
  }
});

t.test('a page is that of the last build, without the first page being asked for', async (t) => {
  build('number two');
  t.equal(await (await get('/docs/query')).text(), 'query number two');
});
