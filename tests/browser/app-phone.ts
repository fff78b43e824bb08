/** The Admin App on a phone: the menu, a list and a form, by tap and by keyboard, from right to left. */
import t from 'tap';
import { type AppPage, descriptionOf, PHONE, startApp } from '#tests/harness/app.ts';
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
      price numeric(8, 2), since date, sold boolean NOT NULL DEFAULT false, about text
    );
    INSERT INTO maker (name) VALUES ('Acme'), ('Globex');
    INSERT INTO product (name, maker, price, since)
    SELECT 'Product ' || n, 1 + n % 2, n, date '2020-01-01' + n FROM generate_series(1, 30) n;
  `);
  await until(async () => (await fetch('/items/product?limit=1')).ok, 'the tables are served');
}

/** How much wider than the screen the page is. */
const overflow = ({ page }: AppPage) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

t.test('somebody with a phone', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeShop });
  const tab = await app.newPage({ viewport: PHONE, hasTouch: true, isMobile: true });
  const { page } = tab;
  const menu = page.getByRole('dialog', { name: 'Menu' });
  const opener = page.getByRole('button', { name: 'Menu' });
  await tab.signIn();

  await t.test('opens the menu by tap', async (t) => {
    t.equal(await menu.count(), 0, 'the menu is out of the way');
    await opener.tap();
    await menu.waitFor();
    await menu.getByRole('link', { name: 'Product', exact: true }).waitFor();
    await tab.screenshot('menu');
    t.strictSame(await tab.axe(), [], 'the menu is accessible');
    await menu.getByRole('link', { name: 'Product', exact: true }).tap();
    await page.getByRole('heading', { name: 'Product', level: 1 }).waitFor();
    await menu.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Product 1', exact: true }).waitFor();
  });

  await t.test('opens the menu by keyboard', async (t) => {
    await tab.open('/content/maker');
    await tab.tabTo('Menu', 5);
    await page.keyboard.press('Enter');
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });
    const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label')");
    await until(async () => (await focused()) === 'Menu', 'the focus is on the button again');
    await page.keyboard.press('Enter');
    await menu.waitFor();
    await tab.tabTo('Product', 16);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Product', level: 1 }).waitFor();
    await menu.waitFor({ state: 'hidden' });
    await tab.tabTo('New item', 6);
    t.pass('and goes on with the screen');
  });

  await t.test('works with a list', async (t) => {
    await tab.open('/content/product');
    await page.getByRole('searchbox', { name: 'Search' }).fill('Product 1');
    await page.getByText('1 to 11 of 11').waitFor();
    await page.getByRole('button', { name: 'Filter' }).tap();
    await page.getByRole('button', { name: 'Add condition' }).tap();
    const condition = page.getByRole('group', { name: 'Condition', exact: true });
    await condition.getByLabel('Field', { exact: true }).selectOption('price');
    await condition.getByLabel('Comparison').selectOption('_gt');
    await condition.getByLabel('Value').fill('15');
    await page.getByText('1 to 4 of 4').waitFor();
    await tab.screenshot('filter');
    t.equal(await overflow(tab), 0, 'nothing is wider than the phone');
    t.strictSame(await tab.axe(), [], 'the filter is accessible');
    const checkbox = page.getByRole('checkbox', { name: 'Select item 16', exact: true });
    t.equal(await descriptionOf(checkbox), 'Product 16', 'a checkbox says what it selects');
    await checkbox.tap();
    await page.getByRole('region', { name: 'Selected items' }).waitFor();
    await tab.screenshot('selection');
    t.equal(await overflow(tab), 0, 'the selection fits');
    await page.getByRole('button', { name: 'Clear selection' }).tap();
  });

  await t.test('works with a form', async (t) => {
    await page.getByRole('link', { name: 'Product 17', exact: true }).tap();
    await page.getByLabel('Name').fill('Product on the way');
    const maker = page.getByRole('combobox', { name: 'Maker' });
    await maker.fill('Acm');
    await page.getByRole('option', { name: 'Acme' }).tap();
    await tab.screenshot('form');
    t.equal(await overflow(tab), 0, 'nothing is wider than the phone');
    t.strictSame(await tab.axe(), [], 'the form is accessible');
    await page.getByRole('button', { name: 'Edit Acme' }).tap();
    const drawer = page.getByRole('dialog').last();
    await drawer.getByLabel('Name').fill('Acme Inc.');
    await tab.screenshot('drawer');
    t.strictSame(await tab.axe(), [], 'the drawer is accessible');
    await drawer.getByRole('button', { name: 'Apply' }).tap();
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save', exact: true }).tap();
    const { db } = app.cluster;
    await until(async () => {
      const { rows } = await db.query(
        'SELECT p.name, m.name AS maker FROM product p JOIN maker m ON m.id = p.maker WHERE p.id = 17',
      );
      return rows[0].name === 'Product on the way' && rows[0].maker === 'Acme Inc.';
    }, 'both are saved');
    await page.getByText('Saved').waitFor();
    await tab.screenshot('saved');
    await page.getByRole('link', { name: 'Back' }).tap();
    await page.getByText('1 to 3 of 3').waitFor();
    t.pass('the way back leads to the list as it was');
  });

  await t.test('types before the name of what is chosen has arrived', async (t) => {
    let letGo = () => {};
    const kept = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/items/maker/2*', async (route) => {
      await kept;
      return route.continue();
    });
    await tab.open('/content/product/15');
    const maker = page.getByRole('combobox', { name: 'Maker' });
    await maker.focus();
    letGo();
    await until(async () => (await maker.inputValue()) === 'Globex', 'the name is there');
    await page.keyboard.type('Acm');
    t.equal(await maker.inputValue(), 'Acm', 'what is typed takes its place');
    await page.getByRole('option', { name: 'Acme Inc.' }).tap();
    await until(async () => (await maker.inputValue()) === 'Acme Inc.', 'it is chosen');
    await page.unroute('**/items/maker/2*');
    // What is typed here is given up.
    page.once('dialog', (asked) => void asked.accept());
    await tab.open('/content/product');
  });

  await t.test('reads from right to left, in the dark', async (t) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await opener.tap();
    await page.getByRole('button', { name: 'Account' }).tap();
    await page.getByLabel('Writing direction').selectOption('rtl');
    await page.keyboard.press('Escape');
    await until(
      async () => ((await menu.boundingBox())?.x ?? 0) > 20,
      'the menu comes from the right',
    );
    await tab.screenshot('menu-right-to-left');
    t.strictSame(await tab.axe(), [], 'the menu is accessible from right to left');
    await menu.getByRole('link', { name: 'Product', exact: true }).tap();
    await menu.waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Product 1', exact: true }).waitFor();
    await tab.screenshot('list-right-to-left');
    t.equal(await overflow(tab), 0, 'the list fits');
    t.strictSame(await tab.axe(), [], 'the list is accessible from right to left');
    await page.getByRole('link', { name: 'Product 1', exact: true }).tap();
    await page.getByLabel('Name').waitFor();
    await tab.screenshot('form-right-to-left');
    t.equal(await overflow(tab), 0, 'the form fits');
    t.strictSame(await tab.axe(), [], 'the form is accessible from right to left');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
