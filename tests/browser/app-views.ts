/** Views of a collection in the Admin App: board, calendar, gallery, map and tree, by mouse and by keyboard. */
import sharp from 'sharp';
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const READER = { email: 'reader@example.com', password: 'only reads tasks' } as const;

async function makeTasks({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TYPE stage AS ENUM ('todo', 'doing', 'done');
    CREATE TABLE person (id serial PRIMARY KEY, name varchar(80) NOT NULL);
    CREATE TABLE task (
      id serial PRIMARY KEY, title varchar(200) NOT NULL, stage stage, owner integer REFERENCES person,
      due date, until date, parent integer REFERENCES task, cover uuid REFERENCES system_files,
      latitude double precision, longitude double precision,
      CONSTRAINT no_early_end CHECK (title <> 'Fixed' OR stage = 'todo')
    );
    INSERT INTO person (name) VALUES ('Ada'), ('Grace');
    INSERT INTO task (title, stage, owner, due, parent, latitude, longitude)
    SELECT 'Task ' || n, (ARRAY['todo', 'doing', 'done']::stage[])[1 + n % 3], 1 + n % 2,
      date_trunc('month', current_date)::date + n % 20, CASE WHEN n > 80 THEN n % 4 + 1 END,
      40 + n % 15, 5 + n % 25
    FROM generate_series(1, 90) n;
    INSERT INTO task (title, stage) VALUES ('Fixed', 'todo'), ('Loose', NULL);
    INSERT INTO system_collections (collection, display_template) VALUES ('task', '{{title}}');
    INSERT INTO system_fields (collection, field, special, interface)
    VALUES ('task', 'cover', 'file', 'file-image');
  `);
  await until(async () => (await fetch('/items/task?fields=id,cover.id')).ok, 'tasks are served');
  const send = async (method: string, path: string, body: object) => {
    const sent = body instanceof FormData ? body : JSON.stringify(body);
    const answer = await fetch(path, { method, body: sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text).data;
  };
  const create = { width: 400, height: 300, channels: 3, background: '#2266aa' } as const;
  const picture = new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]);
  const form = new FormData();
  form.set('file', new File([picture], 'cover.png', { type: 'image/png' }));
  const { id: cover } = await send('POST', '/files', form);
  await db.query('UPDATE task SET cover = $1 WHERE id % 2 = 1', [cover]);
  await send('POST', '/users', {
    ...{ ...READER, status: 'active' },
    policies: {
      create: [
        {
          policy: {
            name: 'Reads tasks',
            app_access: true,
            permissions: {
              create: ['task', 'person'].map((collection) => ({
                ...{ collection, action: 'read', fields: ['*'], permissions: {} },
              })),
              update: [],
              delete: [],
            },
          },
        },
      ],
      update: [],
      delete: [],
    },
  });
}

/** The day of this month, as the calendar of the test data has it. */
const dayOfMonth = (day: number) => {
  const now = new Date();
  const two = (number: number) => String(number).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(day)}`;
};

/** The box of an element that is not shown. */
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };

t.test('somebody who looks at tasks in several ways', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    prepare: makeTasks,
    // They make the pictures of the gallery small.
    workers: 1,
    env: { WEBSOCKETS_ENABLED: 'true' },
  });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const ask = async (sql: string) => (await db.query(sql)).rows;
  const view = (name: string) => page.getByRole('button', { name, exact: true });
  const column = (name: string) => page.getByRole('region', { name, exact: true });
  const writes: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') writes.push(new URL(request.url()).pathname);
  });
  await tab.signIn();

  await t.test('moves cards of a board', async (t) => {
    await tab.open('/content/task');
    await view('Board').click();
    await column('todo').getByText('Task 3', { exact: true }).waitFor();
    await column('todo').getByLabel('31 items').waitFor();
    await column('doing').getByLabel('30 items').waitFor();
    await column('No value').getByText('Loose').waitFor();
    await tab.screenshot('board');
    t.strictSame(await tab.axe(), [], 'the board is accessible');
    t.equal(await column('todo').getByRole('listitem').count(), 20, 'a part is read');
    await column('todo').getByRole('button', { name: 'Load more of “todo”' }).click();
    await until(
      async () => (await column('todo').getByRole('listitem').count()) === 31,
      'the column loads on',
    );

    const card = column('todo').getByRole('link', { name: 'Task 3', exact: true });
    const target = await column('doing').boundingBox();
    await card.hover();
    await page.mouse.down();
    await page.mouse.move((target?.x ?? 0) + 140, (target?.y ?? 0) + 200, { steps: 8 });
    await tab.screenshot('board-drag');
    await page.mouse.up();
    await column('doing').getByText('Task 3', { exact: true }).waitFor();
    await column('doing').getByLabel('31 items').waitFor();
    await until(
      async () => (await ask("SELECT FROM task WHERE id = 3 AND stage = 'doing'")).length === 1,
      'the card is moved',
    );
    t.strictSame(writes, ['/items/task/3'], 'by one request');

    const button = column('todo').getByRole('button', { name: 'Move “Task 6”' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'done' }).waitFor();
    await tab.screenshot('board-menu');
    await page.keyboard.type('done');
    await page.keyboard.press('Enter');
    await column('done').getByText('Task 6', { exact: true }).waitFor();
    const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label') ?? ''");
    await until(async () => (await focused()) === 'Move “Task 6”', 'the focus goes along');
    await until(
      async () => (await ask("SELECT FROM task WHERE id = 6 AND stage = 'done'")).length === 1,
      'the menu moves, too',
    );

    tab.expectStatus(400, '/items/task/91');
    await column('todo').getByRole('button', { name: 'Move “Fixed”' }).click();
    await page.getByRole('menuitem', { name: 'done' }).click();
    await page.getByRole('alert').waitFor();
    await column('todo').getByText('Fixed', { exact: true }).waitFor();
    t.equal(await column('done').getByText('Fixed', { exact: true }).count(), 0, 'it goes back');

    await app.cluster.fetch('/items/task/90', {
      method: 'PATCH',
      body: JSON.stringify({ stage: null }),
    });
    await column('No value').getByText('Task 90', { exact: true }).waitFor();
    t.pass('changes of others are seen');

    await page.getByLabel('Columns by').selectOption('owner');
    await column('Ada').getByText('Task 2', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('Task 1');
    await column('Grace').getByLabel('6 items').waitFor();
    await tab.screenshot('board-people');
    await until(async () => {
      const [preset] = await ask('SELECT layout, layout_options FROM system_presets');
      return preset?.layout === 'kanban' && preset.layout_options.kanban.groupField === 'owner';
    }, 'the view is remembered');
    await tab.open('/content/task');
    await column('Ada').getByText('Task 2', { exact: true }).waitFor();
    t.pass('it begins as it was left');
    await column('Ada').getByRole('button', { name: 'New item in “Ada”' }).click();
    await page.getByRole('heading', { name: 'New item' }).waitFor();
    await until(
      async () => (await page.getByRole('combobox', { name: 'Owner' }).inputValue()) === 'Ada',
      'a new item begins with its column',
    );
  });

  await t.test('keeps views as bookmarks with tabs', async (t) => {
    await tab.open('/content/task?layout=kanban');
    await page.getByRole('searchbox', { name: 'Search' }).fill('Task 2');
    await page.getByRole('button', { name: 'Bookmarks' }).click();
    await page.getByRole('menuitem', { name: 'Save this view', exact: true }).click();
    await page.getByLabel('Name').fill('Twos');
    await page.getByRole('button', { name: 'Save' }).click();
    const tabs = page.getByRole('tablist', { name: 'Bookmarks' });
    await tabs.getByRole('tab', { name: 'Twos', selected: true }).waitFor();
    const [kept] = await ask("SELECT layout, search FROM system_presets WHERE bookmark = 'Twos'");
    t.strictSame(kept, { layout: 'kanban', search: 'Task 2' });
    await tabs.getByRole('tab', { name: 'All' }).click();
    await tabs.getByRole('tab', { name: 'All', selected: true }).waitFor();
    await until(
      async () => (await page.getByRole('searchbox', { name: 'Search' }).inputValue()) === '',
      'all items are shown',
    );
    await tabs.getByRole('tab', { name: 'Twos' }).click();
    await view('Table').click();
    await page.getByText('1 to 11 of 11').waitFor();
    await page.getByRole('button', { name: 'Reset', exact: true }).waitFor();
    await tab.screenshot('tabs');
    t.strictSame(await tab.axe(), [], 'the tabs are accessible');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await page.getByLabel('Columns by').waitFor();
    await view('Table').click();
    await page.getByRole('button', { name: 'Save changes', exact: true }).click();
    await page.getByRole('button', { name: 'Reset', exact: true }).waitFor({ state: 'detached' });
    const [changed] = await ask("SELECT layout FROM system_presets WHERE bookmark = 'Twos'");
    t.strictSame(changed, { layout: 'tabular' });
    await db.query("DELETE FROM system_presets WHERE bookmark = 'Twos'");
  });

  await t.test('moves items of a calendar', async (t) => {
    await tab.open('/content/task');
    await view('Calendar').click();
    const day = (date: number) =>
      page.locator('td', { has: page.locator(`button[aria-label*=" ${date},"]`) });
    const entry = page.getByRole('link', { name: 'Task 7', exact: true });
    await entry.waitFor();
    await tab.screenshot('calendar');
    t.strictSame(await tab.axe(), [], 'the calendar is accessible');
    await entry.focus();
    await page.keyboard.press('Shift+ArrowRight');
    await until(
      async () =>
        (await ask(`SELECT FROM task WHERE id = 7 AND due = '${dayOfMonth(9)}'`)).length === 1,
      'the keyboard moves it to the next day',
    );
    await until(
      () => page.evaluate("document.activeElement?.textContent === 'Task 7'"),
      'the focus goes along',
    );
    // Tab comes to one day; arrow keys lead to the others, also of the next month.
    const stops = () =>
      page.evaluate(`[...document.querySelectorAll('td')]
        .filter((one) => one.querySelector('[tabindex="0"]') !== null).length`);
    t.equal(await stops(), 1, 'one day is a tab stop');
    const isOnDay = (date: RegExp) =>
      until(
        async () =>
          date.test(
            String(await page.evaluate("document.activeElement?.getAttribute('aria-label') ?? ''")),
          ),
        `the focus is on ${date}`,
      );
    await page.keyboard.press('ArrowDown');
    await isOnDay(/ 16,/);
    await page.keyboard.press('ArrowLeft');
    await isOnDay(/ 15,/);
    t.equal(await stops(), 1);
    const shown = () => page.locator('h2[role=status]').innerText();
    const month = await shown();
    await page.keyboard.press('PageDown');
    await isOnDay(/ 15,/);
    await until(async () => (await shown()) !== month, 'the next month is shown');
    await page.keyboard.press('PageUp');
    await until(async () => (await shown()) === month, 'and this one again');
    await isOnDay(/ 15,/);
    await entry.waitFor();
    await entry.hover();
    await page.mouse.down();
    // Weeks become higher while their items arrive.
    const { x, y, width, height } = (await day(20).first().boundingBox()) ?? NOWHERE;
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 8 });
    await page.mouse.up();
    await until(
      async () =>
        (await ask(`SELECT FROM task WHERE id = 7 AND due = '${dayOfMonth(20)}'`)).length === 1,
      'the mouse moves it',
    );
    await view('Week').click();
    await page.getByRole('grid', { name: 'Task' }).waitFor();
    await tab.screenshot('calendar-week');
    t.strictSame(await tab.axe(), [], 'the week is accessible');
    await view('Agenda').click();
    await tab.screenshot('calendar-agenda');
    t.strictSame(await tab.axe(), [], 'the agenda is accessible');
    await view('Month').click();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await entry.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Today', exact: true }).click();
    await entry.waitFor();
    await page
      .getByRole('button', { name: /New item on .* 15,/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'New item' }).waitFor();
    t.match(
      await page.locator('[data-field=due] input').inputValue(),
      dayOfMonth(15),
      'the day is filled in',
    );
  });

  await t.test('looks at a gallery', async (t) => {
    await tab.open('/content/task?layout=cards');
    const pictures = page.getByRole('list', { name: 'Task' }).locator('img');
    await pictures.first().waitFor();
    await until(
      () =>
        page.evaluate(
          '[...document.querySelectorAll("main li img")].some((one) => one.naturalWidth > 0)',
        ),
      'the pictures are there',
    );
    await page.getByRole('checkbox', { name: 'Select item 1', exact: true }).check();
    await page.getByRole('region', { name: 'Selected items' }).waitFor();
    await tab.screenshot('gallery');
    t.strictSame(await tab.axe(), [], 'the gallery is accessible');
  });

  await t.test('looks at a map', async (t) => {
    await tab.open('/content/task');
    await view('Map').click();
    await page.getByText('90 items on the map').waitFor();
    const map = page.getByRole('region', { name: 'Map of Task' });
    await map.waitFor();
    const listed = page.getByRole('list', { name: 'Items in this area' });
    await listed.getByRole('link', { name: 'Task 1', exact: true }).waitFor();
    await page.locator('[data-drawn=detailed]').waitFor();
    await tab.screenshot('map');
    t.strictSame(await tab.axe(), [], 'the map is accessible');
    const zoom = page.getByRole('button', { name: 'Zoom in' });
    const before = await page.getByText(/more items are in this area/).innerText();
    await zoom.click();
    await zoom.click();
    await until(async () => {
      const more = page.getByText(/more items are in this area/);
      return (await more.count()) === 0 || (await more.innerText()) !== before;
    }, 'the list follows the map');
    const area = page.waitForRequest((request) =>
      decodeURIComponent(request.url()).includes('_between'),
    );
    await page.getByLabel('Show only items in this area').check();
    await area;
    await page.getByLabel('Show only items in this area').uncheck();
    await page.getByText('90 items on the map').waitFor();

    await db.query(`
      INSERT INTO task (title, latitude, longitude)
      SELECT 'Far ' || n, -40 + n % 80, -100 + n % 199 FROM generate_series(1, 12000) n`);
    const began = Date.now();
    await tab.open('/content/task');
    await page.getByText(/^10,000 of 12,\d+ items are shown/).waitFor();
    t.comment(`10,000 points: ${Date.now() - began} ms from opening the page`);
    await page.locator('[data-drawn]').waitFor();
    t.comment(`drawn: ${Date.now() - began} ms`);
    await tab.screenshot('map-full');
    await db.query("DELETE FROM task WHERE title LIKE 'Far %'");
  });

  await t.test('moves items of a tree', async (t) => {
    await tab.open('/content/task');
    await view('Tree').click();
    const expand = page.getByRole('button', { name: 'Expand “Task 1”' });
    await expand.focus();
    await page.keyboard.press('Enter');
    const below = page.getByRole('list', { name: 'Task 1', exact: true });
    await below.getByRole('link', { name: 'Task 84', exact: true }).waitFor();
    const focused = () => page.evaluate("document.activeElement?.getAttribute('aria-label') ?? ''");
    t.equal(await focused(), 'Collapse “Task 1”', 'the focus stays on what was expanded');
    await tab.screenshot('tree');
    t.strictSame(await tab.axe(), [], 'the tree is accessible');
    const parentOf = async (id: number) =>
      (await ask(`SELECT parent FROM task WHERE id = ${id}`))[0]?.parent;
    const dialog = page.getByRole('dialog', { name: 'Move “Task 84”' });
    await below.getByRole('button', { name: 'Move “Task 84”' }).press('Enter');
    await dialog.getByRole('combobox', { name: 'New parent' }).fill('Task 2');
    await page.getByRole('option', { name: 'Task 2', exact: true }).click();
    await tab.screenshot('tree-dialog');
    await dialog.getByRole('button', { name: 'Move here' }).press('Enter');
    await until(async () => (await parentOf(84)) === 2, 'the dialog moves it');
    const second = page.getByRole('list', { name: 'Task 2', exact: true });
    await second.getByRole('link', { name: 'Task 84', exact: true }).waitFor();
    const around = "document.activeElement?.closest('ul')?.getAttribute('aria-label')";
    await until(
      async () =>
        (await focused()) === 'Move “Task 84”' && (await page.evaluate(around)) === 'Task 2',
      'the focus goes along',
    );

    const target = second.getByRole('link', { name: 'Task 84', exact: true });
    const drag = async (name: string) => {
      const box = await target.boundingBox();
      await page.getByRole('link', { name, exact: true }).first().hover();
      await page.mouse.down();
      await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 40, { steps: 4 });
      // The place for the top level has moved the rows.
      const now = await target.boundingBox();
      await page.mouse.move((now?.x ?? 0) + 20, (now?.y ?? 0) + 10, { steps: 8 });
      await page.mouse.up();
    };
    await drag('Task 2');
    await page.getByText('cannot be moved below itself').waitFor();
    t.equal(await parentOf(2), null, 'no item stands below itself');
    await drag('Task 3');
    await until(async () => (await parentOf(3)) === 84, 'the mouse moves it');
    await page.getByRole('searchbox', { name: 'Search' }).fill('Task 8');
    await page.getByText('Matching items are shown without their parents.').waitFor();
    await page.getByRole('link', { name: 'Task 85', exact: true }).waitFor();
  });

  await t.test('reads without moving where that is all one may', async (t) => {
    const other = await app.newPage();
    await other.signIn(READER);
    await other.open('/content/task?layout=kanban');
    const todo = other.page.getByRole('region', { name: 'todo', exact: true });
    await todo.getByText('Task 9', { exact: true }).waitFor();
    t.equal(await other.page.getByRole('button', { name: /^Move / }).count(), 0, 'no menu');
    const sent: string[] = [];
    other.page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.url());
    });
    const doing = await other.page
      .getByRole('region', { name: 'doing', exact: true })
      .boundingBox();
    await todo.getByText('Task 9', { exact: true }).hover();
    await other.page.mouse.down();
    await other.page.mouse.move((doing?.x ?? 0) + 140, (doing?.y ?? 0) + 200, { steps: 8 });
    await other.page.mouse.up();
    await other.open('/content/task?layout=calendar');
    const entry = other.page.getByRole('link', { name: 'Task 9', exact: true });
    await entry.focus();
    await other.page.keyboard.press('Shift+ArrowRight');
    await other.page.getByRole('button', { name: 'Next', exact: true }).click();
    await entry.waitFor({ state: 'detached' });
    t.strictSame(sent, [], 'nothing was sent');
    t.equal(await other.page.getByRole('button', { name: /New item/ }).count(), 0);
    t.strictSame(other.faults, []);
  });

  await t.test('works on a phone and in the dark', async (t) => {
    const small = await app.newPage({ viewport: PHONE, colorScheme: 'dark' });
    await small.signIn();
    const overflow = () =>
      small.page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
    for (const layout of ['kanban', 'cards', 'map', 'tree']) {
      await small.open(`/content/task?layout=${layout}`);
      await small.page
        .getByRole('link', { name: /^Task \d+$/ })
        .first()
        .waitFor();
      if (layout === 'map') await small.page.locator('[data-drawn]').waitFor();
      await small.screenshot(`phone-${layout}`);
      t.equal(await overflow(), 0, `${layout} is not wider than the phone`);
      t.strictSame(await small.axe(), [], `${layout} is accessible`);
    }
    await small.open(
      `/content/task?layout=calendar&options=${encodeURIComponent('{"mode":"month"}')}`,
    );
    await small.page
      .getByRole('button', { name: /^\d+ items? on / })
      .first()
      .waitFor();
    await small.screenshot('phone-month');
    t.equal(await overflow(), 0, 'the month is not wider than the phone');
    t.strictSame(await small.axe(), [], 'the month is accessible');
    t.strictSame(small.faults, []);
  });

  t.strictSame(tab.faults, []);
});
