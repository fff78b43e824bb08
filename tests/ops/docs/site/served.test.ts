// @newest
/** The documentation as an edge serves its build. */
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { checkDocsBuilt } from '#tests/harness/docs.ts';

checkDocsBuilt();
const cluster = await startCluster(t);
const get = (path: string, init: RequestInit = {}) =>
  fetch(`${cluster.url}${path}`, { redirect: 'manual', ...init });

t.test('pages are there for several who ask at the same time, under a policy', async (t) => {
  const answers = await Promise.all(
    ['/docs', '/docs/query', '/docs/nowhere'].map((path) => get(path)),
  );
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 404],
  );
  const page = await answers[1]?.text();
  t.match(page, '<h1>Queries</h1>');
  t.match(
    answers[0]?.headers.get('content-security-policy'),
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  );
});

t.test('style, scripts and index are named by the page, and are kept', async (t) => {
  const page = await (await get('/docs/query')).text();
  const names = [...page.matchAll(/"(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  t.equal(new Set(names).size, 5);
  for (const name of names) {
    const { status, headers } = await get(`/docs/${name}`, { method: 'HEAD' });
    t.equal(status, 200, name);
    t.match(headers.get('cache-control'), 'immutable', name);
  }
  const script = await (
    await get(`/docs/${names.find((name) => name.endsWith('docs.mjs'))}`)
  ).text();
  t.match(script, "from './search.mjs'");
  const search = names[0]?.replace(/[^/]+$/, 'search.mjs');
  t.match((await get(`/docs/${search}`)).headers.get('content-type'), 'text/javascript');
});

t.test('a page has one address, and a browser gets a page where there is none', async (t) => {
  const { status, headers } = await get('/docs/query/');
  t.strictSame([status, headers.get('location')], [301, '../query']);
  const missing = await get('/docs/decisions/nothing', { headers: { accept: 'text/html' } });
  t.equal(missing.status, 404);
  t.match(await missing.text(), 'There is no such page');
  t.equal((await get('/docs/README.md')).status, 404, 'documents are no files of the site');
  const picture = await get('/docs/tour/8-list.png');
  t.strictSame([picture.status, picture.headers.get('content-type')], [200, 'image/png']);
});
