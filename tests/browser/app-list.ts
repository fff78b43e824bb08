/** Lists in the Admin App: filters by clicking, columns, bookmarks, several items at once, order, archive. */
import t from 'tap';
import { descriptionOf, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeShop({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE maker (id serial PRIMARY KEY, name varchar(80) NOT NULL);
    CREATE TABLE product (
      id serial PRIMARY KEY, name varchar(200) NOT NULL, maker integer REFERENCES maker,
      price numeric(8, 2), since date, sold boolean NOT NULL DEFAULT false,
      status varchar(20) NOT NULL DEFAULT 'published', place integer
    );
    INSERT INTO maker (name) VALUES ('Acme'), ('Globex');
    INSERT INTO product (name, maker, price, since, sold, status, place)
    SELECT 'Product ' || n, 1 + n % 2, n, date '2020-01-01' + n, n % 4 = 0,
      CASE WHEN n > 28 THEN 'archived' ELSE 'published' END, n
    FROM generate_series(1, 30) n;
    INSERT INTO system_collections (collection, icon, sort_field, archive_field, archive_value, unarchive_value)
    VALUES ('product', 'shopping_cart', 'place', 'status', 'archived', 'published');
    INSERT INTO system_fields (collection, field, special, interface) VALUES ('maker', 'products', 'o2m', 'list-o2m');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('product', 'maker', 'maker', 'products');
  `);
  await until(async () => (await fetch('/items/product?limit=1')).ok, 'the tables are served');
  await until(
    async () => (await fetch('/items/maker?fields=id,count(products)')).ok,
    'the relation is served',
  );
}

t.test('somebody who looks for products', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    workers: 1,
    prepare: makeShop,
    env: { WEBSOCKETS_ENABLED: 'true' },
  });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const count = (text: string) => page.getByText(text, { exact: true }).waitFor();
  await tab.signIn();

  await t.test('filters by clicking', async (t) => {
    await tab.open('/content/product');
    await count('1 to 25 of 28');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    const condition = page.getByRole('group', { name: 'Condition', exact: true });
    await condition.first().getByLabel('Field', { exact: true }).selectOption('price');
    await condition.first().getByLabel('Comparison').selectOption('_between');
    await condition.first().getByLabel('From').fill('5');
    await condition.first().getByLabel('To').fill('14');
    await count('1 to 10 of 10');
    await page.getByRole('button', { name: 'Add condition' }).click();
    await condition.nth(1).getByLabel('Field', { exact: true }).selectOption('maker');
    await condition.nth(1).getByLabel('Field of the related item').selectOption('name');
    await condition.nth(1).getByLabel('Value').fill('acm');
    await count('1 to 5 of 5');
    await tab.screenshot('filter');
    t.strictSame(await tab.axe(), [], 'the filter is accessible');
    await page.reload();
    await count('1 to 5 of 5');
    t.equal(await condition.count(), 2, 'the filter is in the address');
    await page.getByRole('button', { name: 'Remove all' }).click();
    await count('1 to 25 of 28');

    await tab.open('/content/maker');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await condition.getByLabel('Field', { exact: true }).selectOption('products');
    await condition.getByLabel('Field of the related item').selectOption('name');
    await condition.getByLabel('Comparison').selectOption('_eq');
    await condition.getByLabel('Value').fill('Product 2');
    await count('1 to 1 of 1');
    await condition.getByLabel('Which related items').selectOption('_none');
    await page.getByRole('link', { name: 'Globex' }).waitFor();
    await condition.getByLabel('Field of the related item').selectOption('count()');
    await condition.getByLabel('Comparison').selectOption('_gt');
    await condition.getByLabel('Value').fill('15');
    await page.getByText('No matching items').waitFor();
    await tab.screenshot('nothing-fits');
  });

  await t.test('chooses columns, sorts, and keeps the view', async (t) => {
    await tab.open('/content/product');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Sold' }).click();
    await page.getByRole('checkbox', { name: 'Sold', checked: false }).waitFor();
    await page.getByRole('checkbox', { name: 'Id' }).click();
    await page.getByRole('checkbox', { name: 'Id', checked: true }).waitFor();
    t.strictSame(await tab.axe(), [], 'the choice of columns is accessible');
    await tab.screenshot('columns');
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'Id' }).waitFor();
    await page.getByRole('button', { name: 'Price' }).click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    await page.getByRole('button', { name: 'Price' }).click();
    await page.locator('th[aria-sort=descending]').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('Product 1');
    await count('1 to 11 of 11');
    await page.getByRole('button', { name: 'Bookmarks' }).click();
    await page.getByRole('menuitem', { name: 'Save this view', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Dear ones');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Dear ones' }).waitFor();
    const { rows } = await db.query(
      'SELECT bookmark, search, layout_query FROM system_presets WHERE bookmark IS NOT NULL',
    );
    t.match(rows, [
      {
        bookmark: 'Dear ones',
        search: 'Product 1',
        layout_query: { tabular: { sort: ['-price'] } },
      },
    ]);
    await tab.open('/content/product');
    await count('1 to 25 of 28');
    await page.getByRole('button', { name: 'Bookmarks' }).click();
    await page.getByRole('menuitem', { name: 'Dear ones', exact: true }).click();
    await count('1 to 11 of 11');
    t.match(await page.locator('tbody tr').first().innerText(), 'Product 19');
    await tab.screenshot('bookmark');

    await page.getByRole('button', { name: 'Dear ones' }).click();
    await page.getByRole('menuitem', { name: 'Save this view', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('For everybody');
    await page.getByRole('checkbox', { name: /everybody/i }).check();
    t.strictSame(await tab.axe(), [], 'keeping a view is accessible');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'For everybody' }).waitFor();
    await page.getByRole('button', { name: 'For everybody' }).click();
    await page.getByRole('menuitem', { name: /Delete.*For everybody/ }).click();
    const question = page.getByRole('dialog', { name: 'Delete “For everybody”?' });
    await question.getByText('This deletes the view for everyone').waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Bookmarks' }).waitFor();
    const left = await db.query('SELECT bookmark FROM system_presets WHERE bookmark IS NOT NULL');
    t.strictSame(left.rows, [{ bookmark: 'Dear ones' }]);
  });

  await t.test('changes a bookmark', async (t) => {
    await db.query(`
      WITH other AS (INSERT INTO system_users (email) VALUES ('other@example.com') RETURNING id)
      INSERT INTO system_presets (collection, bookmark, "user") SELECT 'product', 'Theirs', id FROM other`);
    await tab.open('/content/product');
    await page.getByRole('button', { name: 'Bookmarks' }).click();
    await page.getByRole('menuitem', { name: 'Dear ones', exact: true }).waitFor();
    t.equal(await page.getByRole('menuitem', { name: 'Theirs' }).count(), 0, 'of others none');
    await db.query("DELETE FROM system_presets WHERE bookmark = 'Theirs'");
    await page.getByRole('menuitem', { name: 'Dear ones', exact: true }).click();
    await count('1 to 11 of 11');
    await page.getByRole('searchbox', { name: 'Search' }).fill('Product 2');
    await count('1 to 10 of 10');
    await page.getByRole('button', { name: 'Dear ones' }).click();
    await page.getByRole('menuitem', { name: 'Save this view in “Dear ones”' }).click();
    await page.getByText('View saved in “Dear ones”').waitFor();
    await page.getByRole('button', { name: 'Dear ones' }).click();
    await page.getByRole('menuitem', { name: 'Rename “Dear ones”' }).click();
    const renaming = page.getByRole('dialog', { name: 'Rename the bookmark' });
    t.equal(await renaming.getByLabel('Name').inputValue(), 'Dear ones');
    await renaming.getByLabel('Name').fill('Second ones');
    await renaming.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Second ones' }).waitFor();
    await count('1 to 10 of 10');
    await tab.open('/content/product');
    await count('1 to 25 of 28');
    await page.getByRole('button', { name: 'Bookmarks' }).click();
    await page.getByRole('menuitem', { name: 'Second ones' }).click();
    await count('1 to 10 of 10');
    const { rows } = await db.query(
      'SELECT bookmark, search FROM system_presets WHERE bookmark IS NOT NULL',
    );
    t.strictSame(rows, [{ bookmark: 'Second ones', search: 'Product 2' }]);
  });

  await t.test('changes and deletes several at once', async (t) => {
    await tab.open('/content/product?sort=id');
    const first = page.getByRole('checkbox', { name: 'Select item 1', exact: true });
    t.equal(await descriptionOf(first), 'Product 1', 'a checkbox says what it selects');
    await first.check();
    await page.getByRole('checkbox', { name: 'Select item 2', exact: true }).check();
    await tab.screenshot('selection');
    t.strictSame(await tab.axe(), [], 'the selection is accessible');
    const bar = page.getByRole('region', { name: 'Selected items' });
    await bar.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    await tab.addFrom('Add a field', 'Price');
    await dialog.getByRole('textbox', { name: 'Price' }).fill('99');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 items changed').waitFor();
    const prices = await db.query('SELECT DISTINCT price FROM product WHERE id < 3');
    t.strictSame(prices.rows, [{ price: '99.00' }]);

    await page.getByRole('checkbox', { name: 'Select item 3', exact: true }).check();
    await bar.getByRole('button', { name: 'Archive', exact: true }).click();
    await count('1 to 25 of 27');
    await page.getByLabel('Archived items').selectOption('archived');
    await count('1 to 3 of 3');
    await page.getByLabel('Archived items').selectOption('active');

    await page.getByRole('checkbox', { name: 'Select item 4', exact: true }).check();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await tab.screenshot('deleting');
    await count('1 to 25 of 26');
  });

  await t.test('moves an item by keyboard and by mouse', async (t) => {
    await tab.open('/content/product');
    const placeOf = async (id: number) => {
      const { rows } = await db.query('SELECT id FROM product ORDER BY place, id');
      return rows.findIndex((row) => row.id === id);
    };
    const handle = (key: number) =>
      page.getByRole('button', { name: `Move item ${key}`, exact: true });
    const before = await placeOf(1);
    await handle(1).focus();
    await page.keyboard.press('Space');
    await page
      .getByText(/Picked up item 1|at position/)
      .first()
      .waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowDown');
    await page.getByText('Item 1 is at position 2.').first().waitFor({ state: 'attached' });
    await page.keyboard.press('Space');
    await until(async () => (await placeOf(1)) === before + 1, 'the item has moved');
    const from = await handle(7).boundingBox();
    const to = await handle(5).boundingBox();
    if (from === null || to === null) throw new Error('the handles are not drawn');
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(to.x + 8, to.y + 4, { steps: 8 });
    await tab.screenshot('dragging');
    await page.mouse.up();
    await until(async () => (await placeOf(7)) < (await placeOf(5)), 'the item was dragged');
    t.pass('both ways end in the database');
  });

  await t.test('sees what somebody else changes', async (t) => {
    let letGo = () => {};
    const kept = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.routeWebSocket(/\/websocket/, async (socket) => {
      await kept;
      socket.connectToServer();
    });
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const rename = async (name: string) => {
      const body = JSON.stringify({ name });
      const { status } = await app.cluster.fetch('/items/product/12', { method: 'PATCH', body });
      t.equal(status, 200, name);
    };
    await tab.open('/content/product?search=Product%2012');
    await link('Product 12').waitFor();
    await rename('Product 12, before it hears');
    letGo();
    await link('Product 12, before it hears').waitFor();
    await rename('Product 12, renamed');
    await link('Product 12, renamed').waitFor();
    t.equal(await link('Product 12').count(), 0);
  });

  await t.test('types a search slowly', async (t) => {
    await tab.open('/content/product');
    const search = page.getByRole('searchbox', { name: 'Search', exact: true });
    await search.pressSequentially('Product ');
    await page.waitForURL(/search=Product(&|$)/);
    await search.pressSequentially('28');
    t.equal(await search.inputValue(), 'Product 28', 'the blank is kept');
    await count('1 to 1 of 1');
  });

  await t.test('takes the list along as a file', async (t) => {
    await tab.open('/content/product?search=Product%2010');
    await count('1 to 1 of 1');
    await page.getByRole('button', { name: 'Export' }).click();
    t.strictSame(await tab.axe(), [], 'the export is accessible');
    await tab.screenshot('export');
    const arrival = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const download = await arrival;
    t.match(download.suggestedFilename(), /\.csv$/);
    const stream = await download.createReadStream();
    t.match((await stream.toArray()).join(''), /Product 10/);

    // A job writes it without this page, and its screen has the file.
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('Format').selectOption('ndjson');
    await page.getByRole('button', { name: 'Export in the background' }).click();
    await page.getByText('completed', { exact: true }).waitFor();
    await tab.screenshot('export-job');
    const file = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const lines = await (await (await file).createReadStream()).toArray();
    t.match(lines.join(''), /^\{[^\n]*"name":"Product 10"[^\n]*\}\n$/);
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
