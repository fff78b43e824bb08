/** The work with content by keyboard alone: nothing here is clicked. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
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
      price numeric(8, 2)
    );
    INSERT INTO maker (name) VALUES ('Acme'), ('Globex');
    INSERT INTO product (name, maker, price)
    SELECT 'Product ' || n, 1, n FROM generate_series(1, 30) n;
    INSERT INTO system_fields (collection, field, special, interface) VALUES ('maker', 'products', 'o2m', 'list-o2m');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('product', 'maker', 'maker', 'products');
  `);
  await until(
    async () => (await fetch('/items/maker?fields=id,count(products)')).ok,
    'the relation is served',
  );
}

/** Whether what has the focus looks other than without it; its HTML where it does not. */
const FOCUS_IS_SHOWN = `(async () => {
  const element = document.activeElement;
  if (element === null || element === document.body) return 'nothing has the focus';
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const looks = (one) => {
    const style = getComputedStyle(one);
    const outline = style.outlineStyle === 'none' ? '' : style.outlineWidth + style.outlineColor;
    return JSON.stringify([outline, style.boxShadow, style.borderColor, style.borderWidth]);
  };
  const around = element.parentElement?.querySelectorAll(':scope > fieldset') ?? [];
  const parts = [element, element.parentElement, ...around].filter(Boolean);
  await drawn();
  const focused = parts.map(looks);
  element.blur();
  await drawn();
  const blurred = parts.map(looks);
  element.focus({ focusVisible: true });
  return focused.some((look, index) => look !== blurred[index]) ? 'shown' : element.outerHTML;
})()`;

t.test('somebody without a mouse', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeShop });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const { keyboard } = page;
  const focused = () =>
    page.evaluate(
      "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent",
    );
  await tab.signIn();

  await t.test('filters a list', async (t) => {
    await tab.open('/content/product');
    await page.getByRole('link', { name: 'Product 1', exact: true }).waitFor();
    await tab.tabTo('Filter');
    await keyboard.press('Enter');
    await tab.tabTo('Add condition', 8);
    await keyboard.press('Enter');
    await until(async () => (await focused()) === 'Field', 'the new condition has the focus');
    t.equal(await page.evaluate(FOCUS_IS_SHOWN), 'shown');
    await tab.pick('Price');
    await tab.tabTo('Comparison', 2);
    await tab.pick('is more');
    await tab.tabTo('Value', 2);
    await keyboard.type('25');
    await page.getByText('1 to 5 of 5').waitFor();
    await tab.screenshot('filter');
  });

  await t.test('every control on the way shows that it has the focus', async (t) => {
    await tab.open('/content/product');
    await page.getByRole('link', { name: 'Product 1', exact: true }).waitFor();
    const hidden = new Set<string>();
    for (let step = 0; step < 40; step += 1) {
      await keyboard.press('Tab');
      const shown: string = await page.evaluate(FOCUS_IS_SHOWN);
      if (shown !== 'shown' && shown !== 'nothing has the focus') hidden.add(shown.slice(0, 300));
    }
    t.strictSame([...hidden], []);
  });

  await t.test('opens an item, edits it, and comes back to where it was', async (t) => {
    await tab.open('/content/product?search=Product%202');
    await page.getByText('1 to 11 of 11').waitFor();
    await tab.tabTo('Product 27');
    await keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await tab.tabTo('Name', 20);
    await keyboard.press('End');
    await keyboard.type(', renamed');
    const maker = page.getByRole('combobox', { name: 'Maker' });
    await until(async () => (await maker.inputValue()) === 'Acme', 'its maker is known');
    await tab.tabTo('Maker', 3);
    await keyboard.type('Glob');
    await page.getByRole('option', { name: 'Globex' }).waitFor();
    await until(async () => (await page.getByRole('option').count()) === 1, 'one is found');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit Globex' }).waitFor();
    await tab.tabTo('Edit Globex', 3);
    await keyboard.press('Enter');
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('Name').waitFor();
    t.match(await page.evaluate("document.activeElement?.closest('[role=dialog]') !== null"), true);
    await tab.tabTo('Name', 8);
    await keyboard.press('Control+A');
    await keyboard.type('Globex Corp.');
    await keyboard.press('Enter');
    await drawer.waitFor({ state: 'detached' });
    await until(
      async () => (await focused()) === 'Edit Globex Corp.',
      'the focus is back where the drawer was opened',
    );
    await tab.screenshot('form');
    await keyboard.press('Control+s');
    await until(async () => {
      const { rows } = await db.query(
        'SELECT p.name, m.name AS maker FROM product p JOIN maker m ON m.id = p.maker WHERE p.id = 27',
      );
      return rows[0].name === 'Product 27, renamed' && rows[0].maker === 'Globex Corp.';
    }, 'both are saved');
    await page.getByText('Saved').waitFor();
    await page.goBack();
    await page.getByText('1 to 11 of 11').waitFor();
    await until(
      async () => (await focused()) === 'Product 27, renamed',
      'the focus is on the row that was opened',
    );
    await keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await tab.tabTo('Back', 20);
    await keyboard.press('Enter');
    await page.getByText('1 to 11 of 11').waitFor();
    await until(
      async () => (await focused()) === 'Product 27, renamed',
      'the button that leads back does so, too',
    );
  });

  await t.test('picks related items', async () => {
    await tab.open('/content/maker/2');
    await page.getByRole('group', { name: 'Products' }).waitFor();
    await tab.tabTo('Add existing');
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Search').waitFor();
    await keyboard.type('Product 12');
    await dialog.getByRole('checkbox', { name: 'Product 12', exact: true }).waitFor();
    await until(async () => (await dialog.getByRole('checkbox').count()) === 1, 'one is found');
    await tab.tabTo('Product 12', 3);
    await keyboard.press('Space');
    await tab.tabTo('Add 1 item', 4);
    await keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await until(async () => (await focused()) === 'Add existing', 'the focus is back');
    await tab.tabTo('Save', 60);
    await keyboard.press('Enter');
    await until(async () => {
      const { rows } = await db.query('SELECT maker FROM product WHERE id = 12');
      return rows[0].maker === 2;
    }, 'it is linked');
    await tab.screenshot('related');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
