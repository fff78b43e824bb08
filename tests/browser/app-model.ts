/** The data model in the Admin App: collections and fields made, changed, refused and deleted by clicking. */
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

t.test('an administrator makes a data model', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1 });
  const { db, fetch } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const notice = async (text: string) => {
    const shown = page.getByRole('alert').filter({ hasText: text });
    await shown.waitFor();
    await shown.getByRole('button', { name: 'Close' }).click();
    await shown.waitFor({ state: 'detached' });
  };
  await tab.signIn();

  await t.test('a folder and a collection in it', async (t) => {
    await page.getByRole('link', { name: 'Data model' }).click();
    await page.getByText('No collections yet', { exact: true }).waitFor();
    t.strictSame(await tab.axe(), [], 'the empty list is accessible');
    await tab.screenshot('empty');
    await page.getByRole('link', { name: 'Create collection' }).first().click();
    await heading('New collection');
    await button('Create').click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('Name', { exact: false }).first().fill('shop');
    await page.getByRole('radio', { name: 'A folder for collections' }).check();
    await button('Create').click();
    await heading('Collections');
    await notice('shop created');
    await page.getByRole('link', { name: 'Create collection' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('product list');
    await page.getByLabel('Group').selectOption('shop');
    await page.getByRole('textbox', { name: 'Note' }).fill('All that can be bought');
    await page.getByLabel('Key type').selectOption('uuid');
    for (const name of ['Status', 'Manual order', 'Created by', 'Created on']) {
      await page.getByRole('checkbox', { name }).check();
    }
    t.strictSame(await tab.axe(), [], 'the form of a collection is accessible');
    await tab.screenshot('new-collection');
    await button('Create').click();
    await heading('Product List');
    await notice('product_list created');
    const { rows } = await db.query(`SELECT column_name FROM information_schema.columns
      WHERE table_name = 'product_list' ORDER BY ordinal_position`);
    t.strictSame(
      rows.map(({ column_name: name }) => name),
      ['id', 'status', 'sort', 'user_created', 'date_created'],
    );
    await tab.screenshot('fields-of-new');
    t.strictSame(await tab.axe(), [], 'the list of fields is accessible');
  });

  await t.test('fields of several types', async (t) => {
    const make = async (name: string, type: string, more: () => Promise<unknown>) => {
      await page.getByRole('link', { name: 'Create field' }).click();
      await heading('New field');
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
      await page.getByLabel('Type').selectOption(type);
      await more();
      await button('Create').click();
      await heading('Product List');
      await notice(`Field ${name} created`);
    };
    await make('title', 'string', async () => {
      await page.getByLabel('Maximum length').fill('80');
      await page.getByRole('switch', { name: 'Unique' }).check();
      await page.getByLabel('Width').selectOption('half');
      await page.getByRole('switch', { name: 'Required' }).check();
      await page.getByRole('textbox', { name: 'Note' }).fill('As on the label');
      t.strictSame(await tab.axe(), [], 'the form of a field is accessible');
      await tab.screenshot('new-field');
    });
    await make('price', 'decimal', async () => {
      await page.getByLabel('Total digits').fill('8');
      await page.getByLabel('Decimal places').fill('2');
      await page.getByLabel('Width').selectOption('half-right');
    });
    await make('size', 'string', async () => {
      await page.getByLabel('Interface').selectOption('select-dropdown');
      for (const [place, [text, value]] of Object.entries([
        ['Small', 's'],
        ['Large', 'l'],
      ])) {
        await button('Add choice').click();
        const choices = page.getByRole('group', { name: 'Choices' });
        await choices
          .getByLabel('Text')
          .nth(Number(place))
          .fill(text ?? '');
        await choices
          .getByLabel('Value')
          .nth(Number(place))
          .fill(value ?? '');
      }
      await page.getByLabel('Default value').selectOption('value');
      await page.getByRole('textbox', { name: 'Value', exact: true }).first().fill('s');
      await tab.screenshot('choices');
    });
    await make('in_stock', 'boolean', () => page.getByLabel('Default value').selectOption('value'));
    await make('since', 'date', async () => undefined);
    await make('details', 'alias', async () => undefined);
    const one = async (name: string) => (await fetch(`/fields/product_list/${name}`)).json();
    t.match(await one('title'), {
      data: {
        type: 'string',
        schema: { max_length: 80, is_unique: true },
        meta: { interface: 'input', width: 'half', required: true, note: 'As on the label' },
      },
    });
    t.match(await one('price'), {
      data: { type: 'decimal', schema: { numeric_precision: 8, numeric_scale: 2 } },
    });
    t.match(await one('size'), {
      data: {
        schema: { default_value: 's' },
        meta: {
          options: {
            choices: [
              { text: 'Small', value: 's' },
              { text: 'Large', value: 'l' },
            ],
          },
        },
      },
    });
    t.match(await one('in_stock'), { data: { schema: { default_value: false } } });
    t.match(await one('details'), {
      data: { schema: null, meta: { special: 'alias,no-data,group' } },
    });
  });

  await t.test('their order, their groups and their rules', async (t) => {
    await page.getByRole('link', { name: 'Since' }).click();
    await heading('Since');
    await page.getByLabel('Group').selectOption('details');
    const validation = page.getByRole('region', { name: 'Validation' });
    await validation.getByRole('button', { name: 'Add condition', exact: true }).click();
    const rule = validation.getByRole('group', { name: 'Condition', exact: true });
    await rule.getByLabel('Field', { exact: true }).selectOption('since');
    await rule.getByLabel('Comparison').selectOption('_nnull');
    await page.getByLabel('Validation message').fill('Since when?');
    const conditions = page.getByRole('region', { name: 'Conditions' });
    await conditions.getByRole('button', { name: 'Add condition' }).click();
    await conditions.getByLabel('Name of the condition').fill('Sold out');
    await conditions.getByRole('button', { name: 'Add condition', exact: true }).first().click();
    const when = conditions.getByRole('group', { name: 'Condition', exact: true });
    await when.getByLabel('Field', { exact: true }).selectOption('in_stock');
    await when.getByLabel('Value').selectOption('false');
    await conditions.getByRole('switch', { name: 'Hidden' }).check();
    await tab.screenshot('rules');
    t.strictSame(await tab.axe(), [], 'rules are accessible');
    await button('Save').click();
    await heading('Product List');
    await notice('Field since saved');
    const group = page.getByRole('list', { name: 'details' });
    await group.getByRole('link', { name: 'Since' }).waitFor();
    await page.getByRole('button', { name: 'Move up Price' }).click();
    await notice('Order saved');
    const first = page.getByRole('list', { name: 'Fields' }).getByRole('link');
    const names = await first.allTextContents();
    t.ok(names.indexOf('Price') < names.indexOf('Title'), 'the price has moved up');
    // By keyboard: picked up, moved down, put down.
    await page.getByRole('button', { name: 'Move Price', exact: true }).focus();
    await page.keyboard.press('Space');
    const said = page.getByRole('status').filter({ hasText: 'Item price is at position' });
    await said.waitFor({ state: 'attached' });
    const before = await said.textContent();
    await page.keyboard.press('ArrowDown');
    await until(async () => (await said.textContent()) !== before, 'it is moved');
    await page.keyboard.press('Space');
    await notice('Order saved');
    const { rows } = await db.query(`SELECT field, "group", validation, conditions
      FROM system_fields WHERE collection = 'product_list' ORDER BY sort`);
    const order = rows.map(({ field }) => field);
    t.ok(order.indexOf('title') < order.indexOf('price'), 'it has moved down again');
    t.match(
      rows.find(({ field }) => field === 'since'),
      {
        group: 'details',
        validation: { since: { _nnull: true } },
        conditions: [{ name: 'Sold out', hidden: true, rule: { in_stock: { _eq: false } } }],
      },
    );
    await tab.screenshot('fields');
  });

  await t.test('a change that would lose values is refused, and accepted', async (t) => {
    const items = ['12', 'a lot'].map((title) => ({ title }));
    const answer = await fetch('/items/product_list', {
      method: 'POST',
      body: JSON.stringify(items),
    });
    t.equal(answer.status, 200);
    await page.getByRole('link', { name: 'Title' }).click();
    await heading('Title');
    await page.getByLabel('Type').selectOption('integer');
    tab.expectStatus(422, '/fields/product_list/title');
    await button('Save').click();
    await page.getByText('1 item would lose its value').waitFor();
    await page.getByRole('cell', { name: 'a lot' }).waitFor();
    t.strictSame(await tab.axe(), [], 'a refusal is accessible');
    await tab.screenshot('refused');
    t.equal(await button('Change anyway').isDisabled(), true);
    await page.getByRole('checkbox', { name: 'I accept' }).check();
    await button('Change anyway').click();
    await heading('Product List');
    await notice('Field title saved');
    const { rows } = await db.query('SELECT title FROM product_list ORDER BY title');
    t.strictSame(rows, [{ title: 12 }, { title: null }]);
    await page.getByRole('link', { name: 'Title' }).click();
    await page.getByRole('switch', { name: 'Can be empty' }).uncheck();
    tab.expectStatus(400, '/fields/product_list/title');
    await button('Save').click();
    await page.getByText('1 item has no value here').waitFor();
    const shown = page.getByRole('link', { name: 'Show the item' });
    t.match(await shown.getAttribute('href'), /content\/product_list\?filter=.*_null/);
    await tab.screenshot('missing');
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Leave' }).click();
    await heading('Product List');
  });

  await t.test('a change waits for a table that is in use', async (t) => {
    const other = await db.connect();
    let released = false;
    t.teardown(() => released || other.release(true));
    await other.query('BEGIN');
    await other.query('SELECT count(*) FROM product_list');
    await page.getByRole('link', { name: 'Create field' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('late');
    await button('Create').click();
    await page.getByText('The table is in use.').waitFor();
    t.match(
      await page.getByRole('link', { name: 'Show the job' }).getAttribute('href'),
      /jobs\/\w/,
    );
    await tab.screenshot('locked');
    // Changes are made one after the other; the next one says for whom it waits.
    const beside = await app.newTab(tab);
    await beside.open('/model/new-collection');
    await beside.page.getByRole('textbox', { name: 'Name', exact: true }).fill('second');
    await beside.page.getByRole('button', { name: 'Create' }).click();
    await beside.page.getByText('Waiting: Admin User').waitFor();
    await beside.screenshot('waits');
    await other.query('ROLLBACK');
    other.release();
    released = true;
    await heading('Product List');
    await notice('Field late created');
    await beside.page.getByRole('heading', { level: 1, name: 'Second' }).waitFor();
    t.strictSame(beside.faults, []);
    await beside.page.close();
  });

  await t.test('the rest of the App hears of it', async (t) => {
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await page.getByRole('link', { name: 'Product List' }).click();
    await heading('Product List');
    await page.getByRole('link', { name: 'New item' }).click();
    await page.getByRole('textbox', { name: 'Late' }).waitFor();
    await page.getByRole('link', { name: 'Data model' }).click();
    await heading('Collections');
    await page.getByRole('switch', { name: 'Show system collections' }).check();
    await page.getByLabel('Search collections').fill('users');
    await page.getByRole('link', { name: /system_users/ }).click();
    await page.getByRole('link', { name: 'Email', exact: true }).click();
    await page.getByRole('switch', { name: 'Index' }).waitFor();
    t.equal(await page.getByLabel('Type').count(), 0, 'nothing else of it can be changed');
    await tab.screenshot('system-field');
    await page.getByRole('link', { name: 'Collections', exact: true }).click();
    await page.getByRole('switch', { name: 'Show system collections' }).uncheck();
    await page.getByRole('link', { name: /product_list/ }).click();
    await heading('Product List');
  });

  await t.test('settings, and the end of a field and of a collection', async (t) => {
    const tabs = page.getByRole('navigation', { name: 'Collection' });
    await tabs.getByRole('link', { name: 'Settings' }).click();
    await tab.addFrom('Insert a field', 'Size');
    await button('Add language').click();
    await page.getByLabel('Language (such as de-DE)').fill('en-GB');
    await page
      .getByRole('group', { name: 'Names in other languages' })
      .getByLabel('Name', { exact: true })
      .fill('Wares');
    await button('Save').click();
    await heading('Wares');
    await notice('Collection saved');
    t.strictSame(await tab.axe(), [], 'settings are accessible');
    await tab.screenshot('settings');
    await tabs.getByRole('link', { name: 'Fields' }).click();
    await page.getByRole('link', { name: 'Size' }).click();
    await heading('Size');
    await button('Delete').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 items would lose their value.').waitFor();
    t.strictSame(await tab.axe(), [], 'the question is accessible');
    await tab.screenshot('delete-field');
    await dialog.getByLabel('Type size to continue').fill('size');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await heading('Wares');
    await notice('Field size deleted');
    t.equal(await page.getByRole('link', { name: 'Size' }).count(), 0);

    // Renamed, it keeps its items, and the App goes on where it was.
    const renamed = page.getByRole('dialog');
    await page.getByRole('link', { name: 'Title' }).click();
    await heading('Title');
    await button('Rename').click();
    t.strictSame(await tab.axe(), [], 'the dialog is accessible');
    await tab.screenshot('rename-field');
    await renamed.getByLabel('New name').fill('id');
    await renamed.getByRole('button', { name: 'Rename' }).click();
    await renamed.getByText('This name is already in use.').waitFor();
    await renamed.getByLabel('New name').fill('label');
    await renamed.getByRole('button', { name: 'Rename' }).click();
    await heading('Wares');
    await notice('title is now label');
    await page.getByRole('link', { name: 'Label' }).waitFor();
    for (const [from, to] of [
      ['product_list', 'wares'],
      ['wares', 'product_list'],
    ] as const) {
      await tab.open(`/model/collections/${from}/settings`);
      await button('Rename').click();
      await renamed.getByLabel('New name').fill(to);
      await renamed.getByRole('button', { name: 'Rename' }).click();
      await notice(`${from} is now ${to}`);
    }
    await tab.open('/model/collections/product_list');
    await page.getByRole('link', { name: 'Label' }).click();
    await button('Rename').click();
    await renamed.getByLabel('New name').fill('title');
    await renamed.getByRole('button', { name: 'Rename' }).click();
    await notice('label is now title');

    await page.setViewportSize(PHONE);
    await tab.open('/model/collections/product_list');
    await page.getByRole('link', { name: 'Title' }).waitFor();
    await tab.screenshot('fields-phone');
    await page.getByRole('link', { name: 'Title' }).click();
    await heading('Title');
    await tab.screenshot('field-phone');
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(
      () =>
        page.evaluate(`document.documentElement.style.colorScheme === 'dark' &&
          document.getAnimations().length === 0`),
      'all is dark',
    );
    t.strictSame(await tab.axe(), [], 'dark, on a phone, too');
    await tab.screenshot('field-dark');
    await tab.open('/model/collections');
    await page.getByRole('link', { name: 'Wares' }).waitFor();
    await tab.screenshot('collections-phone');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await tab.screenshot('collections');

    await tab.open('/model/collections/product_list/settings');
    await button('Delete').click();
    await dialog.getByText('2 items would be lost.').waitFor();
    await tab.screenshot('delete-collection');
    await dialog.getByLabel('Type product_list to continue').fill('product_list');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await heading('Collections');
    await notice('product_list deleted');
    const { rows } = await db.query(`SELECT FROM pg_class WHERE relname = 'product_list'`);
    t.equal(rows.length, 0);
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('a change gives up on a table that stays in use', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    workers: 1,
    env: { SCHEMA_LOCK_TIMEOUT: '200ms' },
    async prepare({ db, fetch }) {
      await db.query('CREATE TABLE parcel (id serial PRIMARY KEY)');
      await until(async () => (await fetch('/items/parcel')).ok, 'the table is served');
    },
  });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/model/collections/parcel/new-field');
  const other = await app.cluster.db.connect();
  t.teardown(() => other.release(true));
  await other.query('BEGIN');
  await other.query('SELECT count(*) FROM parcel');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('weight');
  tab.expectStatus(503, '/fields/parcel');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('the table was in use').waitFor();
  await page.getByText('in use by the sessions with the pids').waitFor();
  await tab.screenshot('gave-up');
  await other.query('ROLLBACK');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'Weight' }).waitFor();
  t.strictSame(tab.faults, []);
});

t.test('by keyboard alone', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  const { keyboard } = page;
  await tab.signIn();
  await tab.tabTo('Data model');
  await keyboard.press('Enter');
  await page.getByText('No collections yet', { exact: true }).waitFor();
  await tab.tabTo('Create collection');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New collection' }).waitFor();
  // The cursor is in the name already.
  await keyboard.type('note');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Note' }).waitFor();
  await tab.tabTo('Create field');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New field' }).waitFor();
  await keyboard.type('text');
  await tab.tabTo('Type');
  await tab.pick('Text, long');
  await keyboard.press('Enter');
  await tab.tabTo('Required');
  await keyboard.press('Space');
  await keyboard.press('Enter');
  await page.getByRole('link', { name: 'Text', exact: true }).waitFor();
  const answer = await app.cluster.fetch('/fields/note/text');
  t.match(await answer.json(), { data: { type: 'text', meta: { required: true } } });
  t.strictSame(tab.faults, []);
});

t.test('nobody else is offered the data model', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 0 });
  const member = await createMember(app.cluster, [], { app: true });
  const credentials = { email: 'editor@example.com', password: 'a password of tests' };
  await app.cluster.fetch(`/users/${member.id}`, {
    method: 'PATCH',
    body: JSON.stringify(credentials),
  });
  const tab = await app.newPage();
  await tab.signIn(credentials);
  const { page } = tab;
  await page.getByRole('link', { name: 'Operations' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Data model' }).count(), 0);
  await tab.open('/model/collections');
  await page.getByText('Ask an administrator if you need access.').waitFor();
  await until(
    async () => (await member.send('POST', '/collections', {})).status === 403,
    'refused',
  );
  t.strictSame(tab.faults, []);
});
