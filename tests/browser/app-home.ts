/** The home of the Admin App, the command palette, and requests that are copied. */
import t, { type Test } from 'tap';
import { type AppPage, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { COLOURS, turnDark } from './fixture/screen-checks.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeShop({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE publisher (id serial PRIMARY KEY, name varchar(80) NOT NULL);
    CREATE TABLE book (
      id serial PRIMARY KEY, title varchar(200) NOT NULL, status varchar(20) NOT NULL DEFAULT 'draft',
      publisher integer REFERENCES publisher, price numeric(8, 2)
    );
    CREATE TABLE visit (id serial PRIMARY KEY, at timestamptz);
    INSERT INTO publisher (name) VALUES ('Insel'), ('Suhrkamp');
    INSERT INTO book (title, publisher, price, status)
    SELECT 'Poems, volume ' || n, 1 + n % 2, n, CASE WHEN n % 2 = 0 THEN 'published' ELSE 'draft' END
    FROM generate_series(1, 30) n;
    INSERT INTO visit (at) SELECT now() FROM generate_series(1, 20000);
    ANALYZE visit;
    INSERT INTO system_collections (collection, icon, color, archive_field, archive_value, unarchive_value)
    VALUES ('book', 'menu_book', '#2e7d32', 'status', 'archived', 'draft');
  `);
  await until(async () => (await fetch('/items/visit?limit=1')).ok, 'the tables are served');
  for (const title of ['Letters', 'Essays']) {
    const answer = await fetch('/items/book', { method: 'POST', body: JSON.stringify({ title }) });
    await answer.arrayBuffer();
  }
}

/** How much wider than the screen the page is. */
const overflow = ({ page }: AppPage) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Looks at a screen in light and dark, and on a phone. */
async function looks(t: Test, tab: AppPage, name: string): Promise<void> {
  const { page } = tab;
  await tab.screenshot(name);
  t.strictSame(await tab.axe(), [], name);
  await turnDark(tab);
  await tab.screenshot(`${name}-dark`);
  t.strictSame(await tab.axe(COLOURS), [], `${name}, dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await tab.screenshot(`${name}-phone`);
  t.equal(await overflow(tab), 0, `${name} fits on a phone`);
  await page.setViewportSize({ width: 1280, height: 800 });
}

t.test('the home', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeShop });
  const { cluster } = app;
  const tab = await app.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = tab;
  const part = (name: string) => page.getByRole('region', { name, exact: true });
  await tab.signIn();

  await t.test('shows the collections, with counts and changes', async (t) => {
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const collections = part('Collections');
    await collections.getByText('32 items', { exact: true }).waitFor();
    await collections.getByText('about 20,000 items').waitFor();
    await collections.getByRole('img', { name: '2 changes in the last 14 days' }).waitFor();
    await looks(t, tab, 'home');
    await collections.getByRole('link', { name: 'Book', exact: true }).click();
    await page.getByRole('heading', { name: 'Book', level: 1 }).waitFor();
  });

  await t.test('leads back to what was open, and to what is pinned', async (t) => {
    await tab.open('/content/book/3');
    const pin = page.getByRole('button', { name: 'Pin to home', exact: true });
    await pin.click();
    await until(async () => (await pin.getAttribute('aria-pressed')) === 'true', 'it is pinned');
    await tab.open('/nowhere');
    await tab.open('/operations/limits');
    await tab.open('/');
    const recent = part('Continue').getByRole('listitem');
    await recent.first().waitFor();
    t.strictSame(await recent.allTextContents(), ['Limits', 'Book: Poems, volume 3', 'Book']);
    await page.getByRole('button', { name: 'Pin Visit to home' }).click();
    await until(
      async () => (await part('Collections').getByRole('link').first().textContent()) === 'Visit',
      'what is pinned comes first',
    );
    const isKept = async () => {
      const answer = await cluster.fetch('/presets?filter[layout][_eq]=home');
      return (await answer.text()).includes('visit');
    };
    await until(isKept, 'the pins are kept with the account');
    const other = await app.newPage();
    await other.signIn();
    await other.page.getByRole('link', { name: 'Poems, volume 3', exact: true }).click();
    await other.page.getByRole('heading', { name: 'Book: Poems, volume 3', level: 1 }).waitFor();
    t.strictSame(other.faults, []);
  });

  await t.test('tells what runs, and what needs somebody', async (t) => {
    const form = new FormData();
    form.set('file', new File(['title\nA\n'], 'books.csv', { type: 'text/csv' }));
    const headers = { prefer: 'respond-async' };
    const answer = await cluster.fetch('/utils/import/book', {
      ...{ method: 'POST', headers, body: form },
    });
    await answer.arrayBuffer();
    const open = part('Running now').getByRole('listitem');
    await open.filter({ hasText: 'books.csv' }).waitFor();
    const pause = await cluster.fetch('/queues/transfer/pause', { method: 'POST' });
    await pause.arrayBuffer();
    const needs = part('Needs your attention');
    await needs.getByText('is paused').waitFor();
    await cluster.db.query(`UPDATE system_jobs SET state = 'failed', finished_on = now()`);
    await needs.getByText('A job has failed in the last 7 days').waitFor();
    await open.waitFor({ state: 'detached' });
    await looks(t, tab, 'home-needs');
    await needs.getByRole('button', { name: 'Dismiss' }).click();
    await needs.getByText('A job has failed').waitFor({ state: 'detached' });
  });

  await t.test('a request is copied with what the list shows', async (t) => {
    const filter = encodeURIComponent(JSON.stringify({ price: { _gt: 28 } }));
    await tab.open(`/content/book?filter=${filter}&sort=-price&archive=all`);
    await page.getByText('1 to 2 of 2').waitFor();
    await page.getByRole('button', { name: 'Copy as', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy as' });
    const copied = async (language: string) => {
      await dialog.getByRole('tab', { name: language }).click();
      await dialog.getByRole('button', { name: `Copy ${language}` }).click();
      return String(await page.evaluate('navigator.clipboard.readText()'));
    };
    const curl = await copied('curl');
    t.match(curl, `curl -G '${cluster.url}/items/book'`);
    t.match(curl, `'filter={"price":{"_gt":28}}'`);
    t.match(curl, `'sort=-price'`);
    t.match(await copied('@directus/sdk'), 'readItems("book"');
    t.match(await copied('@sluice/client'), 'client.items("book").list(');
    const query = await copied('GraphQL');
    const body = JSON.stringify({ query });
    const answer = await cluster.fetch('/graphql', { method: 'POST', body });
    const { data } = JSON.parse(await answer.text());
    const titles = data.book.map(({ title }: { title: string }) => title);
    t.strictSame(titles, ['Poems, volume 30', 'Poems, volume 29']);
    await looks(t, tab, 'copy-as');
    await tab.open('/content/book/4');
    await page.getByRole('button', { name: 'Copy as', exact: true }).click();
    const one = JSON.stringify({ query: await copied('GraphQL') });
    const item = await cluster.fetch('/graphql', { method: 'POST', body: one });
    t.match(await item.text(), 'Poems, volume 4');
  });

  await t.test('an archived item comes back as it was', async (t) => {
    const { db } = cluster;
    const states = async () => {
      const { rows } = await db.query('SELECT status FROM book WHERE id IN (1, 2) ORDER BY id');
      return rows.map(({ status }) => status);
    };
    await tab.open('/content/book');
    await page.getByRole('checkbox', { name: 'Select item 1', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Select item 2', exact: true }).check();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.waitFor();
    t.strictSame(await states(), ['archived', 'archived']);
    await undo.click();
    await until(async () => (await states()).join() === 'draft,published', 'each is as it was');
  });

  await t.test('rows stand closer in the compact view', async (t) => {
    const row = page.getByRole('row').nth(1);
    await row.waitFor();
    const height = async () => (await row.boundingBox())?.height ?? 0;
    const before = await height();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByLabel('Density').selectOption('compact');
    await page.keyboard.press('Escape');
    await until(async () => (await height()) < before, 'rows are lower');
    await page.reload();
    await row.waitFor();
    t.ok((await height()) < before, 'the choice is remembered');
    await looks(t, tab, 'compact');
  });

  // It chooses a scheme, which then stays.
  await t.test('the palette goes anywhere by keyboard', async (t) => {
    await tab.open('/');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    const field = palette.getByRole('combobox');
    const options = palette.getByRole('option');
    await options.first().waitFor();
    await looks(t, tab, 'palette');
    await field.fill('volume 17');
    await options.filter({ hasText: 'Poems, volume 17' }).first().waitFor();
    await tab.screenshot('palette-items');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Book: Poems, volume 17', level: 1 }).waitFor();
    t.equal(await page.evaluate('document.activeElement?.id'), 'content', 'the focus goes along');

    await page.keyboard.press('Meta+k');
    await field.fill('qxzv');
    await page.getByText('Nothing matches').waitFor();
    t.strictSame(await tab.axe(), [], 'without a result');
    await field.fill('publ');
    await options.filter({ hasText: 'Publisher' }).first().waitFor();
    await field.fill('dark');
    await options.filter({ hasText: 'Switch to dark' }).waitFor();
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
    const scheme = () => page.evaluate('document.documentElement.style.colorScheme');
    await until(async () => (await scheme()) === 'dark', 'it is dark');
    await page.getByRole('button', { name: 'Search and commands' }).click();
    await field.fill('light');
    await options.filter({ hasText: 'Switch to light' }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await scheme()) === 'light', 'and light again');

    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
  });
  t.strictSame(tab.faults, []);
});

t.test('the home of an empty database', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser);
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await page.getByRole('link', { name: 'Choose a file' }).waitFor();
  await looks(t, tab, 'home-empty');
  await page.getByRole('link', { name: 'New collection' }).click();
  await until(() => page.url().endsWith('/model/new-collection'), 'it leads to the model');
  t.strictSame(tab.faults, []);
});
