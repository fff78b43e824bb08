/** The Admin App for whoever works with content: signing in, finding a collection, its list, its form. */
import t from 'tap';
import { ADMIN, DESKTOP, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeLibrary({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE author (id serial PRIMARY KEY, name varchar(80) NOT NULL, born date);
    CREATE TABLE book (
      id serial PRIMARY KEY, title varchar(200) NOT NULL, author integer REFERENCES author,
      price numeric(8, 2), published date, available boolean NOT NULL DEFAULT true,
      status varchar(20) DEFAULT 'draft', tags json, added timestamptz DEFAULT now()
    );
    INSERT INTO author (name, born) VALUES ('Ursula Le Guin', '1929-10-21'), ('Jane Austen', '1775-12-16');
    INSERT INTO book (title, author, price, published, available)
    SELECT 'Book ' || n, 1 + n % 2, n * 1.5, date '2000-01-01' + n, n % 3 > 0
    FROM generate_series(1, 120) n;
  `);
  await until(async () => (await fetch('/items/book?limit=1')).ok, 'the tables are served');
}

t.test('somebody signs in, finds a book, and changes it', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeLibrary });
  const tab = await app.newPage();
  const { page } = tab;

  await tab.open('/sign-in');
  await tab.screenshot('sign-in');
  t.strictSame(await tab.axe(), [], 'the sign-in is accessible');
  await tab.signIn(ADMIN);
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await menu.getByRole('link', { name: 'Book', exact: true }).click();
  await page.getByRole('heading', { name: 'Book', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Book 1', exact: true }).waitFor();
  await tab.screenshot('list');
  t.strictSame(await tab.axe(), [], 'the list is accessible');

  await page.getByRole('searchbox', { name: 'Search' }).fill('Book 77');
  await page.getByRole('link', { name: 'Book 77', exact: true }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('The Dispossessed');
  await tab.screenshot('form');
  t.strictSame(await tab.axe(), [], 'the form is accessible');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').waitFor();
  const { rows } = await app.cluster.db.query('SELECT title FROM book WHERE id = 77');
  t.strictSame(rows, [{ title: 'The Dispossessed' }]);

  await page.setViewportSize(PHONE);
  await tab.open('/content/book');
  await tab.screenshot('list-phone');
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'dark' });
  await tab.open('/content/book');
  await page.getByRole('link', { name: 'Book 1', exact: true }).waitFor();
  await tab.screenshot('list-dark');
  t.strictSame(await tab.axe(), [], 'the dark list is accessible');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
