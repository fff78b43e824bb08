/** The settings of the project in the Admin App: changed by an administrator, seen by everybody. */
import sharp from 'sharp';
import t from 'tap';
import { PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const DARK = "document.documentElement.style.colorScheme === 'dark'";
const skip = browser === null && 'no browser starts here';

const png = (background: string, width: number) =>
  sharp({ create: { width, height: width, channels: 3, background } })
    .png()
    .toBuffer();

t.test('settings are changed, and others see them', { skip }, async (t) => {
  if (browser === null) return;
  // A worker makes the small forms of pictures.
  const app = await startApp(t, browser, { workers: 1 });
  const { cluster } = app;
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await page.getByRole('link', { name: 'Settings' }).click();
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.waitFor();
  await tab.screenshot('settings');
  t.strictSame(await tab.axe(), [], 'the settings are accessible');

  await name.fill('Harbour Museum');
  await page.getByLabel('Description').fill('Ships and their people');
  await page.getByLabel('Note').fill('Ask Maria for an account.');
  await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#00695c');
  const picture = (field: string) => page.locator(`[data-field=${field}]`);
  const upload = async (field: string, colour: string, size: number) => {
    await picture(field)
      .locator('input[type=file]')
      .setInputFiles({
        name: `${field}.png`,
        mimeType: 'image/png',
        buffer: await png(colour, size),
      });
    const loaded = `document.querySelector('[data-field=${field}] img')?.naturalWidth > 0`;
    await until(() => page.evaluate(loaded), 'the picture is shown');
  };
  await upload('project_logo', '#00695c', 64);
  await upload('public_background', '#b2dfdb', 400);
  await page.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'Deutsch' }).click();
  t.equal(await page.getByLabel('Role of new users').count(), 0, 'nobody may register');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  await until(
    () => page.evaluate("document.title === 'Settings · Harbour Museum'"),
    'the title has the name',
  );
  await page.getByRole('navigation').getByRole('img', { name: 'Harbour Museum' }).waitFor();
  await tab.screenshot('changed');
  const { rows } = await cluster.db.query(
    'SELECT project_name, project_color, project_descriptor FROM system_settings',
  );
  t.strictSame(rows, [
    {
      project_name: 'Harbour Museum',
      project_color: '#00695c',
      project_descriptor: 'Ships and their people',
    },
  ]);

  await t.test('by somebody who is not signed in', async (t) => {
    const other = await app.newPage();
    other.expectStatus(401, '/users/me');
    await other.open('/sign-in');
    await other.page.getByText('Ask Maria for an account.').waitFor();
    await until(
      () => other.page.evaluate("document.querySelector('main img')?.naturalWidth > 0"),
      'the logo is shown',
    );
    t.match(await other.page.title(), /Harbour Museum/);
    await other.screenshot('sign-in');
    t.strictSame(await other.axe(), [], 'the sign-in page is accessible with them');
    t.strictSame(other.faults, []);

    const far = await app.newPage({ locale: 'ja-JP' });
    far.expectStatus(401, '/users/me');
    await far.open('/sign-in');
    await far.page.getByRole('button', { name: 'Anmelden' }).waitFor();
    t.strictSame(far.faults, []);
  });

  await t.test('the history of the settings', async (t) => {
    const about = page.getByLabel('Description');
    await about.fill('Ships alone');
    await page.getByRole('button', { name: 'Save' }).click();
    await until(async () => {
      const { rows: now } = await cluster.db.query(
        'SELECT project_descriptor FROM system_settings',
      );
      return now[0]?.project_descriptor === 'Ships alone';
    }, 'it is changed once more');
    await page.getByRole('button', { name: 'History' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('listitem').nth(1).waitFor();
    await drawer.getByRole('listitem').nth(1).getByRole('button').click();
    await drawer.getByText('Ships and their people').first().waitFor();
    const loaded = `[...document.querySelectorAll('[role=dialog] dd img')]
      .filter(({ naturalWidth }) => naturalWidth > 0).length === 2`;
    await until(() => page.evaluate(loaded), 'pictures are shown, not their keys');
    await tab.screenshot('history');
    t.strictSame(await tab.axe(), [], 'the history is accessible');
    await drawer.getByRole('button', { name: 'Revert to this version' }).click();
    const asked = page.getByRole('dialog').last();
    await asked.getByRole('button', { name: 'Revert to this version' }).click();
    await page.getByRole('alert').filter({ hasText: 'Reverted' }).waitFor();
    await drawer.waitFor({ state: 'detached' });
    await until(
      async () => (await about.inputValue()) === 'Ships and their people',
      'the form shows it',
    );
    const { rows: now } = await cluster.db.query(
      'SELECT project_name, project_descriptor FROM system_settings',
    );
    t.strictSame(now, [
      { project_name: 'Harbour Museum', project_descriptor: 'Ships and their people' },
    ]);
  });

  await t.test('what depends on another setting comes with it', async (t) => {
    await page.getByLabel('Registration', { exact: true }).check();
    await page.getByLabel('Role of new users').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('[data-field=project_name] [aria-invalid=true]').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour');
    await tab.tabTo('Save');
    await page.keyboard.press('Enter');
    await until(
      () => page.evaluate("document.title === 'Settings · Harbour'"),
      'it is saved by keyboard, too',
    );
    await page.setViewportSize(PHONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(() => page.evaluate(DARK), 'it is dark');
    await tab.screenshot('phone');
    t.strictSame(await tab.axe(), [], 'dark, on a phone');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('who may not change them is not offered them', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser);
  const member = await createMember(app.cluster, [], { app: true });
  const credentials = { email: 'member@example.com', password: 'a password of tests' };
  await app.cluster.fetch(`/users/${member.id}`, {
    method: 'PATCH',
    body: JSON.stringify(credentials),
  });
  const tab = await app.newPage();
  await tab.signIn(credentials);
  await tab.page.getByRole('link', { name: 'Operations' }).waitFor();
  t.equal(await tab.page.getByRole('link', { name: 'Settings' }).count(), 0);
  t.strictSame(tab.faults, []);
});
