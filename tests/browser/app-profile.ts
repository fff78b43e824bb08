/** The profile: a user changes name, picture, password and second factor, and ends a session elsewhere. */
import { Secret, TOTP } from 'otpauth';
import decodeQR from 'qr/decode.js';
import sharp from 'sharp';
import t from 'tap';
import { type AppPage, DESKTOP, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { turnDark } from './fixture/screen-checks.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const EDITOR = { email: 'edith@example.com', password: 'the first password of Edith' };
const NEXT = 'the second password of Edith';
const READER = { email: 'rita@example.com', password: 'the password of Rita' };

/** Edith may read and create files; Rita has app access alone. */
async function prepare({ fetch }: Cluster): Promise<void> {
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text).data.id;
  };
  const people = [
    { ...EDITOR, first_name: 'Edith', files: ['create', 'read'] },
    { ...READER, first_name: 'Rita', files: [] },
  ];
  for (const { files, ...person } of people) {
    const policy = await post('/policies', { name: person.first_name, app_access: true });
    for (const action of files) {
      await post('/permissions', { policy, collection: 'system_files', action, fields: ['*'] });
    }
    const user = await post('/users', { ...person, status: 'active' });
    await post('/access', { user, policy });
  }
}

const part = ({ page }: AppPage, name: string) => page.getByRole('region', { name, exact: true });

t.test('a user and his profile', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare });
  const { db } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const stored = async (column: string) => {
    const { rows } = await db.query(
      `SELECT ${column} AS value FROM system_users WHERE email = $1`,
      [EDITOR.email],
    );
    return rows[0]?.value;
  };
  await tab.signIn(EDITOR);
  await page.getByRole('button', { name: 'Account: Edith' }).click();
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByRole('heading', { level: 1, name: 'Your profile' }).waitFor();

  await t.test('name', async (t) => {
    t.notOk(await page.getByLabel('E-mail address').isEditable(), 'the address is fixed');
    await page.getByLabel('Last name').fill('Wharton');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account: Edith Wharton' }).waitFor();
    t.equal(await stored('last_name'), 'Wharton');
  });

  await t.test('picture', async (t) => {
    // A busy server makes the small picture later.
    tab.expectStatus(503, '/assets/');
    const source = sharp({ create: { width: 900, height: 500, channels: 3, background: '#a33' } });
    const buffer = await source.jpeg().toBuffer();
    const picture = { name: 'me.jpg', mimeType: 'image/jpeg', buffer };
    await page.locator('input[type=file]').setInputFiles(picture);
    const dialog = page.getByRole('dialog', { name: 'Choose the visible part' });
    await dialog.getByRole('slider', { name: 'Zoom' }).focus();
    for (let step = 0; step < 10; step += 1) await page.keyboard.press('ArrowRight');
    t.strictSame(await tab.axe(), []);
    await tab.screenshot('crop');
    await dialog.getByRole('button', { name: 'Use picture' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await db.query(
      'SELECT f.type, f.width, f.height FROM system_users u JOIN system_files f ON f.id = u.avatar',
    );
    const [file] = rows;
    t.equal(file?.type, 'image/jpeg');
    t.ok(file?.width === file?.height && file?.width < 500, 'a square, smaller than the picture');
    await page.locator('.MuiAvatar-root img').first().waitFor();
    await part(tab, 'Picture').getByRole('button', { name: 'Remove picture' }).click();
    await until(async () => (await stored('avatar')) === null, 'no picture is left');
  });

  await t.test('password', async (t) => {
    const own = part(tab, 'Password');
    const change = async (current: string) => {
      await own.getByLabel('Current password').fill(current);
      await own.getByLabel('New password').fill(NEXT);
      await own.getByRole('button', { name: 'Change password' }).click();
    };
    tab.expectStatus(400, '/users/me');
    await change('not the password');
    await own.getByText('The current password is wrong.').waitFor();
    await change(EDITOR.password);
    await page.getByText('Password changed.').waitFor();
    t.equal(await own.getByLabel('New password').inputValue(), '');
  });

  await t.test('a session elsewhere', async (t) => {
    const other = await app.newPage();
    await other.signIn({ ...EDITOR, password: NEXT });
    await page.reload();
    const sessions = part(tab, 'Sessions');
    await sessions.getByText('This session').waitFor();
    t.equal(await sessions.getByRole('listitem').count(), 2);
    await page.mouse.move(0, 0);
    t.strictSame(await tab.axe(), []);
    await tab.screenshot('profile');
    await sessions.getByRole('button', { name: /^End session Chrome · Linux/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('Session ended').waitFor();
    await until(async () => (await sessions.getByRole('listitem').count()) === 1, 'one is left');
    for (const status of [401, 403]) other.expectStatus(status, '');
    await other.page.reload();
    await other.page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  await t.test('second factor', async (t) => {
    await page.getByRole('button', { name: 'Turn on second factor' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input[type=password]').fill(NEXT);
    await page.keyboard.press('Enter');
    const secret = (await dialog.locator('output').textContent()) ?? '';
    t.strictSame(await tab.axe(), []);
    const picture = await dialog.getByRole('img', { name: 'QR code' }).screenshot();
    const { data, info } = await sharp(picture)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const scanned = decodeQR({ width, height, data: new Uint8Array(data) }, { timeLimit: 10_000 });
    t.match(scanned, new RegExp(`^otpauth://totp/.*secret=${secret.replaceAll(' ', '')}`));
    await tab.screenshot('second-factor');
    const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
    const code = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 });
    await dialog.getByLabel('One-time password').fill(code(0));
    await page.keyboard.press('Enter');
    await page.getByText('The second factor is on.').first().waitFor();
    await page.getByRole('button', { name: 'Turn off second factor' }).click();
    await dialog.getByLabel('One-time password').fill(code(1));
    await page.keyboard.press('Enter');
    await page.getByText('The second factor is off.').first().waitFor();
    await until(async () => (await stored('tfa_secret')) === null, 'it is off');
  });

  await t.test('dark, and on a phone', async () => {
    await turnDark(tab);
    await tab.screenshot('profile-dark');
    await page.setViewportSize(PHONE);
    await part(tab, 'Sessions').scrollIntoViewIfNeeded();
    await tab.screenshot('profile-phone');
    await page.setViewportSize(DESKTOP);
  });

  await t.test('app access alone offers no picture', async (t) => {
    const reader = await app.newPage();
    await reader.signIn(READER);
    await reader.open('/profile');
    await part(reader, 'Sessions').getByText('This session').waitFor();
    t.equal(await reader.page.getByRole('button', { name: 'Upload picture' }).count(), 0);
    t.strictSame(reader.faults, []);
  });
  t.strictSame(tab.faults, []);
});

t.test('a time zone of one’s own', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    prepare: async ({ db }) => {
      await db.query(`
        CREATE TABLE meeting (id int PRIMARY KEY, starts timestamptz, plain timestamp);
        INSERT INTO meeting VALUES (1, '2020-07-01T10:00Z', '2020-07-01 10:00');
      `);
    },
  });
  const berlin = { timezoneId: 'Europe/Berlin' };
  const tab = await app.newPage(berlin);
  const { page } = tab;
  const listed = async (at: AppPage, zoned: string) => {
    await at.open('/content/meeting');
    await at.page.getByRole('gridcell', { name: zoned }).first().waitFor();
    const plain = at.page.getByRole('gridcell', { name: '10:00 AM' });
    t.equal(await plain.count(), 1, 'a time without a zone stays');
  };
  await tab.signIn();
  await listed(tab, '12:00 PM');

  await tab.open('/profile');
  const choice = page.getByRole('combobox', { name: 'Time zone' });
  t.equal(await choice.inputValue(), 'As in this browser (Europe/Berlin)');
  await choice.fill('tokyo');
  const kept = page.waitForResponse(
    (answer) => answer.url().includes('/presets') && answer.request().method() === 'POST',
  );
  await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
  t.ok((await kept).ok(), 'it is kept with the account');
  t.strictSame(await tab.axe(), []);
  await tab.screenshot('zone');
  await listed(tab, '07:00 PM');

  // What is entered is a time of that zone.
  await tab.open('/content/meeting/1');
  const starts = page.getByLabel('Starts', { exact: true });
  await starts.waitFor();
  t.equal(await starts.inputValue(), '2020-07-01T19:00');
  t.equal(await page.getByLabel('Plain', { exact: true }).inputValue(), '2020-07-01T10:00');
  await starts.fill('2020-07-01T20:30');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').waitFor();
  const { rows } = await app.cluster.db.query('SELECT * FROM meeting');
  const [meeting] = rows;
  t.equal(meeting?.starts.toISOString(), '2020-07-01T11:30:00.000Z');

  // Another browser of the same user follows, and the device has its zone back.
  const other = await app.newPage(berlin);
  await other.signIn();
  await listed(other, '08:30 PM');
  await other.open('/profile');
  await other.page.getByRole('combobox', { name: 'Time zone' }).fill('as in');
  await other.page.getByRole('option', { name: 'As in this browser' }).click();
  await listed(other, '01:30 PM');
  t.strictSame([...tab.faults, ...other.faults], []);
});
