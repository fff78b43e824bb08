/** Forms of items by keyboard alone: what is related, files, conflicts, history, comments. */
import sharp from 'sharp';
import t from 'tap';
import { ADMIN, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { until } from '#tests/harness/until.ts';
import { keyboardOf } from './fixture/keyboard.ts';
import { makePosts } from './fixture/posts.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

function picture(): Promise<Buffer> {
  const create = { width: 600, height: 400, channels: 3, background: 'teal' } as const;
  return sharp({ create }).png().toBuffer();
}

t.test('somebody without a mouse', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    ...{ workers: 1, prepare: makePosts },
    // Otherwise the end of the socket opens the dialog of the session before anything is saved.
    env: { WEBSOCKETS_ENABLED: 'false' },
  });
  const { db, fetch } = app.cluster;
  const tab = await app.newPage();
  const { page } = tab;
  const { press, goLike, write, radio, choose, opens, isOn, kept } = keyboardOf(tab);
  const keys = page.keyboard;
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  const gone = (name: string | RegExp) => dialog(name).waitFor({ state: 'detached' });
  const shown = (name: string) => page.getByText(name, { exact: true }).first().waitFor();
  const ask = async (sql: string) => (await db.query(sql)).rows;
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const saved = (what: string) =>
    until(
      async () =>
        (await save.isDisabled()) && (await page.locator('.MuiButton-loading').count()) === 0,
      what,
    );
  await tab.signIn();

  await t.test('makes an item with all that belongs to it', async (t) => {
    await tab.open('/content/post');
    await press('New item');
    await heading('Post: new item');
    await kept('the way to the form');
    await write('Title', 'Second');
    await press('More');
    await page.getByLabel('Body').waitFor();
    await isOn('More');
    await keys.press('Space');
    await page.getByLabel('Body').waitFor({ state: 'detached' });

    const remark = dialog('Remark: new item');
    let back = await opens('Create new', remark, 'Remarks');
    await write('Body', 'nested');
    await tab.screenshot('drawer');
    await keys.press('Escape');
    await shown('Your changes here will be lost.');
    await keys.press('Escape');
    await gone('Leave without saving?');
    await isOn('Body');
    await keys.press('Enter');
    await gone('Remark: new item');
    await back();
    await shown('nested');

    back = await opens('Add existing', dialog('Add from Tag'), 'Tags');
    await press('blue', 'Space');
    await press('Add 1 item');
    await gone('Add from Tag');
    await back();
    await shown('blue');

    back = await opens('Create new', page.getByRole('menu'), 'Blocks');
    await choose('Heading');
    await dialog('Heading: new item').waitFor();
    await write('Text', 'A heading');
    await keys.press('Enter');
    await gone('Heading: new item');
    await back();
    await tab.screenshot('new-item');
    await press('Save');
    await heading('Post: ');
    await until(async () => (await ask('SELECT FROM post')).length === 2, 'it is made');
    await kept('the item is made');
    t.strictSame(
      await ask(`SELECT r.body, t.name, h.text FROM remark r
        JOIN post_tag ON post_tag.post = r.post JOIN tag t ON t.id = tag
        JOIN post_block b ON b.post = r.post JOIN heading h ON h.id::text = b.item WHERE r.post = 2`),
      [{ body: 'nested', name: 'blue', text: 'A heading' }],
    );
  });

  await t.test('orders and takes out what belongs to it', async (t) => {
    await tab.open('/content/post/1');
    await shown('three');
    await press('Move up two');
    await isOn('Move down two');
    await press('Move up three');
    await kept('a row has moved');
    await press('Delete one');
    await isOn('Restore one');
    await press('Create new', 'Enter');
    await dialog('Remark: new item').waitFor();
    await write('Body', 'brief');
    await keys.press('Enter');
    await shown('brief');
    await press('Delete brief');
    await page.getByText('brief', { exact: true }).waitFor({ state: 'detached' });
    await kept('a new row is taken out');
    t.ok(
      await page.evaluate(`document.activeElement.closest('[role=group]')?.textContent
        .startsWith('Remarks')`),
      'the focus stays at the list',
    );
    await tab.screenshot('ordered');
    await keys.press('Control+s');
    await saved('the order is saved');
    await kept('the order is saved');
    t.strictSame(await ask('SELECT body FROM remark WHERE post = 1 ORDER BY position'), [
      { body: 'two' },
      { body: 'three' },
    ]);
  });

  await t.test('gives it a picture with a focal point', async (t) => {
    const chooser = page.waitForEvent('filechooser');
    await press('Choose from this device');
    await (await chooser).setFiles({
      ...{ name: 'teal.png', mimeType: 'image/png', buffer: await picture() },
    });
    await page.getByRole('button', { name: /^Focal point/ }).waitFor();
    await kept('a file is uploaded');
    await goLike(/^Focal point at 300, 200/);
    await keys.press('ArrowRight');
    await keys.press('Shift+ArrowDown');
    await isOn('Focal point at 312, 260. Move it with the arrow keys.');
    await tab.screenshot('focal-point');
    await press('Save');
    await saved('the picture is saved');
    await kept('the picture is saved');
    t.strictSame(
      await ask(`SELECT focal_point_x AS x, focal_point_y AS y FROM post
        JOIN system_files f ON f.id = picture`),
      [{ x: 312, y: 260 }],
    );
  });

  await t.test('decides a conflict, and what is not saved', async (t) => {
    tab.expectStatus(412, '/items/post/1');
    await write('Title', 'Mine');
    const body = JSON.stringify({ title: 'Theirs' });
    t.ok((await fetch('/items/post/1', { method: 'PATCH', body })).ok);
    const conflict = 'Another user has changed this item';
    await opens('Save', dialog(conflict));
    await radio('Theirs');
    await isOn('Theirs: Theirs');
    await tab.screenshot('conflict');
    await keys.press('ArrowUp');
    await isOn('Yours: Mine');
    await press('Save selection');
    await gone(conflict);
    await until(
      async () => (await ask('SELECT title FROM post WHERE id = 1'))[0]?.title === 'Mine',
      'it is saved',
    );
    await kept('the conflict is decided');

    await write('Title', 'Never saved');
    await opens('Back', dialog('Leave without saving?'));
    await isOn('Stay here');
    await keys.press('Enter');
    await gone('Leave without saving?');
    await isOn('Back');
    await keys.press('Enter');
    await press('Leave');
    await heading('Post');
    await kept('the form is left');
  });

  await t.test('saves in other ways, archives and deletes', async (t) => {
    await tab.open('/content/post/1');
    await write('Title', 'Copied');
    await opens('More save options', page.getByRole('menu'));
    await choose('Save as a copy');
    await until(async () => (await ask('SELECT FROM post')).length === 3, 'it is copied');
    await heading('Post: ');
    await shown('Saved as a copy');
    await kept('it is copied');
    await until(() => page.url().endsWith('/3'), 'the copy is shown');
    await press('Archive');
    await page.getByRole('button', { name: 'Unarchive' }).waitFor();
    await isOn('Unarchive');
    await opens('Delete', dialog('Delete this item?'));
    await tab.screenshot('delete');
    await press('Delete');
    await heading('Post');
    await kept('it is deleted');
    t.strictSame(await ask('SELECT id FROM post ORDER BY id'), [{ id: 1 }, { id: 2 }]);
  });

  await t.test('reads the history, and goes back in it', async (t) => {
    await tab.open('/content/post/1');
    const back = await opens('History', dialog('History'));
    await goLike(/^Changed/);
    await goLike(/^Changed/);
    await keys.press('Enter');
    await dialog('History').locator('ins').first().waitFor();
    await tab.screenshot('history');
    await opens('Revert to this version', dialog('Revert to this version?'));
    await press('Revert to this version');
    await gone('History');
    await back();
    await until(
      async () => (await ask('SELECT title FROM post WHERE id = 1'))[0]?.title === 'Theirs',
      'it is as it was',
    );
    t.pass('all of it by keys');
  });

  await t.test('comments on it', async (t) => {
    const back = await opens('Comments', dialog('Comments'));
    const item = dialog('Comments').getByRole('listitem');
    await write('Comment', 'Well done');
    await press('Comment');
    await item.getByText('Well done').waitFor();
    await kept('something is said');
    await press('Edit');
    await isOn('Comment');
    await press('Cancel');
    await isOn('Edit');
    await keys.press('Enter');
    await isOn('Comment');
    await keys.press('Control+End');
    await keys.type(', all of you');
    await press('Save');
    await item.getByText('Well done, all of you').waitFor();
    await isOn('Edit');
    await tab.screenshot('comments');
    await press('Delete');
    await dialog('Delete the comment?').waitFor();
    await press('Delete');
    await gone('Delete the comment?');
    await item.waitFor({ state: 'detached' });
    await kept('nothing is said');
    t.ok(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null"));
    await press('Close');
    await gone('Comments');
    await back();
  });

  await t.test('signs in again when the session has ended', async (t) => {
    for (const status of [400, 401, 403]) tab.expectStatus(status, '');
    await write('Title', 'Typed before');
    await db.query('DELETE FROM system_sessions');
    const status = () => page.evaluate("fetch('/users/me').then(({ status }) => status)");
    await until(async () => (await status()) === 401, 'the server knows that it has ended');
    await press('Save');
    const ended = dialog('Your session has ended');
    await ended.waitFor();
    await isOn('Password');
    await keys.press('Escape');
    t.ok(await ended.isVisible(), 'it is not put away');
    await keys.type(ADMIN.password);
    await keys.press('Enter');
    await ended.waitFor({ state: 'detached' });
    await saved('the save goes on');
    await kept('it is saved');
    t.strictSame(await ask('SELECT title FROM post WHERE id = 1'), [{ title: 'Typed before' }]);
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
