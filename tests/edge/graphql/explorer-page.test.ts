// @newest @rare
/** The page to try GraphQL in: who gets it, its policy, and its files. */
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';

const cluster = await startCluster(t);
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = {}, url = cluster.url) =>
  fetch(`${url}${path}`, { headers });

t.test('a browser gets a page whose scripts are files', async (t) => {
  for (const path of ['/graphql', '/graphql/system']) {
    const page = await get(path, BROWSER);
    t.equal(page.status, 200);
    t.match(page.headers.get('content-type'), 'text/html');
    const policy = page.headers.get('content-security-policy') ?? '';
    t.match(policy, "default-src 'none'; script-src 'self';");
    t.match(policy, "connect-src 'self'");
    t.match(policy, "frame-ancestors 'none'");
    const html = await page.text();
    t.notMatch(html, /<script(?![^>]* src=)/, 'no script is part of it');
    const scripts = [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, name = '']) => name);
    t.ok(scripts.includes(path === '/graphql' ? 'items.js' : 'system.js'));
    for (const name of scripts) {
      const file = await get(`/graphql/page/${name}`);
      t.equal(file.status, 200, name);
      t.match(file.headers.get('content-type'), 'text/javascript');
      t.equal(file.headers.get('x-content-type-options'), 'nosniff');
      const tag = file.headers.get('etag') ?? '';
      t.equal((await get(`/graphql/page/${name}`, { 'if-none-match': tag })).status, 304);
    }
  }
});

t.test('everybody else gets answers', async (t) => {
  t.match((await get('/graphql')).headers.get('content-type'), 'application/json');
  const asked = await get('/graphql?query={__typename}', BROWSER);
  t.match(await asked.json(), { data: { __typename: 'Query' } });
  const both = await get('/graphql', { accept: 'application/json, text/html;q=0.9' });
  t.equal(both.status, 400);
});

t.test('nothing but the files of the page', async (t) => {
  for (const name of [
    ...['index.html', 'nothing.js', '../index.js', '..%2findex.js', '%2e%2e/index.js', ''],
    ...['assets/../../index.js', '/etc/passwd', 'main.js%00', 'constructor'],
  ]) {
    const { status } = await get(`/graphql/page/${name}`);
    t.equal(status, 404, name);
  }
});

t.test('it can be turned off', async (t) => {
  const other = await startCluster(t, { env: { GRAPHQL_PAGE: 'off' } });
  t.match(
    (await get('/graphql', BROWSER, other.url)).headers.get('content-type'),
    'application/json',
  );
  t.equal((await get('/graphql/page/main.js', {}, other.url)).status, 404);
});
