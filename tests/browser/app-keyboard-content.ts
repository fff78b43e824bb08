/** Lists of items, and the way to them, by keyboard alone: nothing here is clicked. */
import t from 'tap';
import { ADMIN, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { keyboardOf } from './fixture/keyboard.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeShop({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE maker (id serial PRIMARY KEY, name varchar(80) NOT NULL);
    CREATE TABLE product (
      id serial PRIMARY KEY, name varchar(200) NOT NULL, maker integer REFERENCES maker,
      price numeric(8, 2), sold boolean NOT NULL DEFAULT false,
      status varchar(20) NOT NULL DEFAULT 'published', place integer
    );
    INSERT INTO maker (name) VALUES ('Acme'), ('Globex');
    INSERT INTO product (name, maker, price, sold, status, place)
    SELECT 'Product ' || n, 1 + n % 2, n, n % 4 = 0,
      CASE WHEN n > 28 THEN 'archived' ELSE 'published' END, n
    FROM generate_series(1, 30) n;
    INSERT INTO system_collections (collection, icon, "group", sort_field, archive_field, archive_value, unarchive_value)
    VALUES ('shop', 'folder', NULL, NULL, NULL, NULL, NULL),
      ('product', 'shopping_cart', 'shop', 'place', 'status', 'archived', 'published');
  `);
  await until(async () => (await fetch('/items/product?limit=1')).ok, 'the tables are served');
}

const COLUMNS = `[...document.querySelectorAll('thead th')]
  .map((one) => one.innerText.trim()).filter(Boolean).join(', ')`;

t.test('somebody without a mouse', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const { press, write, choose, opens, isOn, kept } = keyboardOf(tab);
  const keys = page.keyboard;
  const count = (text: string) => page.getByText(text, { exact: true }).waitFor();
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const dialog = (name: string) => page.getByRole('dialog', { name });
  const menu = page.getByRole('menu');
  const notice = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const ask = async (sql: string) => (await db.query(sql)).rows;
  await tab.signIn();

  await t.test('finds a collection, and passes by the menu', async (t) => {
    await tab.open('/content');
    const product = page.getByRole('link', { name: 'Product', exact: true });
    await product.waitFor();
    await press('Shop');
    await product.waitFor({ state: 'detached' });
    await keys.press('Enter');
    await product.waitFor();
    await write('Find a collection', 'mak');
    await product.waitFor({ state: 'detached' });
    await tab.screenshot('collection-found');
    await press('Maker');
    await heading('Maker');
    await kept('a collection is opened');
    await tab.open('/content/product');
    await count('1 to 25 of 28');
    await keys.press('Tab');
    await isOn('Skip to content');
    await tab.screenshot('skip-link');
    await keys.press('Enter');
    await until(() => page.evaluate("document.activeElement?.id === 'content'"), 'it is passed by');
    for (const name of ['Table', 'Copy as', 'New item']) {
      await keys.press('Tab');
      await isOn(name);
    }
    t.pass('the way is short');
  });

  await t.test('chooses columns, sorts, and goes through the pages', async (t) => {
    await tab.open('/content/product');
    await count('1 to 25 of 28');
    const back = await opens('Columns', dialog('Columns'));
    await press('Sold', 'Space');
    await page.getByRole('checkbox', { name: 'Sold', checked: false }).waitFor();
    await kept('a column is taken away');
    await press('Id', 'Space');
    await page.getByRole('checkbox', { name: 'Id', checked: true }).waitFor();
    await kept('a column is added');
    await press('Move Price up');
    await until(
      async () => /Price.*Status/.test(await page.evaluate(COLUMNS)),
      'the column has moved once',
    );
    await keys.press('Enter');
    await until(
      async () => /Price.*Maker/.test(await page.evaluate(COLUMNS)),
      'the column has moved',
    );
    await isOn('Move Price up');
    await tab.screenshot('columns');
    await keys.press('Escape');
    await back();
    t.equal(await page.evaluate(COLUMNS), 'Order, Name, Price, Maker, Status, Place, Id');

    await press('Price');
    await page.locator('th[aria-sort=ascending]').waitFor();
    await keys.press('Enter');
    await page.locator('th[aria-sort=descending]').waitFor();
    await isOn('Price');
    await press('Next page');
    await count('26 to 28 of 28');
    await kept('the last page is there');
    await press('Page 1');
    await count('1 to 25 of 28');
    await write('Items per page', '50');
    await count('1 to 28 of 28');
    await kept('there is one page');
    await keys.press('ArrowUp');
    await count('1 to 25 of 28');
    await isOn('Items per page');
  });

  await t.test('keeps a view, for everybody, and gives it up', async (t) => {
    await write('Search', 'Product 1');
    await count('1 to 11 of 11');
    await isOn('Search');
    await opens('Bookmarks', menu);
    await choose('Save this view');
    await dialog('Save this view').waitFor();
    await isOn('Name');
    await keys.press('Escape');
    await isOn('Bookmarks');
    await keys.press('Enter');
    await choose('Save this view');
    await dialog('Save this view').waitFor();
    await isOn('Name');
    await keys.type('Dear ones');
    await press('For everybody', 'Space');
    await press('Save');
    await dialog('Save this view').waitFor({ state: 'detached' });
    await isOn('Dear ones');
    t.match(
      await ask('SELECT bookmark, "user", search FROM system_presets WHERE bookmark IS NOT NULL'),
      [{ bookmark: 'Dear ones', user: null, search: 'Product 1' }],
    );
    await tab.open('/content/product');
    await count('1 to 25 of 28');
    await press('Bookmarks');
    await menu.waitFor();
    await keys.type('Dear');
    await isOn('Dear onesFor everybody');
    await tab.screenshot('bookmarks');
    await keys.press('Enter');
    await count('1 to 11 of 11');
    await isOn('Dear ones');
    await keys.press('Enter');
    await choose('Rename “Dear ones”');
    await dialog('Rename the bookmark').waitFor();
    await isOn('Name');
    await keys.press('End');
    await keys.type(' of all');
    await keys.press('Enter');
    await isOn('Dear ones of all');
    await keys.press('Enter');
    await choose('Delete “Dear ones of all”');
    await dialog('Delete “Dear ones of all”?').waitFor();
    await press('Delete');
    await isOn('Bookmarks');
    await until(
      async () => (await ask('SELECT FROM system_presets WHERE bookmark IS NOT NULL')).length === 0,
      'it is gone',
    );
  });

  /** From the link of a row, arrow keys lead to the controls before it. */
  const before = async (title: string, control: string, steps: number) => {
    await tab.tabTo(title, 120);
    for (let step = 0; step < steps; step += 1) await keys.press('ArrowLeft');
    await isOn(control);
    await keys.press('Space');
  };
  const select = (key: number) => before(`Product ${key}`, `Select item ${key}`, 1);

  await t.test('changes, archives and deletes several', async (t) => {
    await tab.open('/content/product?sort=id');
    await count('1 to 25 of 28');
    const stops = `[...document.querySelectorAll('tbody tr')].map((row) =>
      row.querySelectorAll('a[href]:not([tabindex="-1"]), input:not([tabindex="-1"]), button:not([tabindex="-1"])').length)`;
    t.strictSame(
      [...new Set(await page.evaluate<number[]>(stops))],
      [1],
      'each row is one tab stop',
    );
    await tab.tabTo('Product 1');
    await keys.press('ArrowDown');
    await isOn('Product 2');
    await keys.press('ArrowLeft');
    await keys.press('ArrowUp');
    await isOn('Select item 1');
    await keys.press('ArrowRight');
    await isOn('Product 1');
    await keys.press('ArrowLeft');
    await select(1);
    await select(2);
    await count('2 items selected');
    await opens('Edit', dialog('Edit 2 items'));
    await opens('Add a field', menu);
    await choose('Price');
    await write('Price', '99');
    await tab.screenshot('edit-several');
    await press('Save');
    await notice('2 items changed');
    await dialog('Edit 2 items').waitFor({ state: 'detached' });
    await kept('the bar of the selection is gone');
    t.strictSame(await ask('SELECT DISTINCT price FROM product WHERE id < 3'), [
      { price: '99.00' },
    ]);

    await select(3);
    await press('Archive');
    await count('1 to 25 of 27');
    await kept('an item is in the archive');
    await write('Archived items', 'Archived');
    await count('1 to 3 of 3');
    await isOn('Archived items');
    await keys.press('ArrowUp');
    await count('1 to 25 of 27');

    await select(4);
    await opens('Delete', dialog('Delete 1 item?'));
    await press('Delete');
    await count('1 to 25 of 26');
    await dialog('Delete 1 item?').waitFor({ state: 'detached' });
    await kept('an item is deleted');
    t.equal((await ask('SELECT FROM product WHERE id = 4')).length, 0);
  });

  await t.test('moves an item', async (t) => {
    await tab.open('/content/product');
    const order = async () => (await ask('SELECT id FROM product ORDER BY place, id')).slice(0, 3);
    await before('Product 1', 'Move item 1', 2);
    const said = (text: string | RegExp) =>
      page.getByText(text).first().waitFor({ state: 'attached' });
    await said(/Picked up item 1|at position/);
    await keys.press('ArrowDown');
    await said('Item 1 is at position 2.');
    await keys.press('Space');
    await until(async () => (await order())[1]?.id === 1, 'the item has moved');
    await isOn('Move item 1');
    t.strictSame(await order(), [{ id: 2 }, { id: 1 }, { id: 3 }]);
  });

  await t.test('takes the list along, and begins an import', async (t) => {
    await tab.open('/content/product?search=Product%2010');
    await count('1 to 1 of 1');
    const back = await opens('Export', dialog('Export'));
    await write('Format', 'JSON');
    await write('Fields', 'The columns');
    await tab.screenshot('export');
    const arrival = page.waitForEvent('download');
    await press('Download');
    const lines = await (await (await arrival).createReadStream()).toArray();
    t.match(lines.join(''), /"name":\s*"Product 10"/);
    await dialog('Export').waitFor({ state: 'detached' });
    await back();
    await press('Import');
    await heading('Import');
    await kept('the way to the import');
    t.match(page.url(), /product/);
  });

  await t.test('chooses how the App looks, and signs out and in', async (t) => {
    for (const status of [400, 401, 403]) tab.expectStatus(status, '');
    await tab.open('/content/product');
    const account = page.getByRole('dialog');
    await opens('Account: Admin User', account);
    await write('Appearance', 'Dark');
    const isDark = "document.documentElement.style.colorScheme === 'dark'";
    await until(() => page.evaluate(isDark), 'it is dark');
    await tab.screenshot('account');
    await write('Language', 'Deu');
    await page.getByLabel('Sprache').waitFor();
    await isOn('Sprache');
    await keys.press('ArrowUp');
    await page.getByLabel('Language').waitFor();
    await keys.press('Escape');
    await isOn('Account: Admin User');
    await keys.press('Enter');
    await press('Sign out');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await write('E-mail address', ADMIN.email);
    await write('Password', ADMIN.password);
    await keys.press('Enter');
    await heading('Home');
    await press('Product');
    await heading('Product');
    await kept('one is signed in again');
    t.pass('all of it by keys');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
