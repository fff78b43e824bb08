/**
 * The first minutes with a database of one's own: nine tables with composite keys, enumerations and
 * arrays, a view, and a table without a key. Nothing is configured: from the address of the database to
 * a list, a form with its lines, a chart and a shared link.
 */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

/** Milliseconds of clicking. */
const LIMIT = 180_000;

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

async function makeClinic({ db, served }: Cluster): Promise<void> {
  await db.query(`
    CREATE TYPE species AS ENUM ('dog', 'cat', 'rabbit');
    CREATE TABLE towns (zip char(5) PRIMARY KEY, town text NOT NULL);
    CREATE TABLE owners (owner_no serial PRIMARY KEY, zip char(5) REFERENCES towns,
      last_name text NOT NULL, email text, phone text);
    CREATE TABLE pets (pet_id serial PRIMARY KEY, owner_no integer NOT NULL REFERENCES owners,
      pet_name text NOT NULL, kind species NOT NULL, born date, allergies text[]);
    CREATE TABLE vets (id serial PRIMARY KEY, full_name text NOT NULL, active boolean DEFAULT true);
    CREATE TABLE visits (id serial PRIMARY KEY, pet integer NOT NULL REFERENCES pets,
      vet integer REFERENCES vets, at timestamptz NOT NULL, weight_kg numeric(5, 2));
    CREATE TABLE services (code varchar(8) PRIMARY KEY, label text NOT NULL, fee numeric(8, 2) NOT NULL);
    CREATE TABLE visit_services (visit integer REFERENCES visits, service varchar(8) REFERENCES services,
      amount integer NOT NULL DEFAULT 1, PRIMARY KEY (visit, service));
    CREATE TABLE pet_vaccinations (pet integer REFERENCES pets, vaccine text, given_on date,
      PRIMARY KEY (pet, vaccine));
    CREATE TABLE opening_hours (weekday text, opens time, closes time);
    CREATE VIEW visits_by_vet AS
      SELECT v.full_name, count(*) AS visits FROM vets v JOIN visits ON vet = v.id GROUP BY 1;
    INSERT INTO towns VALUES ('10115', 'Berlin'), ('20095', 'Hamburg');
    INSERT INTO owners (zip, last_name, email, phone)
      SELECT (ARRAY['10115', '20095'])[1 + n % 2], 'Owner ' || n, 'o' || n || '@example.com', '030 ' || n
      FROM generate_series(1, 40) n;
    INSERT INTO pets (owner_no, pet_name, kind, born, allergies)
      SELECT 1 + n % 40, 'Pet ' || n, (ARRAY['dog', 'cat', 'rabbit'])[1 + n % 3]::species,
        date '2015-01-01' + n * 20, CASE WHEN n % 5 = 0 THEN ARRAY['pollen', 'milk'] END
      FROM generate_series(1, 60) n;
    INSERT INTO vets (full_name) VALUES ('Dr. Amsel'), ('Dr. Fink');
    INSERT INTO services VALUES ('XRAY', 'X-ray', 80), ('VACC', 'Vaccination', 35), ('GEN', 'Consultation', 25);
    INSERT INTO visits (pet, vet, at, weight_kg)
      SELECT 1 + n % 60, 1 + n % 2, now() - n * interval '7 hours', 3 + n % 20 FROM generate_series(1, 300) n;
    INSERT INTO visit_services SELECT v.id, 'GEN' FROM visits v;
    INSERT INTO pet_vaccinations SELECT pet_id, 'rabies', born + 90 FROM pets;
    INSERT INTO opening_hours VALUES ('Monday', '08:00', '18:00');`);
  await served('/items/visit_services');
}

t.test('a list, a form with its lines, a chart and a shared link', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeClinic, workers: 1 });
  const { db } = app.cluster;
  const tab = await app.newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = tab;
  await tab.signIn();
  const begun = performance.now();

  await t.test('a list says which rows are which', async (t) => {
    await page.getByRole('link', { name: 'Visits', exact: true }).first().click();
    await page.getByRole('row').nth(1).waitFor();
    const heads = await page.getByRole('columnheader').allInnerTexts();
    const named = heads.map((text) => text.trim()).filter((text) => text !== '');
    t.strictSame(named, ['Id', 'Pet', 'Vet', 'At', 'Weight Kg']);
    t.match(await page.getByRole('row').nth(1).innerText(), /Pet \d+\s+Dr\. (Amsel|Fink)/);
    await tab.screenshot('list');
  });

  await t.test('a form has the lines that belong to it', async () => {
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    const lines = page.getByRole('group', { name: 'Visit Services' });
    await lines.getByText('Consultation').waitFor();
    await lines.getByRole('button', { name: /^Create/ }).click();
    const drawer = page.getByRole('dialog').last();
    await drawer.getByRole('combobox', { name: 'Service' }).fill('X-r');
    await page.getByRole('option', { name: 'X-ray' }).click();
    await drawer.getByRole('button', { name: 'Apply' }).click();
    await lines.getByText('X-ray').waitFor();
    await tab.screenshot('form');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Saved' }).waitFor();
    await until(async () => {
      const { rowCount } = await db.query("SELECT FROM visit_services WHERE service = 'XRAY'");
      return rowCount === 1;
    }, 'the line is stored');
  });

  await t.test('tables without a key and views say what they offer', async (t) => {
    await page.getByRole('link', { name: 'Opening Hours', exact: true }).first().click();
    await page.getByText('Monday').waitFor();
    t.equal(await page.getByRole('link', { name: 'New item' }).count(), 0);
    await page.getByText(/no primary key/i).waitFor();
    await tab.screenshot('keyless');
    await page.getByRole('link', { name: 'Visits By Vet', exact: true }).first().click();
    await page.getByText('Dr. Amsel').waitFor();
  });

  await t.test('a chart is made by clicking', async () => {
    await page.getByRole('link', { name: 'Insights' }).click();
    await page.getByRole('button', { name: 'New dashboard' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Clinic');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Add panel' }).click();
    await page.getByLabel('Type').selectOption({ label: 'Chart over time' });
    await page.getByRole('combobox', { name: 'Collection' }).fill('Visits');
    await page.getByRole('option', { name: 'Visits', exact: true }).click();
    await page.getByLabel('Date field').selectOption({ label: 'At' });
    await page.locator('[role=img] svg').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Clinic' }).waitFor();
    await page.locator('[role=img] svg').waitFor();
    await tab.screenshot('chart');
  });

  await t.test('a link opens the same list for another user', async (t) => {
    await page.getByRole('link', { name: 'Content', exact: true }).first().click();
    await page.waitForURL(/\/content/);
    await page.getByRole('link', { name: 'Pets', exact: true }).first().click();
    await page.getByRole('searchbox', { name: 'Search' }).fill('Pet 4');
    await page.getByText('1 to 11 of 11').waitFor();
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('button', { name: 'Copy the link to this page' }).click();
    await page.getByText('Link copied.').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    const other = await app.newPage();
    await other.signIn();
    await other.page.goto(link);
    await other.page.getByText('1 to 11 of 11').waitFor();
    t.strictSame(other.faults, []);
  });

  await t.test('a foreign key becomes a list on the other side', async (t) => {
    await tab.open('/model/collections/pets/fields/owner_no');
    await page.getByRole('button', { name: 'Show the list on the other side' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'List on the other side' }).fill('animals');
    t.strictSame(await tab.axe(), [], 'its dialog is accessible');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('List animals created in owners').waitFor();
    await tab.open('/content/owners/2');
    const animals = page.getByRole('group', { name: 'Animals' });
    await animals
      .getByText(/^Pet \d/)
      .first()
      .waitFor();
    t.equal(await page.getByRole('group', { name: 'Pets', exact: true }).count(), 0, 'one list');
  });

  const took = performance.now() - begun;
  t.comment(`${(took / 1_000).toFixed(1)} s of clicking`);
  t.ok(took < LIMIT, 'it takes less than three minutes');
  t.strictSame(tab.faults, []);
});
