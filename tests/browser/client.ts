/**
 * The client in pages of another origin: sessions in cookies over several tabs, refreshes, sleep,
 * uploads that tell their progress, and subscriptions.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import t from 'tap';
import { startBrowser } from '#tests/harness/browser.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';
import { createUser, PASSWORD, QUICK_LOGIN } from '../edge/rest/fixture/sign-in.ts';

/** A client that waits ten times as long for other tabs. */
const PATIENT = `((wait) => {
  globalThis.setTimeout = (work, ms, ...rest) => wait(work, ms === 300 ? 3_000 : ms, ...rest);
})(globalThis.setTimeout)`;

const SOURCE = fileURLToPath(new URL('../../ops/client/source/index.ts', import.meta.url));

/** Serves a page with the client on a port, and so an origin, of its own. */
async function startApp(t: Teardown): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [SOURCE],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    globalName: 'sluice',
    target: 'es2022',
  });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer(({ url }, response) => {
    if (url === '/client.js') response.setHeader('Content-Type', 'text/javascript').end(script);
    else {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><script src="/client.js"></script><h1>app</h1>');
    }
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

const browser = await startBrowser(t);
if (browser === null) {
  t.test('tabs', { skip: 'no browser starts here' }, async () => undefined);
} else {
  const app = await startApp(t);
  const cluster = await startCluster(t, {
    workers: 1,
    env: { ...QUICK_LOGIN, CORS_ENABLED: 'true', CORS_ORIGIN: app, WEBSOCKETS_ENABLED: 'true' },
  });
  await cluster.db.query('CREATE TABLE note (id serial PRIMARY KEY, title text)');
  await until(async () => (await cluster.fetch('/items/note')).ok, 'the table is served');
  const { rows } = await cluster.db.query<{ id: string }>('SELECT id FROM system_roles');

  /** Refreshes that pages of a context have asked for. */
  function watch(context: BrowserContext): string[] {
    const seen: string[] = [];
    context.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/auth/refresh')) {
        seen.push(request.url());
      }
    });
    return seen;
  }

  /** A tab with a client, which is `client` in its scripts. */
  async function openTab(context: BrowserContext, options: object = {}): Promise<Page> {
    const page = await context.newPage();
    // On a busy machine the other tabs need longer to answer than a tab waits for them.
    await page.addInitScript(PATIENT);
    await page.goto(app);
    await page.getByRole('heading').waitFor();
    await prepare(page, options);
    return page;
  }

  const prepare = (page: Page, options: object) =>
    page.evaluate(
      `client = sluice.createClient(${JSON.stringify(cluster.url)}, ${JSON.stringify(options)}); 0`,
    );

  for (const mode of ['cookie', 'session'] as const) {
    t.test(`tabs in mode ${mode}`, async (t) => {
      const { email } = await createUser(cluster, { role: rows[0]?.id });
      const context = await browser.newContext();
      t.teardown(() => context.close());
      const refreshes = watch(context);
      const options = mode === 'cookie' ? {} : { mode };
      const first = await openTab(context, options);
      const login = JSON.stringify({ email, password: PASSWORD });
      await first.evaluate(`client.auth.login(${login})`);
      const names = JSON.stringify(Array.from({ length: 500 }, (_, index) => `a name ${index}`));
      const searched = `client.items('note').list({ filter: { title: { _in: ${names} } } })`;
      t.strictSame(await first.evaluate(searched), [], 'SEARCH passes the preflight');
      t.ok(await first.evaluate(`client.items('note').create({ title: 'one' })`));

      t.comment('tabs that open later share the session');
      const [second, third] = [await openTab(context, options), await openTab(context, options)];
      for (const tab of [second, third]) {
        t.match(await tab.evaluate(`client.me.read({ fields: ['email'] })`), { email });
      }
      t.equal(refreshes.length, 0, 'one tab tells the others');

      t.comment('a page that is loaded again goes on');
      await first.reload();
      await prepare(first, options);
      t.match(await first.evaluate(`client.me.read({ fields: ['email'] })`), { email });

      t.comment('three tabs whose token ends refresh once');
      const count = refreshes.length;
      const near = `Date.now = ((now) => () => now() + ${mode === 'cookie' ? 890_000 : 86_390_000})(Date.now.bind(Date))`;
      const tabs = [first, second, third];
      for (const tab of tabs) await tab.evaluate(near);
      const reads = tabs.map((tab) =>
        tab.evaluate(`Promise.all([1, 2, 3].map(() => client.me.read({ fields: ['email'] })))`),
      );
      t.match(
        await Promise.all(reads),
        tabs.map(() => [{ email }, { email }, { email }]),
      );
      t.equal(refreshes.length - count, 1);

      t.comment('who logs out in one tab is out in all');
      for (const tab of [second, third]) {
        await tab.evaluate(`ended = new Promise((resolve) => client.auth.onChange(resolve)); 0`);
      }
      await first.evaluate(`client.auth.logout()`);
      for (const tab of [second, third]) {
        t.match(await tab.evaluate(`ended`), { signedIn: false });
        t.equal(await tab.evaluate(`client.me.read().catch((error) => error.status)`), 401);
      }
      t.equal(await third.evaluate(`client.auth.restore()`), false);
    });
  }

  t.test('a machine that slept refreshes before its next request', async (t) => {
    const { email } = await createUser(cluster, { role: rows[0]?.id });
    const context = await browser.newContext();
    t.teardown(() => context.close());
    const refreshes = watch(context);
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(app);
    await prepare(page, {});
    await page.evaluate(`client.auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
    await page.clock.fastForward('02:00:00');
    t.match(await page.evaluate(`client.me.read({ fields: ['email'] })`), { email });
    t.equal(refreshes.length, 1);
  });

  t.test('uploads tell their progress, and subscriptions hear of changes', async (t) => {
    const { email } = await createUser(cluster, { role: rows[0]?.id });
    const context = await browser.newContext();
    t.teardown(() => context.close());
    const page = await openTab(context);
    await page.evaluate(`client.auth.login(${JSON.stringify({ email, password: PASSWORD })})`);
    const uploaded = await page.evaluate(`(async () => {
      const told = [];
      const onProgress = ({ bytes }) => told.push(bytes);
      const file = new File([new Uint8Array(3_000_000)], 'ü.bin');
      const plain = await client.files.upload(file, { title: 'Plain' }, { onProgress });
      const resumable = { pieceSize: 1_000_000 };
      const pieces = await client.files.upload(file, {}, { onProgress, resumable });
      const refused = await client.files.upload(file, {}, { signal: AbortSignal.abort() }).catch((error) => error.name);
      const run = client.items('note').import({ name: 'a.csv', content: 'title\\nx\\ny\\n' });
      const { inserted } = await run;
      return { plain: [plain.title, plain.filesize], pieces: pieces.filesize, told, refused, inserted };
    })()`);
    t.match(uploaded, {
      plain: ['Plain', '3000000'],
      pieces: '3000000',
      refused: 'AbortError',
      inserted: 2,
    });
    const changes = `changes = client.items('note').subscribe({ event: 'create' }); changes.next()`;
    t.match(await page.evaluate(changes), { value: { event: 'init', gap: false } });
    const heard = page.evaluate(`changes.next()`);
    await cluster.fetch('/items/note', { method: 'POST', body: '{"title":"live"}' });
    t.match(await heard, { value: { event: 'create', data: [{ title: 'live' }] } });
    t.equal(await page.evaluate(`changes.return().then(({ done }) => done)`), true);
  });
}
