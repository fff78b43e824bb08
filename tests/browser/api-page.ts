/** The page about the API, as somebody in a browser reads it, signs in and tries a request. */
import type { ConsoleMessage } from 'playwright-core';
import t from 'tap';
import { startBrowser } from '#tests/harness/browser.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);

t.test(
  'it shows operations, and sends what is tried to its own server',
  { skip: browser === null && 'no browser starts here' },
  async (t) => {
    if (browser === null) return;
    const cluster = await startCluster(t);
    await cluster.db.query(`CREATE TABLE thing (id serial PRIMARY KEY, name text);
      INSERT INTO thing (name) VALUES ('seen in the page')`);
    await until(async () => (await cluster.fetch('/items/thing')).status === 200, 'it is served');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    t.teardown(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults: string[] = [];
    // The page asks which user it is, which the server refuses to visitors.
    const expected = (message: ConsoleMessage) => message.location().url.includes('/users/me');
    page.on('console', (message) => {
      if (message.type() === 'error' && !expected(message)) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(cluster.url) && !/^(?:data|blob):/.test(url)) faults.push(url);
    });
    await page.goto(`${cluster.url}/docs/api`);
    const state = page.getByRole('status');
    await state.getByText('Not signed in').waitFor();
    await page.locator('#operations-tag-Server').click();
    await page.locator('[data-path="/server/ping"]').waitFor();
    const things = page.locator('#operations-tag-ItemsThing');
    t.equal(await things.count(), 0, 'not for anybody');
    await page.locator('summary').click();
    await page.getByLabel('Token').fill(ADMIN_TOKEN);
    await page.getByRole('button', { name: 'Use token' }).click();
    await state.getByText('Requests carry the token: Admin User').waitFor();
    t.notOk(await page.getByText('Sign in', { exact: true }).first().isVisible());
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html.dark-mode').waitFor();
    await things.click();
    const operation = page.locator('#operations-ItemsThing-readItemsThing');
    await operation.locator('.opblock-summary').click();
    const answered = page.waitForResponse(/\/items\/thing/);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = await answered;
    t.equal(answer.status(), 200, answer.url());
    await operation.getByText('seen in the page').first().waitFor();
    if (process.env.SCREENSHOT !== undefined) {
      await page.screenshot({ path: process.env.SCREENSHOT });
    }
    t.strictSame(faults, [], 'its policy allows all that it needs, and it asks nobody else');
  },
);
