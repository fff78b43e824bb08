/**
 * The journey of a newcomer: from an empty database to a published collection with relations, rights
 * and a thousand imported rows. Its pictures are those of `ops/docs/tour.md`: TOUR=1 writes them there.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { until } from '#tests/harness/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHOWN = join(ROOT, 'ops/docs/tour');
const TAKEN = join(ROOT, '.screenshots/app-tour');
/** Milliseconds: the time in which a newcomer gets there. */
const LIMIT = 180_000;
const ROWS = 1_000;

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const NAMES = ['Ada Palmer', 'Italo Calvino', 'Ursula K. Le Guin'];
const WORDS = ['Water', 'Stone', 'Winter', 'Garden', 'Letter', 'Island', 'Mirror', 'Night'];

/** A thousand books, each with the key of its author. */
function books(): string {
  const word = (n: number) => WORDS[n % WORDS.length];
  const rows = Array.from({ length: ROWS }, (_, n) => {
    const title = `${word(n)} and ${word(n + 3 + Math.floor(n / 8))}, volume ${Math.floor(n / 8) + 1}`;
    return `"${title}",${1950 + (n % 75)},${(n % NAMES.length) + 1}`;
  });
  return ['title,year,author', ...rows, ''].join('\n');
}

t.test('from an empty database to a published collection', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const link = (name: string) => page.getByRole('link', { name, exact: true }).first();
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const told = async (text: string) => {
    const notice = page.getByRole('alert').filter({ hasText: text });
    await notice.waitFor();
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.waitFor({ state: 'detached' });
  };
  const picture = async (name: string) => {
    await tab.screenshot(name);
    if (process.env.TOUR !== '1') return;
    mkdirSync(SHOWN, { recursive: true });
    const taken = sharp(join(TAKEN, `${name}.png`));
    await taken.png({ palette: true, colours: 128, effort: 10 }).toFile(join(SHOWN, `${name}.png`));
  };
  const collection = async (name: string, shown: string) => {
    await link('Data model').click();
    await link('Create collection').click();
    await field('Name').fill(name);
    if (name === 'book') await picture('1-new-collection');
    await button('Create').click();
    await heading(shown);
    await told(`${name} created`);
  };
  const column = async (name: string, type: string, length = '') => {
    await link('Create field').click();
    await field('Name').fill(name);
    await page.getByLabel('Type').selectOption(type);
    if (length !== '') await page.getByLabel('Maximum length').fill(length);
    if (name === 'title') await picture('2-new-field');
    await button('Create').click();
    await told(`Field ${name} created`);
  };

  await tab.signIn();
  const begun = performance.now();

  await collection('author', 'Author');
  await column('name', 'string', '80');
  await collection('book', 'Book');
  await column('title', 'string', '120');
  await column('year', 'integer');

  await link('Create relation').click();
  await heading('New relation');
  await page.getByRole('radio', { name: 'To one item', exact: true }).check();
  await page.getByLabel('Other collection').selectOption('author');
  await page.getByLabel('List on the other side').fill('books');
  await picture('3-relation');
  await button('Create').click();
  await told('Relation author created');
  await picture('4-fields');

  await link('Content').click();
  // The fields of Book have a link Author, too.
  await page.waitForURL(/\/content/);
  for (const name of NAMES) {
    await link('Author').click();
    await heading('Author');
    await page
      .getByRole('link', { name: /^(?:Create|New) / })
      .first()
      .click();
    await field('Name').fill(name);
    await button('Save').click();
    await told('Saved');
  }

  await link('Book').click();
  await heading('Book');
  await page.getByRole('link', { name: 'Import', exact: true }).last().click();
  await heading('Import');
  await page.locator('input[type=file]').setInputFiles({
    name: 'books.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(books()),
  });
  await page.getByText('3 of 3 columns will be imported').waitFor();
  await picture('5-import');
  await button('Import').click();
  await page.getByText('All rows are imported.').waitFor();
  await picture('6-report');

  await link('Access').click();
  await link('Policies').click();
  await page.getByRole('link', { name: /^Public/ }).click();
  await heading('Public');
  for (const name of ['Author', 'Book']) {
    await button(`${name}: read: none`).click();
    await page.getByRole('menuitem', { name: 'Full access' }).click();
  }
  await picture('7-rights');
  await button('Save').click();
  await told('Policy saved');

  const asked = `${app.cluster.url}/items/book?fields=title,author.name&limit=-1`;
  const answer = await until(async () => {
    const response = await fetch(asked);
    const text = await response.text();
    return response.status === 200 && JSON.parse(text);
  }, 'everybody reads the books');
  const took = performance.now() - begun;
  t.equal(answer.data.length, ROWS);
  t.ok(answer.data.every((book: { author: unknown }) => book.author !== null));
  t.comment(`${(took / 1_000).toFixed(1)} s`);
  t.ok(took < LIMIT, 'it took less than three minutes');

  await link('Content').click();
  await page.waitForURL(/\/content/);
  await link('Book').click();
  await page.getByText(`of ${ROWS}`).waitFor();
  await picture('8-list');
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await field('Title').waitFor();
  const author = page.getByRole('combobox', { name: 'Author' });
  await until(async () => (await author.inputValue()) === 'Ada Palmer', 'its author is shown');
  await picture('9-item');
  t.strictSame(tab.faults, []);
});
