/** The App shows a database that has no metadata: titles, columns, lists of referring items. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeShop({ db, served }: Cluster): Promise<void> {
  await db.query(`
    CREATE TYPE order_state AS ENUM ('open', 'paid', 'cancelled');
    CREATE TABLE countries (code text PRIMARY KEY, name text NOT NULL);
    CREATE TABLE customers (id serial PRIMARY KEY, country text REFERENCES countries,
      first_name text, last_name text, city text, remarks text);
    CREATE TABLE products (id serial PRIMARY KEY, price numeric(10, 2), product_name text NOT NULL,
      category text);
    CREATE TABLE tags (id serial PRIMARY KEY, label text NOT NULL);
    CREATE TABLE product_tags (product integer REFERENCES products, tag integer REFERENCES tags,
      PRIMARY KEY (product, tag));
    CREATE TABLE orders (id serial PRIMARY KEY, customer integer NOT NULL REFERENCES customers,
      placed date, state order_state NOT NULL DEFAULT 'open');
    CREATE TABLE order_lines ("order" integer REFERENCES orders, product integer REFERENCES products,
      quantity integer NOT NULL DEFAULT 1, PRIMARY KEY ("order", product));
    INSERT INTO countries VALUES ('at', 'Austria'), ('jp', 'Japan');
    INSERT INTO customers (country, first_name, last_name, city, remarks)
      SELECT (ARRAY['at', 'jp'])[1 + n % 2], 'Ada', 'Number ' || n, 'City ' || n,
        repeat('A long remark. ', 20) FROM generate_series(1, 30) n;
    INSERT INTO products (price, product_name, category)
      SELECT n * 1.5, 'Product ' || n, (ARRAY['tea', 'coffee'])[1 + n % 2]
      FROM generate_series(1, 30) n;
    INSERT INTO tags (label) VALUES ('new'), ('fair'), ('sale');
    INSERT INTO product_tags VALUES (1, 1), (1, 2);
    INSERT INTO orders (customer, placed, state) VALUES (1, '2026-01-02', 'paid'), (2, NULL, 'open');
    INSERT INTO order_lines VALUES (1, 1, 3), (1, 2, 1);`);
  await served('/items/order_lines');
}

t.test('lists, titles and forms come from the catalog and the values', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeShop });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  const heads = async () => {
    await page.getByRole('row').nth(1).waitFor();
    const texts = await page.getByRole('columnheader').allInnerTexts();
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  };

  await tab.open('/content/customers');
  t.strictSame(await heads(), ['First Name', 'Last Name', 'Country', 'City']);
  t.match(await page.getByRole('row').nth(1).innerText(), /Ada\s+Number 1\s+Japan\s+City 1/);
  await tab.open('/content/products');
  t.strictSame(await heads(), ['Product Name', 'Category', 'Price']);
  await tab.screenshot('products');
  t.strictSame(await tab.axe(), [], 'chips of states are accessible');
  await tab.open('/content/orders');
  t.strictSame(await heads(), ['Id', 'Customer', 'State', 'Placed']);
  t.match(await page.getByRole('row').nth(1).innerText(), /Ada Number 1/, 'the name of a person');

  await tab.open('/content/customers/1');
  await page.getByRole('textbox', { name: 'City' }).waitFor();
  t.equal(await page.locator('[data-field=city] input').count(), 1, 'a short text is one line');
  t.ok((await page.locator('[data-field=remarks] textarea').count()) > 0, 'a long one is not');
  const orders = page.getByRole('group', { name: 'Orders' });
  await orders.getByRole('row').nth(1).waitFor();
  t.equal(
    await orders.getByRole('button', { name: /^Remove/ }).count(),
    0,
    'an order cannot be without a customer',
  );

  // The lines of an order belong to it: they are added and deleted in its form.
  await tab.open('/content/orders/1');
  const lines = page.getByRole('group', { name: 'Order Lines' });
  await lines.getByRole('row').nth(2).waitFor();
  await tab.screenshot('order');
  t.match(
    await lines.getByRole('row').nth(1).innerText(),
    /Product 1\s+3/,
    'the columns of a line',
  );
  t.strictSame(await tab.axe(), [], 'the form is accessible');
  await lines
    .getByRole('button', { name: /^Delete/ })
    .nth(1)
    .click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const stored = async (text: string) => JSON.stringify((await db.query(text)).rows);
  await until(
    async () => (await stored('SELECT product FROM order_lines')) === '[{"product":1}]',
    'the line is deleted',
  );

  // A table of two foreign keys is a choice of items on the other side.
  await tab.open('/content/products/1');
  const tags = page.getByRole('group', { name: 'Product Tags' });
  await tags.getByText('fair').waitFor();
  await tags.getByRole('button', { name: 'Add existing' }).click();
  const dialog = page.getByRole('dialog').last();
  await dialog.getByRole('checkbox', { name: 'sale' }).click();
  await dialog.getByRole('button', { name: 'Add 1 item' }).click();
  await tags.getByRole('button', { name: 'Remove new' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until(
    async () =>
      (await stored('SELECT tag FROM product_tags WHERE product = 1 ORDER BY 1')) ===
      '[{"tag":2},{"tag":3}]',
    'the tags are changed',
  );
  t.strictSame(tab.faults, []);
});
