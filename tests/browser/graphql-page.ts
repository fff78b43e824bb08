/** The page to try GraphQL in, as somebody in a browser uses it, and its policy. */
import t from 'tap';
import { startBrowser } from '#tests/harness/browser.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);

t.test(
  'a query is written, sent and answered',
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
    page.setDefaultTimeout(20_000);
    const faults: string[] = [];
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(cluster.url) && !/^(?:data|blob):/.test(url)) faults.push(url);
    });
    // The page begins with an empty token, and the edge lets nobody see anything.
    await page.route('**/graphql', async (route) => {
      const headers = { ...route.request().headers(), authorization: `Bearer ${ADMIN_TOKEN}` };
      const isPost = route.request().method() === 'POST';
      await route.continue(isPost ? { headers } : {});
    });
    await page.goto(`${cluster.url}/graphql`);
    t.equal(await page.title(), 'Sluice GraphQL');
    const advertisement = page.getByText('Altair AI').first();
    await advertisement.waitFor({ state: 'attached' });
    t.notOk(await advertisement.isVisible(), 'no advertisement of another product');
    const editor = page.locator('app-query-editor .cm-content').first();
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('{ thing { name');
    await page.keyboard.press('Control+Enter');
    await page.getByText('seen in the page').first().waitFor();
    if (process.env.SCREENSHOT !== undefined) {
      await page.screenshot({ path: process.env.SCREENSHOT });
    }
    t.strictSame(faults, [], 'its policy allows all that it needs, and it asks nobody else');
  },
);
