/** The data model as a picture: looked at, searched, walked through, and drawn in. */
import t from 'tap';
import { type AppPage, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeTables({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE publisher (id serial PRIMARY KEY, name varchar(80) NOT NULL);
    CREATE TABLE tag (id serial PRIMARY KEY, name varchar(40) NOT NULL);
    CREATE TABLE book (
      id serial PRIMARY KEY, title varchar(80) NOT NULL, pages integer, about text,
      publisher integer REFERENCES publisher, shelf integer
    );
    CREATE TABLE book_tag (
      id serial PRIMARY KEY, book_id integer REFERENCES book, tag_id integer REFERENCES tag
    );
    CREATE TABLE review (id serial PRIMARY KEY, body text, book integer REFERENCES book);
    CREATE TABLE shelf (id serial PRIMARY KEY, place varchar(20) NOT NULL);
    INSERT INTO shelf (place) VALUES ('left');
    INSERT INTO book (title, shelf) VALUES ('Emma', 1);
    INSERT INTO system_collections (collection, icon, color)
    VALUES ('book', 'menu_book', '#2e7d32');
    INSERT INTO system_fields (collection, field, special, interface) VALUES
      ('book', 'tags', 'm2m', 'list-m2m'), ('publisher', 'books', 'o2m', 'list-o2m');
    INSERT INTO system_relations
      (many_collection, many_field, one_collection, one_field, junction_field) VALUES
      ('book', 'publisher', 'publisher', 'books', NULL),
      ('book_tag', 'book_id', 'book', 'tags', 'tag_id'),
      ('book_tag', 'tag_id', 'tag', NULL, 'book_id');
  `);
  await until(
    async () => (await fetch('/items/book?fields=tags.id')).ok,
    'the relations are served',
  );
}

/** The names of collections whose cards are drawn. */
async function cardsOf({ page }: AppPage): Promise<readonly string[]> {
  const names: string[] = await page.evaluate(
    "[...document.querySelectorAll('.card')].map((card) => card.dataset.collection)",
  );
  return names.toSorted();
}

const FOCUSED = "document.activeElement?.closest('.card')?.dataset.collection ?? ''";

t.test('an administrator looks at the data model', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeTables });
  const { db, fetch } = app.cluster;
  const tab = await app.newPage({ reducedMotion: 'reduce' });
  const { page } = tab;
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const card = (name: string) => page.locator(`.card[data-collection=${name}]`);
  const cardsAre = (names: readonly string[], what: string) =>
    until(async () => JSON.stringify(await cardsOf(tab)) === JSON.stringify(names), what);
  const open = async (path = '/model/picture') => {
    await tab.open(path);
    await card('book').waitFor();
  };
  await tab.signIn();

  await t.test('collections and relations are drawn', async (t) => {
    await open();
    await cardsAre(['book', 'publisher', 'review', 'shelf', 'tag'], 'a junction is a line');
    const lines = page.locator('.react-flow__edge');
    await tab.screenshot('whole');
    await until(async () => (await lines.count()) === 3, 'the relations are drawn', 5000);
    t.match(await page.locator('.react-flow__edge title').allTextContents(), [
      /book\.publisher › publisher\.books/,
      /review\.book › book/,
      /book\.tags › tag\.book_tag/,
    ]);
    t.equal(await card('book').getByRole('link', { name: 'Publisher' }).count(), 1);
    t.equal(await card('book').getByRole('link', { name: 'About' }).count(), 0);
    t.strictSame(await tab.axe(), [], 'it is accessible');
    t.strictSame(await tab.axe(['target-size']), []);
    await card('book').getByRole('button', { name: '3 more fields' }).click();
    await card('book').getByRole('link', { name: 'About' }).waitFor();
    await page.getByLabel('Show junctions').check();
    await cardsAre(['book', 'book_tag', 'publisher', 'review', 'shelf', 'tag'], 'it is a card');
    await page.getByLabel('Show all fields').check();
    await card('review').getByRole('link', { name: 'Body' }).waitFor();
    await tab.screenshot('junctions');
    await page.getByLabel('Show system collections').check();
    await until(async () => (await cardsOf(tab)).includes('system_users'), 'all are shown');
    await tab.screenshot('system');
    for (const label of ['Show junctions', 'Show all fields', 'Show system collections']) {
      await page.getByLabel(label).uncheck();
    }
    await cardsAre(['book', 'publisher', 'review', 'shelf', 'tag'], 'as before');
  });

  await t.test('one walks along the relations by keyboard', async (t) => {
    await open();
    await tab.tabTo('Diagram of the data model');
    await page.keyboard.press('ArrowRight');
    const focus = () => page.evaluate<string>(FOCUSED);
    await until(async () => (await focus()) !== '', 'a card has the focus');
    await page.getByRole('combobox', { name: 'Search collections' }).fill('boo');
    await page.keyboard.press('Enter');
    await until(async () => (await focus()) === 'book', 'the card that was looked for');
    await page.keyboard.press('ArrowLeft');
    await until(async () => (await focus()) === 'review', 'what refers to it');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await focus()) === 'book', 'there and back');
    await tab.screenshot('walked');
    t.strictSame(await tab.axe(), [], 'a current card is accessible');
    await tab.tabTo('Actions for Book');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await heading('Book');
    t.match(page.url(), /collections\/book\/settings$/, 'Enter opens the settings');
  });

  await t.test('one collection with its neighbours, whose address can be shared', async () => {
    await open();
    await card('publisher').getByRole('button', { name: 'Actions for Publisher' }).click();
    await page.getByRole('menuitem', { name: 'Show only neighbours' }).click();
    await cardsAre(['book', 'publisher'], 'its neighbour alone');
    await tab.screenshot('neighbours');
    await open('/model/picture?focus=publisher');
    await cardsAre(['book', 'publisher'], 'by its address, too');
    await page.getByRole('button', { name: 'Publisher and its neighbours' }).press('Delete');
    await cardsAre(['book', 'publisher', 'review', 'shelf', 'tag'], 'all are back');
  });

  await t.test('cards stay where they were moved to', async (t) => {
    const place = async () => (await card('tag').boundingBox()) ?? { x: 0, y: 0 };
    const before = await place();
    await page.mouse.move(before.x + 120, before.y + 20);
    await page.mouse.down();
    await page.mouse.move(before.x + 150, before.y + 120, { steps: 5 });
    await page.mouse.up();
    t.match(page.url(), /picture$/, 'a card that was moved is not followed');
    const moved = await page.evaluate<string>(
      "localStorage.getItem('RaStoresluice.picture.places')",
    );
    await open();
    t.equal(
      await page.evaluate("localStorage.getItem('RaStoresluice.picture.places')"),
      moved,
      'it is remembered',
    );
    t.match(JSON.parse(moved), { tag: { x: Number, y: Number } });
    await page.getByRole('button', { name: 'Restore the automatic layout' }).click();
    t.equal(await page.evaluate("localStorage.getItem('RaStoresluice.picture.places')"), '{}');
  });

  await t.test('a relation is drawn from a field to a collection', async (t) => {
    await open();
    await card('book').getByRole('button', { name: '3 more fields' }).click();
    const row = card('book').locator('.row', { hasText: 'Shelf' });
    await row.hover();
    await row.locator('.react-flow__handle').hover();
    await page.mouse.down();
    await card('shelf').locator('.row', { hasText: 'Id' }).hover();
    await tab.screenshot('drawing');
    await page.mouse.up();
    await heading('New relation');
    t.equal(await page.getByLabel('Other collection').inputValue(), 'shelf');
    t.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'shelf');
    await page.getByText('The field shelf exists.').waitFor();
    await tab.screenshot('adopts');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Relation shelf created' }).waitFor();
    const answer = await fetch('/items/book?fields=title,shelf.place');
    t.strictSame(JSON.parse(await answer.text()).data, [
      { title: 'Emma', shelf: { place: 'left' } },
    ]);
    await open();
    await until(async () => (await page.locator('.react-flow__edge').count()) === 4, 'it is drawn');
  });

  await t.test('a relation is begun by keyboard', async (t) => {
    await open();
    await page.getByRole('combobox', { name: 'Search collections' }).fill('review');
    await page.keyboard.press('Enter');
    await until(async () => (await page.evaluate(FOCUSED)) === 'review', 'its card has the focus');
    await page.keyboard.press('r');
    await page.getByText('New relation from Review').waitFor();
    await page.getByRole('combobox', { name: 'Search collections' }).fill('tag');
    await page.keyboard.press('Enter');
    await until(async () => (await page.evaluate(FOCUSED)) === 'tag', 'the other card');
    await page.keyboard.press('Enter');
    await heading('New relation');
    t.equal(await page.getByLabel('Other collection').inputValue(), 'tag');
    t.match(page.url(), /collections\/review\/new-relation/);
  });

  await t.test('the relations are a list, too', async (t) => {
    await open();
    await page.getByRole('button', { name: 'List', exact: true }).click();
    const table = page.getByRole('table', { name: 'Relations' });
    await table.getByRole('row').nth(4).waitFor();
    await table.getByRole('cell', { name: 'Many to many' }).waitFor();
    t.strictSame(await tab.axe(), [], 'the list is accessible');
    await tab.screenshot('list');
    await table.getByRole('link', { name: 'tags' }).click();
    await heading('Tags');
    await tab.open('/model/picture');
    await page.getByRole('button', { name: 'Diagram', exact: true }).click();
    await card('book').waitFor();
  });

  await t.test('dark, on a phone', async (t) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await tab.screenshot('dark');
    await page.setViewportSize(PHONE);
    await open();
    await tab.screenshot('phone');
    t.strictSame(await tab.axe(), [], 'it is accessible');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await t.test('300 collections with 400 relations are fluent', async (t) => {
    const tables = Array.from({ length: 300 }, (_, n) => {
      const refers = [n - 1, ...(n % 3 === 0 ? [Math.floor(n / 2)] : [])].filter(
        (other) => other >= 0 && n % 50 !== 0 && other !== n,
      );
      const columns = refers.map((other) => `, r${other} integer REFERENCES many_${other}`);
      return `CREATE TABLE many_${n} (id serial PRIMARY KEY, name text NOT NULL, a int, b int${columns.join('')});`;
    });
    await db.query(tables.join('\n'));
    await until(async () => (await fetch('/items/many_299?limit=1')).ok, 'all are served');
    await page.evaluate("localStorage.removeItem('RaStoresluice.picture.places')");
    const begun = Date.now();
    await tab.open('/model/picture');
    await page.locator('.card').first().waitFor();
    t.comment(`drawn after ${Date.now() - begun} ms`);
    await tab.screenshot('many');
    await page.getByRole('combobox', { name: 'Search collections' }).fill('many_150');
    await page.keyboard.press('Enter');
    await card('many_150').waitFor();
    t.ok((await cardsOf(tab)).length < 60, 'only what is in sight is there');
    await tab.screenshot('many-near');
    const frames = await page.evaluate<number[]>(`new Promise((done) => {
      const pane = document.querySelector('.react-flow__pane');
      const at = { bubbles: true, clientX: 700, clientY: 500, view: window, button: 0 };
      pane.dispatchEvent(new MouseEvent('mousedown', at));
      const times = [];
      let last = performance.now();
      const step = (now) => {
        times.push(now - last);
        last = now;
        const moved = times.length * 12;
        window.dispatchEvent(new MouseEvent('mousemove', { ...at, clientX: 700 - moved, clientY: 500 - moved / 2 }));
        if (times.length < 60) requestAnimationFrame(step);
        else { window.dispatchEvent(new MouseEvent('mouseup', at)); done(times.slice(1)); }
      };
      requestAnimationFrame(step);
    })`);
    const sorted = frames.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    t.comment(
      `panning: median frame ${median.toFixed(1)} ms, longest ${sorted.at(-1)?.toFixed(1)} ms`,
    );
    t.ok(median < 100, 'frames follow each other');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
