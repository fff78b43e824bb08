/** The order of collections in the Admin App: moved by dragging, by keyboard and by buttons, into folders and out of them. */
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

t.test('collections are ordered and grouped', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    workers: 1,
    async prepare({ fetch }) {
      const folders = ['archive', 'shop'].map((collection) => ({ collection, meta: {} }));
      const tables = ['article', 'customer', 'product', 'visitor'].map((collection) => ({
        ...{ collection, schema: {} },
        meta: collection === 'product' ? { group: 'shop', note: 'All that can be bought' } : {},
      }));
      const answer = await fetch('/collections', {
        method: 'POST',
        body: JSON.stringify([...folders, ...tables]),
      });
      t.equal(answer.status, 200);
    },
  });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const { keyboard, mouse } = page;
  const list = page.getByRole('list', { name: 'Collections', exact: true });
  const handle = (name: string) => page.getByRole('button', { name: `Move ${name}`, exact: true });
  const saved = async () => {
    const shown = page.getByRole('alert').filter({ hasText: 'Order saved' });
    await shown.waitFor();
    await shown.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
  };
  const said = (text: string) =>
    page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' });
  const pick = async (name: string, text: string) => {
    await handle(name).focus();
    await keyboard.press('Space');
    await said(text);
    // It listens for the next key with the next timer.
    await page.evaluate('new Promise((done) => setTimeout(done, 0))');
  };
  const order = async () => {
    const links = await list.getByRole('link').locator('code').allTextContents();
    return links.join(' ');
  };
  const stored = async () => {
    const { rows } = await db.query(`SELECT collection, "group", sort FROM system_collections
      WHERE sort IS NOT NULL ORDER BY "group" NULLS FIRST, sort`);
    return rows.map(({ collection, group, sort }) => `${group ?? ''}/${sort} ${collection}`);
  };
  const centre = async (name: string) => {
    const box = await handle(name).boundingBox();
    if (box === null) throw new Error(`${name} is not shown`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  await tab.signIn();
  await tab.open('/model/collections');
  await handle('Article').waitFor();

  await t.test('by dragging, into a folder', async (t) => {
    t.equal(await order(), 'archive article customer shop product visitor');
    const from = await centre('Customer');
    const to = await centre('Product');
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(from.x, from.y + 10, { steps: 4 });
    await said('Customer is at position');
    await mouse.move(to.x, to.y, { steps: 8 });
    // What stands in a folder has room beside it: as deep as the product.
    await said('Customer is at position 2 in Shop');
    await tab.screenshot('dragged');
    await mouse.up();
    await saved();
    t.equal(await order(), 'archive article shop product customer visitor');
    t.strictSame(await stored(), ['shop/1 product', 'shop/2 customer']);
    await tab.screenshot('list');
    t.strictSame(await tab.axe(), [], 'the list is accessible');
  });

  await t.test('by keyboard, out of a folder, and a folder with what is in it', async (t) => {
    await pick('Product', 'Product is at position 1 in Shop');
    await keyboard.press('ArrowDown');
    await said('Product is at position 2 in Shop');
    await keyboard.press('ArrowLeft');
    await said('Product is at position 4.');
    // It cannot be further out than that.
    await keyboard.press('ArrowLeft');
    await keyboard.press('Space');
    await saved();
    t.equal(await order(), 'archive article shop customer product visitor');
    await pick('Shop', 'Shop is at position 3');
    await keyboard.press('ArrowUp');
    await said('Shop is at position 2');
    await keyboard.press('ArrowRight');
    await said('Shop is at position 1 in Archive');
    await keyboard.press('Escape');
    await said('Shop was not moved');
    t.equal(await order(), 'archive article shop customer product visitor');
    await pick('Shop', 'Shop is at position 3');
    await keyboard.press('ArrowUp');
    await said('Shop is at position 2');
    await keyboard.press('ArrowRight');
    await said('Shop is at position 1 in Archive');
    await keyboard.press('Space');
    await saved();
    t.equal(await order(), 'archive shop customer article product visitor');
    const { rows } = await db.query(
      `SELECT collection, "group" FROM system_collections WHERE "group" IS NOT NULL ORDER BY 1`,
    );
    t.strictSame(rows, [
      { collection: 'customer', group: 'shop' },
      { collection: 'shop', group: 'archive' },
    ]);
  });

  await t.test('by buttons, and the menu follows', async (t) => {
    await page.getByRole('button', { name: 'Move up Visitor' }).click();
    await saved();
    t.equal(await order(), 'archive shop customer article visitor product');
    t.equal(await page.getByRole('button', { name: 'Move down Product' }).isDisabled(), true);
    t.equal(await page.getByRole('button', { name: 'Move up Customer' }).isDisabled(), true);
    await page.getByLabel('Search collections').fill('r');
    await until(async () => (await handle('Visitor').count()) === 0, 'what is found is not moved');
    t.equal(await order(), 'archive customer article visitor product');
    await page.getByLabel('Search collections').fill('');
    await page.getByRole('switch', { name: 'Show system collections' }).check();
    await page.getByRole('list', { name: 'System collections' }).waitFor();
    await page.getByRole('switch', { name: 'Show system collections' }).uncheck();
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await page.getByRole('link', { name: 'Visitor', exact: true }).waitFor();
    const menu = page.getByRole('link', { name: /^(Article|Customer|Product|Visitor)$/ });
    t.strictSame(await menu.allTextContents(), ['Customer', 'Article', 'Visitor', 'Product']);
    await tab.screenshot('menu');
  });

  await t.test('in a language from right to left, and on a phone', async (t) => {
    await page.setViewportSize(PHONE);
    await tab.open('/model/collections');
    await handle('Article').waitFor();
    await tab.screenshot('phone');
    t.equal(
      await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
      true,
      'nothing is cut off',
    );
    await page.setViewportSize({ width: 1280, height: 800 });
    const answer = await app.cluster.fetch('/users?filter[email][_eq]=admin@example.com', {
      method: 'PATCH',
      body: JSON.stringify({ query: {}, data: { text_direction: 'rtl' } }),
    });
    t.equal(answer.status, 200);
    await tab.open('/model/collections');
    await handle('Article').waitFor();
    await pick('Product', 'Product is at position 4');
    // Inwards is to the left.
    await keyboard.press('ArrowLeft');
    await said('Product is at position 1 in Visitor');
    await keyboard.press('ArrowRight');
    await said('Product is at position 4');
    await tab.screenshot('rtl');
    await keyboard.press('Space');
    t.equal(await order(), 'archive shop customer article visitor product');
  });
  t.strictSame(tab.faults, []);
});
