/** The frame of the Admin App: hundreds of collections, languages, directions, phones. */
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const COLLECTIONS = 500;

async function makeMany({ db, fetch }: Cluster): Promise<void> {
  const tables = Array.from(
    { length: COLLECTIONS },
    (_, n) => `CREATE TABLE thing_${n + 1} (id serial PRIMARY KEY, name varchar(80), made date)`,
  );
  await db.query(`${tables.join(';')};
    INSERT INTO thing_7 (name, made) SELECT 'Item ' || n, date '2024-03-01' + n FROM generate_series(1, 300) n;
    INSERT INTO system_collections (collection, icon) VALUES ('shelf', 'folder');
    INSERT INTO system_collections (collection, "group", translations, hidden)
    SELECT 'thing_' || n, 'shelf', CASE n WHEN 7 THEN '[{"language":"de-DE","translation":"Lieblingsding"}]'::json END, n = 9
    FROM generate_series(1, ${COLLECTIONS / 2}) n;
  `);
  await until(
    async () => (await fetch(`/items/thing_${COLLECTIONS}?limit=1`)).ok,
    'the tables are served',
  );
}

t.test('the App around everything', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeMany });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  const menu = page.getByRole('navigation').first();

  await t.test('finds one of 500 collections', async (t) => {
    await menu.getByRole('link', { name: 'Thing 500', exact: true }).waitFor();
    t.equal(await menu.getByRole('link', { name: 'Thing 9', exact: true }).count(), 0, 'hidden');
    await tab.screenshot('many-collections');
    t.strictSame(await tab.axe(), [], 'the menu is accessible');
    await menu.getByRole('searchbox', { name: 'Find a collection' }).fill('thing_7');
    await menu.getByRole('link', { name: 'Thing 499', exact: true }).waitFor({ state: 'detached' });
    await menu.getByRole('link', { name: 'Thing 7', exact: true }).click();
    await page.getByText('1 to 25 of 300').waitFor();
    await menu.getByRole('searchbox', { name: 'Find a collection' }).fill('');
  });

  await t.test('goes by keyboard from the address to an item', async (t) => {
    await tab.open('/content/thing_7');
    await page.getByRole('link', { name: 'Item 1', exact: true }).waitFor();
    await tab.tabTo('Skip to content', 3);
    await tab.screenshot('skip-link');
    await page.keyboard.press('Enter');
    await tab.tabTo('New item', 3);
    await tab.tabTo('Item 1', 20);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    t.match(await page.title(), /Thing 7: Item 1 · Sluice/);
  });

  await t.test('speaks German, and writes dates as Germans do', async (t) => {
    await page.getByRole('button', { name: 'Account' }).click();
    t.strictSame(await tab.axe(), [], 'the account is accessible');
    await tab.screenshot('account');
    await page.getByLabel('Language').selectOption('de');
    await page.getByLabel('Darstellung').waitFor();
    await page.keyboard.press('Escape');
    await tab.open('/content/thing_7');
    await page.getByRole('heading', { name: 'Lieblingsding', level: 1 }).waitFor();
    await page.getByText('2. März 2024', { exact: true }).waitFor();
    t.equal(await page.locator('html').getAttribute('lang'), 'de');
    await tab.screenshot('german');
  });

  await t.test('is written from right to left', async (t) => {
    await page.getByRole('button', { name: 'Konto' }).click();
    await page.getByLabel('Schreibrichtung').selectOption('rtl');
    await page.keyboard.press('Escape');
    t.equal(await page.locator('html').getAttribute('dir'), 'rtl');
    await until(async () => ((await menu.boundingBox())?.x ?? 0) > 800, 'the menu is on the right');
    await tab.screenshot('right-to-left');
    t.strictSame(await tab.axe(), [], 'it is accessible from right to left');
    await page.getByRole('button', { name: 'Konto' }).click();
    await page.getByLabel('Schreibrichtung').selectOption('auto');
    await page.getByLabel('Sprache').selectOption('en');
    await page.getByLabel('Language').waitFor();
    await page.keyboard.press('Escape');
  });

  await t.test('fits on a phone', async (t) => {
    await page.setViewportSize(PHONE);
    await tab.open('/content/thing_7');
    await page.getByRole('link', { name: 'Item 1', exact: true }).waitFor();
    await tab.screenshot('phone-list');
    t.strictSame(await tab.axe(), [], 'the list on a phone is accessible');
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    t.equal(overflow, 0, 'nothing is wider than the phone');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await t.test('shows a list of 100 rows soon', async (t) => {
    await tab.open('/content/thing_1');
    await page.getByText('No items yet').waitFor();
    await tab.open('/content/thing_7?limit=100');
    await page.getByText('1 to 100 of 300').waitFor();
    const load = `performance.getEntriesByType('navigation')[0].duration`;
    t.comment(`the page had loaded after ${await page.evaluate(load)} ms`);
    t.equal(await page.locator('tbody tr').count(), 100);
    const fields = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/fields')).map(({ name }) => new URL(name).pathname)`,
    );
    t.strictSame(fields, ['/fields/thing_7'], 'metadata of one collection alone is read');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
