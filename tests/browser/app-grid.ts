/** The table of a list in the Admin App: columns, sums, cells that are edited, and all items that match. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const READER = { email: 'reader@example.com', password: 'the reader of tests' } as const;

async function makeShop({ db, fetch, served }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE maker (id serial PRIMARY KEY, name text NOT NULL);
    CREATE TABLE product (
      id serial PRIMARY KEY, name varchar(200) NOT NULL, maker integer REFERENCES maker,
      price numeric(8, 2) CHECK (price < 5000), since date, sold boolean NOT NULL DEFAULT false,
      status varchar(20) NOT NULL DEFAULT 'published', place text, facts jsonb
    );
    INSERT INTO maker (name) VALUES ('Acme'), ('Globex');
    INSERT INTO product (name, maker, price, since, sold, place)
    SELECT 'Product ' || n, 1 + n % 2, n, date '2020-01-01' + n, n % 4 = 0, 'Shelf ' || n
    FROM generate_series(1, 220) n;
    UPDATE product SET facts = '{"size": 1}' WHERE id = 6;
    INSERT INTO system_collections (collection, archive_field, archive_value, unarchive_value)
    VALUES ('product', 'status', 'archived', 'published');`);
  await served('/items/product');
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const [policy, role] = [randomUUID(), randomUUID()];
  const may = (action: string, fields: readonly string[], permissions: object) => ({
    ...{ policy, collection: 'product', action, fields, permissions },
  });
  await post('/policies', { id: policy, name: 'Reading', app_access: true });
  await post('/permissions', [
    may('read', ['*'], {}),
    may('update', ['price'], { id: { _lte: 10 } }),
  ]);
  await post('/roles', { id: role, name: 'Readers' });
  await post('/access', { role, policy });
  await post('/users', { ...READER, role, status: 'active' });
}

t.test('somebody who keeps products in a table', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeShop });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  const count = (text: string) => page.getByText(text, { exact: true }).waitFor();
  const one = async (text: string) => {
    const { rows } = await db.query(text);
    return rows[0];
  };
  const head = (name: string) => page.locator('th').filter({ hasText: name });
  const heads = async () => {
    const texts = await page.getByRole('columnheader').allInnerTexts();
    return texts.map((text) => text.trim()).filter((text) => text !== '');
  };
  const menu = async (column: string, entry: string, role: 'menuitem' | 'menuitemcheckbox') => {
    await head(column).getByRole('button', { name: 'Column options' }).click();
    await page.getByRole(role, { name: entry, exact: true }).click();
    await page.locator('[role=menu]').waitFor({ state: 'detached' });
  };
  const cell = (key: number, field: string) =>
    page.locator(`tr[data-key="${key}"] [data-editable="${field}"]`);
  const widthOf = async (name: string) => Math.round((await head(name).boundingBox())?.width ?? 0);

  await t.test('arranges the columns, and finds them again elsewhere', async (t) => {
    await tab.open('/content/product?sort=id');
    await count('1 to 25 of 220');
    await head('Name').getByRole('button', { name: 'Name', exact: true }).press('ArrowDown');
    t.strictSame(await tab.axe(), [], 'the menu of a column is accessible');
    await tab.screenshot('menu');
    await page.keyboard.press('Escape');
    await page.locator('[role=menu]').waitFor({ state: 'detached' });
    const before = await widthOf('Name');
    const edge = await head('Name').getByRole('separator', { includeHidden: true }).boundingBox();
    if (edge === null) throw new Error('the edge is not drawn');
    await page.mouse.move(edge.x + 4, edge.y + 8);
    await page.mouse.down();
    await page.mouse.move(edge.x + 84, edge.y + 8, { steps: 4 });
    await page.mouse.up();
    await until(async () => Math.abs((await widthOf('Name')) - before - 80) < 3, 'it is wider');
    await menu('Name', 'Change the width', 'menuitem');
    await page.keyboard.press('Shift+ArrowLeft');
    await until(async () => Math.abs((await widthOf('Name')) - before - 32) < 3, 'it is narrower');
    t.equal((await heads())[0], 'Name');
    await menu('Name', 'Move towards the end', 'menuitem');
    await until(async () => (await heads())[1] === 'Name', 'the menu moves a column');
    const from = await head('Price').getByText('Price').boundingBox();
    const to = await head('Maker').boundingBox();
    if (from === null || to === null) throw new Error('the heads are not drawn');
    await page.mouse.move(from.x + 8, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(to.x + 20, to.y + 8, { steps: 12 });
    await page.mouse.up();
    await until(async () => (await heads())[0] === 'Price', 'dragging moves a column');
    await menu('Name', 'Pin to the start', 'menuitem');
    await until(async () => (await heads())[0] === 'Name', 'a pinned column is at the start');
    await menu('Price', 'Sum', 'menuitemcheckbox');
    await page.getByText('24,310.00').waitFor();
    await menu('Since', 'Maximum', 'menuitemcheckbox');
    await page.getByText('Aug 8, 2020').waitFor();
    t.strictSame(await tab.axe(), [], 'the table is accessible');
    await tab.screenshot('arranged');
    await page.setViewportSize({ width: 800, height: 700 });
    await page.locator('.MuiTableContainer-root').evaluate('(box) => box.scrollBy(300, 0)');
    const pinned = await head('Name').boundingBox();
    const box = await page.locator('.MuiTableContainer-root').boundingBox();
    t.ok(pinned && box && pinned.x - box.x < 80, 'the pinned column stays in sight');
    await tab.screenshot('pinned');
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole('searchbox', { name: 'Search' }).fill('Product 22');
    await page.getByText('242.00').waitFor();
    t.pass('the sum is that of what was found');

    await until(
      async () =>
        (await one('SELECT layout_options FROM system_presets'))?.layout_options.tabular.summaries
          .since === 'max',
      'the preset is stored',
    );
    const other = await app.newPage();
    await other.signIn();
    await other.open('/content/product');
    await other.page.getByText('24,310.00').waitFor();
    const texts = await other.page.getByRole('columnheader').allInnerTexts();
    t.strictSame(texts.filter((text) => text.trim() !== '').slice(0, 2), ['Name', 'Price']);
    const name = other.page.locator('th').filter({ hasText: 'Name' });
    t.ok(Math.abs(((await name.boundingBox())?.width ?? 0) - before - 32) < 3, 'and its width');
    t.strictSame(other.faults, []);
    const presets = await db.query('SELECT count(*)::int AS n FROM system_presets');
    t.strictSame(presets.rows, [{ n: 1 }], 'one preset for the user');
  });

  await t.test('edits a value in its cell', async (t) => {
    await tab.open('/content/product?sort=id');
    await cell(3, 'price').dblclick();
    const editor = page.getByRole('dialog', { name: 'Edit Price' });
    const price = editor.getByRole('textbox', { name: 'Price' });
    await until(async () => (await price.inputValue()) === '3.00', 'the value is there');
    t.strictSame(await tab.axe(), [], 'the editor is accessible');
    await tab.screenshot('editor');
    await price.fill('33');
    await page.keyboard.press('Enter');
    await page.getByText('Price changed').waitFor();
    t.equal((await one('SELECT price FROM product WHERE id = 3'))?.price, '33.00');
    await cell(3, 'price').getByText('33.00').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Price restored').waitFor();
    t.equal((await one('SELECT price FROM product WHERE id = 3'))?.price, '3.00');

    // By keyboard: arrows, Enter, Tab, Escape.
    await cell(3, 'price').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('F2');
    await until(async () => (await price.inputValue()) === '4.00', 'the next row');
    await page.keyboard.type('44');
    await page.keyboard.press('Tab');
    const maker = page.getByRole('dialog', { name: 'Edit Maker' }).getByRole('combobox');
    await until(async () => (await maker.inputValue()) === 'Acme', 'Tab goes on');
    t.equal((await one('SELECT price FROM product WHERE id = 4'))?.price, '44.00', 'and saves');
    await maker.fill('Glo');
    await page.getByRole('option', { name: 'Globex' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByText('Maker changed').waitFor();
    t.equal((await one('SELECT maker FROM product WHERE id = 4'))?.maker, 2);
    await until(
      () => page.evaluate("document.activeElement?.dataset?.editable === 'maker'"),
      'the focus is back in the cell',
    );
    await page.keyboard.press('Enter');
    await maker.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    // What is refused is said beside the value, which stays.
    tab.expectStatus(400, '/items/product/5');
    await cell(5, 'price').dblclick();
    await price.fill('6000');
    await page.keyboard.press('Enter');
    await editor.locator('.Mui-error').first().waitFor();
    t.equal(await price.inputValue(), '6000', 'nothing that was typed is lost');
    await tab.screenshot('refused');

    // What another person has changed meanwhile is shown.
    tab.expectStatus(412, '/items/product/5');
    await db.query('UPDATE product SET price = 77 WHERE id = 5');
    await price.fill('55');
    await page.keyboard.press('Enter');
    await editor.getByText('77.00').waitFor();
    await tab.screenshot('conflict');
    t.strictSame(await tab.axe(), [], 'a conflict is accessible');
    await editor.getByRole('button', { name: 'Save mine' }).click();
    await editor.waitFor({ state: 'detached' });
    t.equal((await one('SELECT price FROM product WHERE id = 5'))?.price, '55.00');

    // A document stays a document, and half of one is not sent.
    await tab.open('/content/product?sort=id&columns=name,facts,price');
    await cell(6, 'facts').dblclick();
    const facts = page.getByRole('dialog', { name: 'Edit Facts' }).getByRole('textbox');
    await facts.fill('{"size": 2, ');
    await page.keyboard.press('Control+Enter');
    await until(async () => (await facts.getAttribute('data-unreadable')) !== null, 'it is marked');
    await facts.fill('{"size": 2, "hue": "red"}');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Facts changed').waitFor();
    const { facts: stored } = (await one('SELECT facts FROM product WHERE id = 6')) ?? {};
    t.strictSame(stored, { size: 2, hue: 'red' });
  });

  await t.test('may only edit what the rights allow', async (t) => {
    const reader = await app.newPage();
    await reader.signIn(READER);
    await reader.open('/content/product?sort=id');
    const of = (key: number, field: string) =>
      reader.page.locator(`tr[data-key="${key}"] [data-editable="${field}"]`);
    await of(3, 'price').waitFor();
    t.equal(await of(3, 'name').count(), 0, 'a field without the right is no such cell');
    const price = reader.page.getByRole('dialog').getByRole('textbox', { name: 'Price' });
    await of(12, 'price').dblclick();
    await reader.page.getByText('You can’t change this value.').waitFor();
    t.equal(await price.isEditable(), false, 'nor one of an item without the right');
    await reader.page.keyboard.press('Escape');
    await of(3, 'price').dblclick();
    await price.fill('31');
    await reader.page.keyboard.press('Enter');
    await reader.page.getByText('Price changed').waitFor();
    t.equal((await one('SELECT price FROM product WHERE id = 3'))?.price, '31.00');
    t.strictSame(reader.faults, []);
  });

  await t.test('acts on all items that match', async (t) => {
    await tab.open('/content/product?sort=id&search=Product%201');
    await count('1 to 25 of 111');
    await page.getByRole('checkbox', { name: 'Select item 1', exact: true }).check();
    const bar = page.getByRole('region', { name: 'Selected items' });
    await bar.getByRole('button', { name: 'Select all 111' }).click();
    await bar.getByText('111 items selected').waitFor();
    t.ok(await page.getByRole('checkbox', { name: 'Select item 10', exact: true }).isChecked());
    await tab.screenshot('all-selected');
    await bar.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 111 items' });
    await dialog.waitFor();
    await tab.addFrom('Add a field', 'Place');
    await dialog.getByRole('textbox', { name: 'Place' }).fill('Cellar');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('111 items changed').waitFor();
    t.equal((await one("SELECT count(*)::int AS n FROM product WHERE place = 'Cellar'"))?.n, 111);

    await page.getByRole('checkbox', { name: 'Select item 1', exact: true }).check();
    await bar.getByRole('button', { name: 'Select all 111' }).click();
    // What comes meanwhile is counted before it is asked for.
    await db.query("INSERT INTO product (name, price) VALUES ('Product 1000', 1)");
    await bar.getByRole('button', { name: 'Archive', exact: true }).click();
    const archive = page.getByRole('dialog', { name: 'Archive 112 items?' });
    await archive.waitFor();
    t.strictSame(await tab.axe(), [], 'the question is accessible');
    await archive.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('No matching items').waitFor();
    t.equal(
      (await one("SELECT count(*)::int AS n FROM product WHERE status = 'archived'"))?.n,
      112,
    );

    await tab.open('/content/product?sort=id');
    await count('1 to 25 of 109');
    await page.getByRole('checkbox', { name: 'Select all items of this page' }).check();
    await bar.getByRole('button', { name: 'Select all 109' }).click();
    await page.getByRole('checkbox', { name: 'Select item 3', exact: true }).uncheck();
    await bar.getByText('24 items selected').waitFor();
    await bar.getByRole('button', { name: 'Select all 109' }).click();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete 109 items?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByText('No matching items').or(page.getByText('No items yet')).first().waitFor();
    t.equal((await one('SELECT count(*)::int AS n FROM product'))?.n, 112, 'no others');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
