/**
 * What pages of other origins can make a real browser send with the cookie of somebody who is
 * signed in. The pages are on other ports of the same host: the same site, so that the browser sends
 * cookies with everything.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import t from 'tap';
import { startBrowser } from '#tests/harness/browser.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';
import { createUser, PASSWORD, QUICK_LOGIN } from '../edge/rest/fixture/sign-in.ts';

/** Serves an empty page on a port, and so an origin, of its own. */
async function startPage(t: Teardown): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>page</title><h1>page</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

/** Ways of a page to send something that needs no permission by CORS. */
const ATTACKS: Readonly<Record<string, (target: string) => Promise<unknown> | unknown>> = {
  'text/plain': (target) =>
    fetch(target, {
      method: 'POST',
      mode: 'no-cors',
      credentials: 'include',
      headers: { 'Content-Type': 'text/plain' },
      body: '{"body":"plain"}',
    }),
  'no type': (target) =>
    fetch(target, {
      method: 'POST',
      mode: 'no-cors',
      credentials: 'include',
      body: new Blob(['{"body":"none"}']),
    }),
  'keepalive, as beacons are': (target) =>
    fetch(target, {
      method: 'POST',
      mode: 'no-cors',
      credentials: 'include',
      keepalive: true,
      body: '{"body":"beacon"}',
    }),
  JSON: (target) =>
    fetch(target, {
      method: 'POST',
      credentials: 'include',
      headers: { 'Content-Type': 'application/json' },
      body: '{"body":"json"}',
    }).catch(() => null),
};

const browser = await startBrowser(t);

t.test(
  'a page of another origin cannot write as its visitor',
  {
    skip: browser === null && 'no browser starts here',
  },
  async (t) => {
    if (browser === null) return;
    const friend = await startPage(t);
    const evil = await startPage(t);
    const cluster = await startCluster(t, {
      env: { ...QUICK_LOGIN, CORS_ENABLED: 'true', CORS_ORIGIN: friend },
    });
    await cluster.db.query('CREATE TABLE notes (id serial PRIMARY KEY, body text)');
    await until(async () => (await cluster.fetch('/items/notes')).ok, 'the table is served');
    const { rows } = await cluster.db.query<{ id: string }>('SELECT id FROM system_roles');
    const user = await createUser(cluster, { role: rows[0]?.id });
    const target = `${cluster.url}/items/notes`;
    const bodies = async () =>
      (await cluster.db.query<{ body: string }>('SELECT body FROM notes ORDER BY id')).rows.map(
        ({ body }) => body,
      );

    const context = await browser.newContext();
    t.teardown(() => context.close());
    const page = await context.newPage();
    // A page of the server itself, which serves none that may run scripts.
    const blank = { contentType: 'text/html', body: '<h1>page</h1>' };
    await page.route(`${cluster.url}/blank`, (route) => route.fulfill(blank));
    await page.goto(`${cluster.url}/blank`);
    // While anything is routed, Playwright answers preflights in the server's place.
    await page.unroute(`${cluster.url}/blank`);
    const post = ([url, body]: readonly [string, unknown]) =>
      fetch(url, {
        method: 'POST',
        credentials: 'include',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }).then((response) => response.status);
    const login = { email: user.email, password: PASSWORD, mode: 'session' };
    t.equal(await page.evaluate(post, [`${cluster.url}/auth/login`, login] as const), 200);
    t.equal(await page.evaluate(post, [target, { body: 'own' }] as const), 200, 'the own origin');

    await page.goto(friend);
    await page.getByRole('heading').waitFor();
    t.equal(await page.evaluate(post, [target, { body: 'friend' }] as const), 200, 'CORS_ORIGIN');

    const answered: (number | string)[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST') answered.push(response.status());
    });
    page.on('requestfailed', (request) => answered.push(request.failure()?.errorText ?? 'failed'));
    let sent = 0;
    for (const [name, attack] of Object.entries(ATTACKS)) {
      await page.goto(evil);
      await page.getByRole('heading').waitFor();
      await page.evaluate(attack, target);
      sent += 1;
      await until(() => answered.length >= sent, `${name} is answered`);
    }
    await page.goto(evil);
    await page.setContent(`<form method="post" enctype="text/plain" action="${target}">
    <input name='{"body":"form' value='"}'><button>Win</button></form>`);
    await Promise.all([page.waitForNavigation(), page.getByRole('button').click()]);
    t.equal(answered.at(-1), 403, 'a form gets the reason');
    t.notOk(answered.includes(200), answered.join(', '));
    t.strictSame(await bodies(), ['own', 'friend']);
  },
);
