/** Imports in the Admin App: a file dropped, read, mapped, tried, imported, and its bad rows corrected. */
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { type AppPage, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { createMember, type GivenPermission } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { workbook } from '#tests/harness/workbook.ts';

const browser = await startBrowser(t);
const DARK = "document.documentElement.style.colorScheme === 'dark'";
const skip = browser === null && 'no browser starts here';

async function makeShop({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE customer (
      id serial PRIMARY KEY, name varchar(80) NOT NULL, email varchar(100) UNIQUE, age integer,
      balance numeric(10, 2), since date, seen timestamptz
    );
  `);
  await until(async () => (await fetch('/items/customer?limit=1')).ok, 'the table is served');
}

/** As spreadsheets of German offices write it. */
const CUSTOMERS = [
  'Name;E-Mail;Alter;Kontostand;Kunde seit;Bemerkung',
  '"Müller; Anna";anna@example.com;34;1234,50;05.03.2021;',
  'Jörg Weiß;joerg@example.com;alt;10,00;06.03.2021;ruft an',
  'Élodie;elodie@example.com;28;0,99;31.02.2021;',
  'Tom;tom@example.com;41;-5,25;01.12.2019;',
  'Tina;tom@example.com;19;0,00;02.12.2019;',
  '',
].join('\r\n');

const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'text/csv',
  buffer: typeof content === 'string' ? Buffer.from(content, 'latin1') : content,
});

async function countOf({ db }: Cluster): Promise<number> {
  const { rows } = await db.query('SELECT count(*)::int AS count FROM customer');
  return Number(rows[0]?.count);
}

async function switchQueue({ fetch }: Cluster, change: 'pause' | 'resume'): Promise<void> {
  const answer = await fetch(`/queues/transfer/${change}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`the queue does not ${change}: ${answer.status}`);
  await answer.arrayBuffer();
}

/** Gives a file to the screen as if it was dropped there. */
async function drop({ page }: AppPage, name: string, content: string): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  const place = page.getByText('Drop a file here');
  await place.dispatchEvent('dragover', { dataTransfer: transfer });
  await place.dispatchEvent('drop', { dataTransfer: transfer });
}

t.test('a spreadsheet is imported, and its bad cells are corrected', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  const { cluster } = app;
  const tab = await app.newPage();
  const { page } = tab;
  const field = (column: string) =>
    page.getByLabel(`Field for the column ${column}`, { exact: true });
  await tab.signIn();
  await tab.open('/content/customer');
  await page.getByRole('link', { name: 'Import', exact: true }).last().click();
  await page.getByRole('heading', { level: 1, name: 'Import' }).waitFor();
  t.equal(await page.getByLabel('Collection').inputValue(), 'Customer', 'it comes from the list');
  await tab.screenshot('empty');
  t.strictSame(await tab.axe(), [], 'the empty screen is accessible');

  await page.locator('input[type=file]').setInputFiles(file('customers.csv', CUSTOMERS));
  await field('Name').waitFor();
  t.equal(await page.getByLabel('Cell separator').inputValue(), ';');
  t.equal(await page.getByLabel('Encoding').inputValue(), 'windows-1252');
  t.equal(await field('Name').inputValue(), 'name');
  t.equal(await field('E-Mail').inputValue(), 'email', 'by its name');
  t.equal(await field('Alter').inputValue(), '', 'no field is called so');
  await page.getByRole('cell', { name: 'Müller; Anna' }).waitFor();
  await field('Alter').selectOption('age');
  await field('Kontostand').selectOption('balance');
  await field('Kunde seit').selectOption('since');
  t.equal(await page.getByLabel('Decimal separator').inputValue(), ',');
  t.equal(await page.getByLabel('Date format').inputValue(), 'DD.MM.YYYY');
  await page.getByText('5 of 6 columns will be imported').waitFor();
  await tab.screenshot('mapping');
  t.strictSame(await tab.axe(), [], 'the mapping is accessible');

  // A wrong dialect is seen at once, and put right.
  await page.getByLabel('Cell separator').selectOption(',');
  await field('Name').waitFor({ state: 'detached' });
  await page.getByLabel('Cell separator').selectOption(';');
  await field('Alter').waitFor();
  t.equal(await field('Alter').inputValue(), 'age', 'what was chosen is still there');

  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('3 rows would be rejected').waitFor();
  t.equal(await countOf(cluster), 0, 'a dry run writes nothing');
  await tab.screenshot('dry-run');
  t.strictSame(await tab.axe(), [], 'the dry run is accessible');
  await page.getByRole('link', { name: 'Change settings' }).click();
  await field('Alter').waitFor();
  t.equal(await field('Alter').inputValue(), 'age', 'back where one was');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('3 rows would be rejected').waitFor();

  await page.getByRole('button', { name: 'Import now' }).click();
  await page.getByText('3 rows were rejected').waitFor();
  t.equal(await countOf(cluster), 2);
  const age = page.getByLabel('Alter of row 2');
  const since = page.getByLabel('Kunde seit of row 3');
  await age.waitFor();
  t.equal(await age.inputValue(), 'alt');
  t.equal(await age.getAttribute('aria-invalid'), 'true', 'the cell is marked');
  t.equal(await page.getByLabel('Name of row 2').getAttribute('aria-invalid'), null);
  await tab.screenshot('report');
  t.strictSame(await tab.axe(), [], 'the report is accessible');

  await page
    .getByRole('table', { name: 'Reasons' })
    .getByText(/whole number/)
    .waitFor();
  await page.getByText('Bemerkung (1)').waitFor();

  // It is all there in a browser that remembers nothing of the import.
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) {
      if (key.includes('imports')) localStorage.removeItem(key);
    }
  });
  await page.reload();
  await age.fill('37');
  await since.fill('28.02.2021');
  await tab.screenshot('corrected');
  await page.getByRole('button', { name: 'Send 2 rows again' }).click();
  await page.getByText('All rows are imported.').waitFor();
  await page.getByRole('heading', { name: 'Import of customers-corrected.csv' }).waitFor();
  t.equal(await countOf(cluster), 4);
  const { rows } = await cluster.db.query(
    'SELECT name, age, balance, since::text AS since FROM customer ORDER BY email',
  );
  t.strictSame(rows, [
    { name: 'Müller; Anna', age: 34, balance: '1234.50', since: '2021-03-05' },
    { name: 'Élodie', age: 28, balance: '0.99', since: '2021-02-28' },
    { name: 'Jörg Weiß', age: 37, balance: '10.00', since: '2021-03-06' },
    { name: 'Tom', age: 41, balance: '-5.25', since: '2019-12-01' },
  ]);

  // What was sent is not offered twice.
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByText('2 rows were sent again.').waitFor();
  await page.getByLabel('E-Mail of row 5').waitFor();
  t.equal(await age.count(), 0);
  await page.getByLabel('E-Mail of row 5').fill('anna@example.com');
  await page.getByRole('button', { name: 'Send 1 row again' }).click();
  await page.getByText('1 row was rejected').waitFor();
  const email = page.getByLabel('E-Mail of row 1');
  await email.fill('tina@example.com');
  await page.getByRole('button', { name: 'Send 1 row again' }).click();
  await page.getByText('All rows are imported.').waitFor();
  t.equal(await countOf(cluster), 5);

  await page.getByRole('link', { name: 'Show Customer' }).click();
  await page.getByText('1 to 5 of 5', { exact: true }).waitFor();
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('an import is followed, cancelled, and met again after loading', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  const { cluster } = app;
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await switchQueue(cluster, 'pause');
  await tab.open('/imports?collection=customer');
  await drop(tab, 'drop.csv', 'name,age\nAnna,30\nTom,40\n');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('waiting', { exact: true }).waitFor();
  await page.getByText('The queue “Imports and exports” is paused.').waitFor();
  await page.getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep importing' }).click();
  await page.getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();

  await tab.open('/imports?collection=customer');
  await drop(tab, 'drop.csv', 'name,age\nAnna,30\nTom,40\n');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('waiting', { exact: true }).waitFor();
  await page.reload();
  await page.getByText('waiting', { exact: true }).waitFor();
  await switchQueue(cluster, 'resume');
  await page.getByText('All rows are imported.').waitFor();
  t.equal(await countOf(cluster), 2, 'the cancelled one left nothing');

  await t.test('compressed lines of JSON, found by another key', async (t) => {
    await tab.open('/imports?collection=customer');
    await page
      .locator('input[type=file]')
      .setInputFiles(
        file(
          'people.ndjson.gz',
          gzipSync('{"Name":"Zoë","e_mail":"zoe@example.com","age":"x"}\n{"Name":"Al","age":3}\n'),
        ),
      );
    await page.getByText('NDJSON · gzip').waitFor();
    await page.getByLabel('Match items by').selectOption('email');
    await page.getByLabel('Mode', { exact: true }).selectOption('insert');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('1 row was rejected').waitFor();
    await page.getByLabel('age of row 1').fill('7');
    await page.getByRole('button', { name: 'Send 1 row again' }).click();
    await page.getByText('All rows are imported.').waitFor();
    const { rows } = await cluster.db.query(
      "SELECT name, email, age FROM customer WHERE name IN ('Zoë', 'Al') ORDER BY age",
    );
    t.strictSame(rows, [
      { name: 'Al', email: null, age: 3 },
      { name: 'Zoë', email: 'zoe@example.com', age: 7 },
    ]);
  });

  await t.test('all rows or none', async (t) => {
    const before = await countOf(cluster);
    await tab.open('/imports?collection=customer');
    await drop(tab, 'all.csv', 'name,age\nAnna,30\nTom,old\n');
    await page.getByLabel('If a row is invalid').selectOption('abort');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Nothing was imported. The errors are listed below.').waitFor();
    await page.getByRole('row').filter({ hasText: 'old' }).waitFor();
    await tab.screenshot('refused');
    t.strictSame(await tab.axe(), [], 'a refused import is accessible');
    t.equal(await countOf(cluster), before);
  });

  await t.test('a row that is too long to be corrected here, and one with a secret', async (t) => {
    await cluster.db.query('ALTER TABLE customer ADD COLUMN note text, ADD COLUMN pin text');
    const made = await cluster.fetch('/fields/customer/pin', {
      method: 'PATCH',
      body: JSON.stringify({ meta: { special: 'conceal' } }),
    });
    t.equal(made.status, 200);
    await tab.open('/imports?collection=customer');
    const long = 'x'.repeat(5_000);
    await drop(
      tab,
      'withheld.csv',
      `name,age,note,pin\nLong,old,${long},\nSecret,young,,1234\nShort,older,,\n`,
    );
    await page.getByText('4 of 4 columns will be imported').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('This row is too long to correct here').waitFor();
    await page.getByText('it may contain a secret').waitFor();
    t.equal(await page.getByText('1234').count(), 0);
    const cells = page
      .getByRole('table', { name: 'Rejected rows' })
      .getByRole('row')
      .filter({ hasText: 'whole number' });
    t.strictSame(
      await Promise.all([0, 1, 2].map((at) => cells.nth(at).getByRole('cell').count())),
      [5, 5, 5],
      'each cell stands in its column',
    );
    t.equal(await page.getByLabel('age of row 3').inputValue(), 'older');
    t.equal(await page.getByLabel('Send row 1 again').count(), 0);
    await tab.screenshot('withheld');
    t.strictSame(await tab.axe(), [], 'what cannot be corrected here is told accessibly');
    await page.getByLabel('age of row 3').fill('9');
    await page.getByRole('button', { name: 'Send 1 row again' }).click();
    await page.getByText('All rows are imported.').waitFor();

    // Another tab of the same browser knows what became of it.
    await page.getByRole('link', { name: 'Back' }).click();
    await page.getByText('1 row was sent again.').waitFor();
    const beside = await app.newTab(tab);
    await beside.open(new URL(page.url()).pathname.replace('/admin', ''));
    await beside.page.getByText('1 row was sent again.').waitFor();
    await beside.page.getByText('This row is too long to correct here').waitFor();
    t.equal(await beside.page.getByLabel('age of row 3').count(), 0, 'it is not offered twice');
    t.strictSame(beside.faults, []);
    await beside.page.close();
  });

  await t.test('what a rule of a field refuses has the words of the field', async (t) => {
    const meta = { validation: { age: { _gte: 6 } }, validation_message: 'Nobody is so young.' };
    const made = await cluster.fetch('/fields/customer/age', {
      method: 'PATCH',
      body: JSON.stringify({ meta }),
    });
    t.equal(made.status, 200);
    await tab.open('/imports?collection=customer');
    await drop(tab, 'young.csv', 'name,age\nYoung,3\nOther,x\n');
    await page.getByText('2 of 2 columns will be imported').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByLabel(name) });
    await row('age of row 1').getByText('Nobody is so young.').waitFor();
    await row('age of row 2').getByText('whole number').waitFor();
    await tab.screenshot('words-of-the-field');
  });

  await t.test('in German, from right to left', async (t) => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByLabel('Language').selectOption('de');
    await page.getByLabel('Schreibrichtung').selectOption('rtl');
    await page.keyboard.press('Escape');
    await tab.open('/imports?collection=customer');
    await page
      .locator('input[type=file]')
      .setInputFiles(file('kunden.csv', 'name;age;since\nAnna;x;01.02.2003\nTom;40;02.02.2003\n'));
    await page.getByText('3 von 3 Spalten werden importiert').waitFor();
    await tab.screenshot('german');
    t.strictSame(await tab.axe(), [], 'the mapping');
    await page.getByRole('button', { name: 'Importieren' }).click();
    const age = page.getByLabel('age in Zeile 1');
    await age.waitFor();
    const told = page.locator(`#${await age.getAttribute('aria-describedby')}`);
    t.equal(await told.innerText(), 'Das muss eine ganze Zahl sein.', 'why, in German');
    await tab.screenshot('german-report');
    t.strictSame(await tab.axe(), [], 'the report');

    // What only the database knows stays as it says it, after what is known.
    await cluster.db.query(`
      CREATE FUNCTION no_ghosts() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN IF NEW.name = 'Ghost' THEN RAISE 'no ghosts here'; END IF; RETURN NEW; END$$;
      CREATE TRIGGER no_ghosts BEFORE INSERT ON customer FOR EACH ROW EXECUTE FUNCTION no_ghosts();
    `);
    await tab.open('/imports?collection=customer');
    await page
      .locator('input[type=file]')
      .setInputFiles(
        file(
          'mehr.csv',
          'name;email\nGhost;ghost@example.com\nZoë;zoe@example.com\n;nobody@example.com\n',
        ),
      );
    await page.getByText('2 von 2 Spalten werden importiert').waitFor();
    await page.getByLabel('Modus').selectOption('insert');
    await page.getByRole('button', { name: 'Importieren' }).click();
    await page.getByText('Ein anderer Eintrag hat diesen Wert bereits.').last().waitFor();
    await page.getByText('Dieses Feld braucht einen Wert.').last().waitFor();
    await page
      .getByText(/^Die Datenbank meldet: no ghosts/)
      .last()
      .waitFor();
    await tab.screenshot('german-reasons');
    await page.getByRole('button', { name: 'Konto' }).click();
    const kept = () =>
      page.waitForResponse(
        (one) => one.request().method() === 'PATCH' && /users\/me/.test(one.url()),
      );
    for (const [label, choice] of [
      ['Sprache', 'en'],
      ['Writing direction', 'auto'],
    ] as const) {
      const answer = kept();
      await page.getByLabel(label).selectOption(choice);
      t.equal((await answer).status(), 200);
    }
    await page.keyboard.press('Escape');
  });

  await t.test('on a phone, in the dark', async (t) => {
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(() => page.evaluate(DARK), 'it is dark');
    await tab.open('/imports?collection=customer');
    await tab.screenshot('phone-empty');
    await drop(tab, 'phone.csv', 'name,age,balance\nAnna,30,1.5\nTom,old,2.5\n');
    await page.getByText('3 of 3 columns will be imported').waitFor();
    await tab.screenshot('phone-mapping');
    t.strictSame(await tab.axe(), [], 'the mapping');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('age of row 2').waitFor();
    await tab.screenshot('phone-report');
    t.strictSame(await tab.axe(), [], 'the report');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('a file makes its own collection', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1 });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/imports');
  const collection = page.getByRole('combobox', { name: 'Collection' });
  await collection.fill('Harbour Boats');
  await page.getByRole('option', { name: 'New collection: harbour_boats' }).waitFor();
  await collection.press('Enter');
  await page.waitForURL('**/imports?collection=harbour_boats');
  // Nor does a name vanish when the focus goes on.
  await collection.fill('Harbour Ships');
  await collection.press('Tab');
  await page.waitForURL('**/imports?collection=harbour_ships');
  await drop(
    tab,
    'ships.csv',
    'Name;Länge (m);Gebaut am;Notiz\nAnna;12,5;01.05.1931;x\nBerta;8,0;02.06.1950;\n',
  );
  const field = (column: string) => page.getByLabel(`Name of the field for ${column}`);
  t.equal(await field('Länge (m)').inputValue(), 'lange_m');
  await field('Länge (m)').fill('length');
  await page.getByLabel('Import the column Notiz').uncheck();
  await page.getByText('3 of 4 columns will be imported').waitFor();
  await tab.screenshot('new-collection');
  t.strictSame(await tab.axe(), [], 'the new fields are accessible');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('All rows can be imported.').waitFor();
  await page.getByRole('heading', { name: 'Fields of the new collection' }).waitFor();
  await tab.screenshot('new-collection-dry-run');
  await page.getByRole('button', { name: 'Import now' }).click();
  await page.getByText('All rows are imported.').waitFor();
  const { rows } = await app.cluster.db.query(
    'SELECT name, length, gebaut_am::text FROM harbour_ships ORDER BY name',
  );
  t.strictSame(rows, [
    { name: 'Anna', length: '12.5', gebaut_am: '1931-05-01' },
    { name: 'Berta', length: '8.0', gebaut_am: '1950-06-02' },
  ]);
  await page.getByRole('link', { name: 'Show Harbour Ships' }).click();
  await page.getByText('1 to 2 of 2', { exact: true }).waitFor();
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

/** Another kind of file than CSV. */
const binary = (name: string, buffer: Buffer) => ({ name, mimeType: '', buffer });

/** A cell of a sheet with a text of its own. */
const text = (at: string, value: string) =>
  `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;

t.test('workbooks and Parquet files, found items, and values of all rows', { skip }, async (t) => {
  if (browser === null) return;
  const prepare = async (cluster: Cluster) => {
    await cluster.db.query(`
      CREATE TABLE country (id serial PRIMARY KEY, name text UNIQUE);
      CREATE TABLE visit (
        id serial PRIMARY KEY, guest text NOT NULL, day date, country integer REFERENCES country,
        source text, paid boolean);
      INSERT INTO country (name) VALUES ('Chile')`);
    await until(async () => (await cluster.fetch('/items/visit')).ok, 'the table is served');
  };
  const app = await startApp(t, browser, { workers: 1, prepare });
  const { db } = app.cluster;
  const visits = async () => {
    const { rows } = await db.query(`SELECT guest, day::text, c.name AS country, source, paid
      FROM visit LEFT JOIN country c ON c.id = country ORDER BY guest`);
    return rows;
  };
  const tab = await app.newPage();
  const { page } = tab;
  const field = (column: string) =>
    page.getByLabel(`Field for the column ${column}`, { exact: true });
  await tab.signIn();
  await tab.open('/imports?collection=visit');
  await page.getByText('Excel (.xlsx) or Parquet').waitFor();
  const chosen = page.locator('input[type=file]');
  await chosen.setInputFiles(binary('old.xls', Buffer.from('d0cf11e0a1b11ae10000', 'hex')));
  await page.getByText('The file is an old workbook (.xls)').waitFor();
  const parts = { 'xl/vbaProject.bin': 'macros' };
  await chosen.setInputFiles(binary('a.xlsx', await workbook({ rows: '', parts })));
  await page.getByText('The workbook contains macros.').waitFor();

  const guests = [
    `<row r="1">${text('A1', 'Guests of the year')}</row>`,
    `<row r="3">${text('A3', 'Guest')}${text('B3', 'Day')}${text('D3', 'From')}</row>`,
    `<row r="4">${text('A4', 'Ann')}<c r="B4" s="1"><v>45352</v></c>${text('D4', 'Chile')}</row>`,
    `<row r="5">${text('A5', 'Bob')}${text('B5', 'soon')}${text('D5', 'Peru')}</row>`,
  ];
  const sheet = `<worksheet><sheetData>${guests.join('')}</sheetData></worksheet>`;
  const content = await workbook({
    ...{ rows: `<row r="1">${text('A1', 'Notes')}</row>`, sheets: ['Read me', 'Guests'] },
    ...{ formats: ['yyyy-mm-dd'], parts: { 'xl/worksheets/1.xml': sheet } },
  });
  await chosen.setInputFiles(binary('guests.xlsx', content));
  await field('Notes').waitFor();
  await page.getByLabel('Sheet').selectOption('Guests');
  await page.getByLabel('Row of the header').fill('3');
  await page.getByRole('cell', { name: '2024-03-01' }).waitFor();
  t.equal(await field('Guest').inputValue(), 'guest');
  await field('From').selectOption('country');
  await page.getByLabel('Find the item of From by').selectOption('name');
  await page.getByLabel('If the item of From is missing').selectOption('create');
  await page.getByLabel('Same value in all rows for').selectOption('source');
  await page.getByLabel('Value of Source in all rows').fill('fair');
  await page.getByLabel('Same value in all rows for').selectOption('paid');
  await page.getByLabel('Value of Paid in all rows').selectOption('true');
  await page.getByLabel('Keep what the import overwrites').check();
  await page.getByText('3 of 3 columns will be imported').waitFor();
  await tab.screenshot('workbook');
  t.strictSame(await tab.axe(), [], 'the mapping of a workbook is accessible');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('1 row was rejected').waitFor();
  const ann = { guest: 'Ann', day: '2024-03-01', country: 'Chile', source: 'fair', paid: true };
  t.strictSame(await visits(), [ann]);
  await page.getByLabel('Day of row 2').fill('2024-03-02');
  await tab.screenshot('workbook-report');
  await page.getByRole('button', { name: 'Send 1 row again' }).click();
  await page.getByText('All rows are imported.').waitFor();
  t.strictSame(await visits(), [ann, { ...ann, guest: 'Bob', day: '2024-03-02', country: 'Peru' }]);

  await t.test('what is undone is not offered to be undone again', async (t) => {
    const undo = page.getByRole('button', { name: 'Undo import' });
    await undo.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 imported item will be removed.').waitFor();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 imported item was removed.').waitFor();
    t.strictSame(await visits(), [ann]);
    await page.reload();
    await page.getByText('All rows are imported.').waitFor();
    t.equal(await undo.count(), 0);
  });

  await t.test('Parquet, as it was exported', async (t) => {
    const exported = await app.cluster.fetch('/items/visit?export=parquet');
    const bytes = Buffer.from(await exported.arrayBuffer());
    await db.query('DELETE FROM visit');
    await tab.open('/imports?collection=visit');
    await page.locator('input[type=file]').setInputFiles(binary('visits.parquet', bytes));
    await page.getByText('The App cannot show the rows of this file.').waitFor();
    t.equal(await field('guest').inputValue(), 'guest');
    await field('paid').selectOption('');
    await page.getByText('5 of 6 columns will be imported').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('All rows are imported.').waitFor();
    t.strictSame(await visits(), [{ ...ann, paid: null }]);
  });

  await t.test('a document whose member data is the list', async (t) => {
    await tab.open('/imports?collection=visit');
    const document = '{"meta":{"count":1},"data":[{"guest":"Cid","source":"web"}]}';
    await page.locator('input[type=file]').setInputFiles(file('answer.json', document));
    await page.getByText('2 of 2 columns will be imported').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('All rows are imported.').waitFor();
    t.match((await visits()).at(-1), { guest: 'Cid', source: 'web' });
  });

  await t.test('a workbook makes its own collection', async (t) => {
    await tab.open('/imports?collection=year_guests');
    await page.locator('input[type=file]').setInputFiles(binary('guests.xlsx', content));
    await page.getByLabel('Sheet').selectOption('Guests');
    await page.getByLabel('Row of the header').fill('3');
    await page.getByLabel('Type of the field for Day').selectOption('text');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('All rows are imported.').waitFor();
    const { rows } = await db.query('SELECT guest, day FROM year_guests ORDER BY guest');
    t.strictSame(rows, [
      { guest: 'Ann', day: '2024-03-01' },
      { guest: 'Bob', day: 'soon' },
    ]);
  });
  await t.test('a cell lists related items by name', async (t) => {
    await db.query(`
      CREATE TABLE tag (id serial PRIMARY KEY, name text UNIQUE);
      CREATE TABLE visit_tag (
        visit integer REFERENCES visit, tag integer REFERENCES tag, PRIMARY KEY (visit, tag));
      INSERT INTO tag (name) VALUES ('vip'), ('late')`);
    await app.cluster.served('/items/visit_tag');
    const set = async (method: string, path: string, body: object) => {
      const answer = await app.cluster.fetch(path, { method, body: JSON.stringify(body) });
      t.equal(answer.status, 200, await answer.text());
    };
    const list = { field: 'tags', type: 'alias', meta: { special: ['m2m'] } };
    await set('POST', '/fields/visit', list);
    const meta = { one_field: 'tags', junction_field: 'tag' };
    await set('PATCH', '/relations/visit_tag/visit', { meta });
    await set('PATCH', '/relations/visit_tag/tag', { meta: { junction_field: 'visit' } });
    await tab.open('/imports?collection=visit');
    const tagged = 'guest,labels\nDee,"vip, late, new"\n';
    await page.locator('input[type=file]').setInputFiles(file('tagged.csv', tagged));
    await field('labels').selectOption('tags');
    await page.getByLabel('Find the item of labels by').selectOption('name');
    await page.getByLabel('If the item of labels is missing').selectOption('create');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('All rows are imported.').waitFor();
    const { rows } = await db.query(`
      SELECT array_agg(name ORDER BY name) AS names FROM visit_tag JOIN tag ON tag.id = tag
        JOIN visit ON visit.id = visit WHERE guest = 'Dee'`);
    t.strictSame(rows, [{ names: ['late', 'new', 'vip'] }]);
  });

  await t.test('a new field refers to another collection', async (t) => {
    const { rows } = await db.query("SELECT id FROM visit WHERE guest = 'Cid'");
    await tab.open('/imports?collection=visit_notes');
    const notes = `id,visit,note\n1,${rows[0]?.id},late\n`;
    await page.locator('input[type=file]').setInputFiles(file('notes.csv', notes));
    await page.getByLabel('Relation of the field for visit').selectOption('visit');
    t.ok(await page.getByLabel('Type of the field for visit').isDisabled(), 'the key decides');
    t.strictSame(await tab.axe(), []);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('All rows are imported.').waitFor();
    const answer = await app.cluster.fetch('/items/visit_notes?fields=note,visit.guest');
    t.strictSame(await answer.json(), { data: [{ note: 'late', visit: { guest: 'Cid' } }] });
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('given up on its way, and while it runs', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  const { cluster } = app;
  // Each row takes its time, so that there is some to cancel it in.
  await cluster.db.query(`
    CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END';
    CREATE TRIGGER slow BEFORE INSERT ON customer FOR EACH ROW WHEN (NEW.age = 0)
      EXECUTE FUNCTION slow();
  `);
  const tab = await app.newPage();
  const { page } = tab;
  const lines = Array.from({ length: 20_000 }, (_, at) => `Customer ${at},0`);
  await tab.signIn();
  await tab.open('/imports?collection=customer');
  await page
    .locator('input[type=file]')
    .setInputFiles(file('many.csv', `name,age\n${lines.join('\n')}\n`));
  await page.route('**/utils/import/**', () => undefined);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('progressbar', { name: 'Sending the file' }).waitFor();
  await page.getByRole('link', { name: 'Content', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Stay here' }).click();
  await page.getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByText('2 of 2 columns will be imported').waitFor();
  await page.unroute('**/utils/import/**');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('running', { exact: true }).waitFor();
  await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
  await tab.screenshot('running');
  t.strictSame(await tab.axe(), [], 'the progress is accessible');
  await page.getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  t.equal(await countOf(cluster), 0, 'nothing is left of it');
  const { rows } = await cluster.db.query(
    "SELECT count(*)::int AS jobs FROM system_jobs WHERE kind = 'import'",
  );
  t.equal(rows[0]?.jobs, 1, 'what was given up on its way made no job');

  await t.test('corrections that are not sent ask before one leaves', async (t) => {
    await tab.open('/imports?collection=customer');
    await drop(tab, 'few.csv', 'name,age\nAnna,30\nTom,old\n');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByLabel('age of row 2').fill('31');
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await dialog.getByRole('button', { name: 'Stay here' }).click();
    t.equal(await page.getByLabel('age of row 2').inputValue(), '31');
    await page.getByRole('button', { name: 'Send 1 row again' }).click();
    await page.getByText('All rows are imported.').waitFor();
    t.equal(await countOf(cluster), 2);
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('by keyboard alone', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/imports');
  await tab.tabTo('Collection');
  await page.keyboard.type('cust');
  await page.getByRole('option', { name: 'Customer', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/imports?collection=customer');
  const chooser = page.waitForEvent('filechooser');
  await tab.tabTo('Choose a file');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(file('keys.csv', 'name,years\nAnna,30\nTom,old\n'));
  await page.getByLabel('Field for the column years').waitFor();
  await tab.tabTo('Field for the column years');
  await tab.pick('Age');
  await page.getByText('2 of 2 columns will be imported').waitFor();
  await tab.tabTo('Import');
  await page.keyboard.press('Enter');
  await page.getByLabel('years of row 2').waitFor();
  await tab.tabTo('years of row 2');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('41');
  await tab.tabTo('Send 1 row again');
  await page.keyboard.press('Enter');
  await page.getByText('All rows are imported.').waitFor();
  t.equal(await countOf(app.cluster), 2);
  t.strictSame(tab.faults, []);
});

t.test('who may not import is not offered it', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeShop });
  const signIn = async (permissions: readonly GivenPermission[], email: string) => {
    const member = await createMember(app.cluster, permissions, { app: true });
    const credentials = { email, password: 'a password of tests' };
    await app.cluster.fetch(`/users/${member.id}`, {
      method: 'PATCH',
      body: JSON.stringify(credentials),
    });
    const tab = await app.newPage();
    await tab.signIn(credentials);
    await tab.open('/content/customer');
    await tab.page.getByRole('button', { name: 'Export' }).waitFor();
    return tab;
  };
  const read = { collection: 'customer', action: 'read' } as const;
  const reader = await signIn([read], 'reader@example.com');
  t.equal(await reader.page.getByRole('link', { name: 'Import' }).count(), 0);
  const names = ['name', 'email'];
  const writer = await signIn(
    [read, { collection: 'customer', action: 'create', fields: names }],
    'writer@example.com',
  );
  await writer.page.getByRole('link', { name: 'Import' }).last().click();
  await drop(writer, 'mine.csv', 'name,age\nAnna,30\n');
  const age = writer.page.getByLabel('Field for the column age');
  await age.waitFor();
  t.strictSame(
    await age.getByRole('option').allTextContents(),
    ['Skip', 'Name', 'Email'],
    'fields that he may not fill are not offered',
  );
  t.strictSame([...reader.faults, ...writer.faults], []);
});
