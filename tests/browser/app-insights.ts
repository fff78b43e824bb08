/** Dashboards of the Admin App: made by clicking, arranged, shared by their address, each with the viewer's rights. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const DARK = "document.documentElement.style.colorScheme === 'dark'";
const skip = browser === null && 'no browser starts here';

async function makeOrders({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE region (id integer PRIMARY KEY, name varchar(40) NOT NULL);
    CREATE TABLE orders (
      id serial PRIMARY KEY, title varchar(40) NOT NULL, region integer REFERENCES region,
      total numeric(10, 2) NOT NULL, placed timestamptz NOT NULL, latitude float8, longitude float8
    );
    CREATE TABLE salary (id serial PRIMARY KEY, amount integer NOT NULL);
    INSERT INTO region VALUES (1, 'North'), (2, 'South'), (3, 'West');
    INSERT INTO orders (title, region, total, placed)
    SELECT 'Order ' || n, 1 + n % 3, 10 + (n * 37) % 200, now() - n * interval '9 hours'
    FROM generate_series(1, 200) n;
    UPDATE orders SET latitude = 40 + id % 10, longitude = id % 20 WHERE id <= 150;
    INSERT INTO salary (amount) VALUES (1000), (2000);`);
  await until(async () => (await fetch('/items/orders?fields=region.name')).ok, 'it is served');
}

t.test('a dashboard is made by clicking and shows what SQL counts', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    prepare: makeOrders,
    env: { WEBSOCKETS_ENABLED: 'true' },
  });
  const { db } = app.cluster;
  const ask = async (text: string) => Object.values((await db.query(text)).rows[0] ?? {})[0];
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await page.getByRole('link', { name: 'Insights' }).click();
  await page.getByText('No dashboards yet').waitFor();
  await page.getByRole('button', { name: 'New dashboard' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Sales');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This dashboard is empty').waitFor();

  const begin = async (kind: string, name: string) => {
    await page.getByRole('link', { name: 'Add panel' }).click();
    await page.getByLabel('Type').selectOption({ label: kind });
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  };
  const take = async (collection: string) => {
    await page.getByRole('combobox', { name: 'Collection' }).fill(collection);
    await page.getByRole('option', { name: collection, exact: true }).click();
  };
  const preview = page.getByRole('region', { name: 'Preview' });
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
  };

  await begin('Figure', 'Revenue');
  await preview.getByText('Choose a collection and the required fields.').waitFor();
  await take('Orders');
  await page.getByLabel('Value', { exact: true }).selectOption({ label: 'Sum' });
  await page.getByLabel('Value field').selectOption({ label: 'Total' });
  await page.getByLabel('Date field').selectOption({ label: 'Placed' });
  const inPeriod = `placed >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' - interval '29 days'`;
  const total = Number(await ask(`SELECT sum(total) FROM orders WHERE ${inPeriod}`));
  const shown = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format(total);
  await preview.getByText(shown, { exact: true }).waitFor();
  await preview.getByText('in the previous period').waitFor();
  await tab.screenshot('editor');
  t.strictSame(await tab.axe(), [], 'the editor is accessible');
  await save();

  await begin('Chart over time', 'Orders by day');
  await take('Orders');
  await page.getByLabel('Date field').selectOption({ label: 'Placed' });
  await preview.locator('[role=img] svg').waitFor();
  await save();

  await begin('Bars by category', 'By region');
  await take('Orders');
  await page.getByLabel('Category').selectOption({ label: 'Region' });
  await preview.getByText('North').waitFor();
  await save();

  await begin('Map', 'Where orders come from');
  await take('Orders');
  await preview.locator('[data-drawn]').waitFor();
  await tab.screenshot('map');
  await save();

  await page.reload();
  const panel = (name: string) => page.getByRole('figure', { name });
  await panel('Revenue').getByText(shown, { exact: true }).waitFor();
  await panel('By region').getByText('North').waitFor();
  await panel('Orders by day').locator('[role=img] svg').waitFor();
  await tab.screenshot('dashboard');
  t.strictSame(await tab.axe(), [], 'a dashboard is accessible');

  await t.test('its tables and files say the same', async (t) => {
    await panel('By region').getByRole('button', { name: 'Show as table' }).click();
    const row = panel('By region').getByRole('row').filter({ hasText: 'North' });
    const north = await ask(
      `SELECT count(*) FROM orders JOIN region r ON r.id = region WHERE r.name = 'North'`,
    );
    await row.getByRole('cell', { name: String(north), exact: true }).waitFor();
    const fileOf = async (name: string, entry: string) => {
      await panel(name).getByRole('button', { name: 'More about' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: entry }).click(),
      ]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const csv = await fileOf('Orders by day', 'Download as table');
    t.equal(csv.name, 'Orders by day.csv');
    const lines = csv.bytes.toString().trim().split('\r\n');
    t.equal(lines.length, 31, 'a row for each day');
    const counted = lines.slice(1).reduce((sum, line) => sum + Number(line.split(',')[1]), 0);
    t.equal(counted, Number(await ask(`SELECT count(*) FROM orders WHERE ${inPeriod}`)));
    const png = await fileOf('Orders by day', 'Download as picture');
    t.equal(png.bytes.toString('latin1', 1, 4), 'PNG');
    t.ok(png.bytes.length > 5_000, 'which shows something');
  });

  await t.test(
    'a variable of the page is used in a filter, and is part of the address',
    async (t) => {
      await begin('Variable', 'From total');
      await page.getByRole('textbox', { name: 'Name in filters' }).fill('least');
      await save();
      await panel('Revenue').getByRole('button', { name: 'More about' }).click();
      await page.getByRole('menuitem', { name: 'Edit panel' }).click();
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByLabel('Field', { exact: true }).selectOption({ label: 'Total' });
      await page.getByLabel('Comparison').selectOption({ label: 'is at least' });
      await page.getByLabel('Compare with').selectOption('$least');
      await save();
      const field = page.getByRole('textbox', { name: 'From total' });
      await field.fill('150');
      await field.press('Enter');
      const large = Number(
        await ask(`SELECT sum(total) FROM orders WHERE total >= 150 AND ${inPeriod}`),
      );
      const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format(large);
      await panel('Revenue').getByText(figure, { exact: true }).waitFor();
      await page.getByLabel('Period', { exact: true }).selectOption({ label: 'All time' });
      t.match(page.url(), /period=all/);
      t.match(page.url(), /var\.least=150/);
      await page.reload();
      const all = Number(await ask('SELECT sum(total) FROM orders WHERE total >= 150'));
      const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format(all);
      await panel('Revenue').getByText(whole, { exact: true }).waitFor();
      // Changes by SQL alone are not heard of.
      const late = { title: 'Late', region: 1, total: 5_000, placed: new Date().toISOString() };
      await app.cluster.fetch('/items/orders', { method: 'POST', body: JSON.stringify(late) });
      const live = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format(all + 5_000);
      await panel('Revenue').getByText(live, { exact: true }).waitFor();
    },
  );

  await t.test('panels are arranged by keyboard and by pointer', async (t) => {
    const places = async () =>
      (
        await db.query(`SELECT name, position_x x, position_y y, width w, height h
          FROM system_panels WHERE type <> 'variable' ORDER BY date_created`)
      ).rows;
    t.match(await places(), [
      { name: 'Revenue', x: 1, y: 1, w: 4, h: 3 },
      { name: 'Orders by day', x: 5, y: 1, w: 8, h: 5 },
      { name: 'By region', x: 1, y: 6, w: 6, h: 5 },
    ]);
    await page.getByRole('button', { name: 'Arrange' }).click();
    const resize = page.getByRole('button', { name: 'Resize “Revenue”' });
    await resize.focus();
    for (const key of ['ArrowRight', 'ArrowDown']) await resize.press(key);
    const move = page.getByRole('button', { name: 'Move “By region”' });
    await move.scrollIntoViewIfNeeded();
    const from = await move.boundingBox();
    const { x = 0, y = 0 } = from ?? {};
    await page.mouse.move(x + 8, y + 8);
    await page.mouse.down();
    await page.mouse.move(x + 8 + 250, y + 8, { steps: 5 });
    await page.mouse.up();
    await tab.screenshot('arrange');
    t.strictSame(await tab.axe(), [], 'arranging is accessible');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Arrange' }).waitFor();
    const [revenue, byDay, byRegion] = await places();
    t.match(revenue, { x: 1, y: 1, w: 5, h: 4 });
    t.match(byDay, { x: 5, y: 5 }, 'it made way');
    t.ok(byRegion.x > 1, 'it was dragged');
  });

  await t.test('a user with fewer rights sees fewer items', async (t) => {
    const { rows } = await db.query('SELECT id FROM system_dashboards');
    const body = {
      ...{ dashboard: rows[0].id, type: 'metric', name: 'Salaries' },
      ...{ position_x: 1, position_y: 20, width: 3, height: 3 },
      options: { collection: 'salary', function: 'sum', valueField: 'amount' },
    };
    await app.cluster.fetch('/panels', { method: 'POST', body: JSON.stringify(body) });
    const north = { region: { _eq: 1 } };
    const member = await createMember(
      app.cluster,
      [
        { collection: 'orders', action: 'read', permissions: north },
        { collection: 'region', action: 'read' },
      ],
      { app: true },
    );
    const credentials = { email: 'north@example.com', password: 'a password of tests' };
    await app.cluster.fetch(`/users/${member.id}`, {
      method: 'PATCH',
      body: JSON.stringify(credentials),
    });
    const other = await app.newPage();
    await other.signIn(credentials);
    await other.page.getByRole('link', { name: 'Insights' }).click();
    await other.page.getByRole('main').getByRole('link', { name: 'Sales' }).click();
    await other.page.getByLabel('Period', { exact: true }).selectOption({ label: 'All time' });
    const own = Number(await ask('SELECT sum(total) FROM orders WHERE region = 1'));
    const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format(own);
    const seen = (name: string) => other.page.getByRole('figure', { name });
    await seen('Revenue').getByText(figure, { exact: true }).waitFor();
    await seen('Salaries').getByText('You do not have permission to read this data.').waitFor();
    t.equal(await other.page.getByRole('link', { name: 'Add panel' }).count(), 0);
    t.equal(await other.page.getByRole('button', { name: 'Arrange' }).count(), 0);
    await other.screenshot('fewer-rights');
    t.strictSame(other.faults, [], 'nothing was asked for that is refused');
  });

  await page.setViewportSize(PHONE);
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(() => page.evaluate(DARK), 'it is dark');
  await panel('By region').getByText('North').waitFor();
  await tab.screenshot('phone-dark');
  t.strictSame(await tab.axe(), [], 'dark, on a phone, too');
  await page.setViewportSize({ width: 1280, height: 800 });
  await tab.screenshot('dark');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
