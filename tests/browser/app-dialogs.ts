/**
 * What opens on lists, and in the frame around all screens: each may be used by everybody,
 * in light, dark, 320 pixels wide, and in German from right to left. What the source can open and
 * nothing here does fails.
 */
import sharp from 'sharp';
import t from 'tap';
import { ADMIN, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { makeBookshop } from './fixture/bookshop.ts';
import {
  ADMINISTRATION,
  byButton,
  choices,
  dialog,
  holdOpenings,
  type Opening,
  openersOf,
  shownBy,
  title,
  whole,
} from './fixture/openings.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

/** Folders of which other tests open what can be opened. */
const OTHERS = ['draft', 'files', 'form', 'history', 'interface', 'relation', ...ADMINISTRATION];
const LIST = '/content/book';
const BOOKMARK = `${LIST}?bookmark=1`;
const ITEM = '/content/book/1';
const filtered = (filter: object) => `${LIST}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
const inSelection =
  (key: string): Opening['open'] =>
  async (view) => {
    const { page, say, press } = view;
    await page.getByRole('checkbox', { name: say('list.select', { key: 1 }), exact: true }).check();
    await press(view.button(say(key)).last());
    return dialog(view);
  };
const inBookmarks =
  (key: string): Opening['open'] =>
  async (view) => {
    await view.press(view.button('Old ones'));
    await view.page
      .getByRole('menuitem', { name: view.say(key, { name: 'Old ones' }) })
      .press('Enter');
    return dialog(view);
  };
const openAccount: Opening['open'] = async (view) => {
  await view.press(view.page.getByRole('button', { name: view.say('shell.account') }));
  return dialog(view);
};

const OF_LISTS: readonly Opening[] = [
  {
    of: ['list/column-head.tsx Menu'],
    only: 'wide',
    at: LIST,
    async open(view) {
      const head = view.page.locator('th[data-field=title]');
      await view.press(head.getByRole('button', { name: view.say('list.columnMenu') }));
      return view.page.getByRole('menu');
    },
  },
  {
    of: ['list/cell-editor.tsx Popover'],
    only: 'wide',
    at: LIST,
    async open(view) {
      await view.press(view.page.locator('td[data-editable=status]').first(), 'F2');
      return dialog(view);
    },
  },
  {
    of: ['list/bookmark-menu.tsx Menu'],
    at: BOOKMARK,
    async open(view) {
      await view.press(view.button('Old ones'));
      return view.page.getByRole('menu');
    },
  },
  {
    of: ['list/bookmark-dialog.tsx Dialog'],
    at: BOOKMARK,
    open: inBookmarks('list.renameBookmark'),
  },
  {
    of: ['list/bookmark-menu.tsx ConfirmDialog'],
    at: BOOKMARK,
    open: inBookmarks('list.deleteBookmark'),
  },
  {
    of: [],
    at: LIST,
    async open(view) {
      await view.press(view.button(view.say('list.bookmarks')));
      await view.page.getByRole('menuitem', { name: view.say('list.saveBookmark') }).press('Enter');
      return dialog(view);
    },
  },
  { of: ['list/column-menu.tsx Popover'], at: LIST, open: byButton('list.columns') },
  { of: ['list/export-dialog.tsx Dialog'], at: LIST, open: byButton('list.export') },
  { of: ['share/copy-as-dialog.tsx Dialog'], at: LIST, open: byButton('share.title') },
  {
    of: ['list/bulk-edit-dialog.tsx Dialog'],
    at: LIST,
    async open(view) {
      const edit = await inSelection('list.edit')(view);
      for (const field of ['Title', 'Status', 'Price', 'Since']) {
        await edit.getByRole('button', { name: view.say('list.addField') }).click();
        await view.page.getByRole('menuitem', { name: field, exact: true }).click();
      }
      return edit;
    },
  },
  {
    of: ['shell/add-menu.tsx Menu'],
    at: LIST,
    async open(view) {
      const edit = await inSelection('list.edit')(view);
      await view.press(edit.getByRole('button', { name: view.say('list.addField') }));
      return view.page.getByRole('menu');
    },
  },
  {
    of: ['list/selection-bar.tsx ConfirmDialog', 'shell/confirm-dialog.tsx Dialog'],
    at: LIST,
    open: inSelection('shell.delete'),
  },
  {
    of: [],
    kind: 'part',
    at: filtered({
      _and: [
        { title: { _icontains: 'e' } },
        { _or: [{ price: { _between: [1, 20] } }, { since: { _null: true } }] },
        { sold: { _neq: true } },
        { publisher: { name: { _nempty: true } } },
        { reviews: { _some: { body: { _eq: 'Good' } } } },
      ],
    }),
    open: async ({ page, say }) => page.getByRole('region', { name: say('filter.title') }),
  },
  {
    of: ['filter/value-editor.tsx Autocomplete'],
    kind: 'choices',
    at: filtered({ status: { _in: ['draft'] } }),
    async open(view) {
      const value = view.page.getByRole('combobox', {
        name: view.say('filter.value'),
        exact: true,
      });
      await view.press(value, 'ArrowDown');
      return choices(view);
    },
  },
  {
    of: ['display/item-picker.tsx Autocomplete'],
    kind: 'choices',
    at: filtered({ publisher: { _eq: 1 } }),
    async open(view) {
      const value = view.page.getByRole('combobox', {
        name: view.say('filter.value'),
        exact: true,
      });
      await view.press(value, 'ArrowDown');
      await choices(view).getByRole('option').first().waitFor();
      return choices(view);
    },
  },
  {
    of: ['views/board.tsx Menu'],
    at: `${LIST}?layout=kanban`,
    async open(view) {
      await view.press(view.button(view.say('views.moveItem', { name: 'Essays' })));
      return view.page.getByRole('menu');
    },
  },
  {
    of: ['views/move-dialog.tsx Dialog'],
    at: '/content/subject?layout=tree',
    async open(view) {
      await view.press(view.button(view.say('views.moveItem', { name: 'Literature' })));
      return dialog(view);
    },
  },
  {
    of: [],
    kind: 'part',
    at: `${LIST}?layout=calendar&options=${encodeURIComponent('{"mode":"month"}')}`,
    async open(view) {
      await view.page.getByRole('grid').waitFor();
      return whole(view);
    },
  },
  {
    of: [],
    kind: 'part',
    at: '/content/subject?layout=tree',
    async open(view) {
      await view.button(view.say('views.expand', { name: 'Literature' })).click();
      await view.page.getByRole('link', { name: 'Poetry' }).waitFor();
      return whole(view);
    },
  },
  { of: [], kind: 'part', at: '/content/nothing_yet', open: async (view) => whole(view) },
  { of: [], kind: 'part', at: `${LIST}?search=unheard`, open: async (view) => whole(view) },
  { of: [], kind: 'part', at: '/content/unknown', open: async (view) => whole(view) },
  {
    of: [],
    kind: 'part',
    at: filtered({ unknown: { _eq: 1 } }),
    async open(view) {
      await view.page.getByRole('alert').waitFor();
      return whole(view);
    },
  },
];

let changes = 0;

/** What opens on the profile. */
function ofProfile({ db, url }: Cluster): readonly Opening[] {
  const at = '/profile';
  return [
    {
      of: ['profile/profile-form.tsx ConflictDialog'],
      at,
      async open(view) {
        await view.page.getByLabel(view.say('profile.first_name')).fill('Mine');
        changes += 1;
        await db.query('UPDATE system_users SET first_name = $1 WHERE email = $2', [
          `Theirs ${changes}`,
          ADMIN.email,
        ]);
        await view.press(view.button(view.say('shell.save')));
        return dialog(view);
      },
    },
    {
      of: ['shell/crop-dialog.tsx Dialog'],
      at,
      async open(view) {
        const create = { width: 60, height: 40, channels: 3, background: '#369' } as const;
        const buffer = await sharp({ create }).png().toBuffer();
        const opener = view.button(view.say('profile.uploadPicture'));
        const choosing = view.page.waitForEvent('filechooser');
        await view.press(opener);
        const picture = { name: 'me.png', mimeType: 'image/png', buffer };
        await (await choosing).setFiles(picture);
        return dialog(view);
      },
    },
    { of: ['profile/factor-dialog.tsx Dialog'], at, open: byButton('profile.turnFactorOn') },
    {
      of: ['profile/zone-choice.tsx Autocomplete'],
      kind: 'choices',
      at,
      async open(view) {
        const chosen = view.page.getByRole('combobox', { name: view.say('profile.timeZone') });
        await view.press(chosen, 'ArrowDown');
        return choices(view);
      },
    },
    {
      of: ['profile/sessions-part.tsx ConfirmDialog'],
      at,
      async open(view) {
        const headers = { 'content-type': 'application/json' };
        await fetch(`${url}/auth/login`, { method: 'POST', headers, body: JSON.stringify(ADMIN) });
        await view.page.reload();
        return byButton('profile.endOthers')(view);
      },
    },
  ];
}

/** What opens anywhere, and what others do meanwhile. */
function ofFrame({ db }: Cluster): readonly Opening[] {
  return [
    { of: ['shell/account-menu.tsx Popover'], only: 'wide', at: LIST, open: openAccount },
    {
      of: ['palette/palette.tsx Dialog'],
      only: 'wide',
      at: LIST,
      open: byButton('palette.title'),
    },
    {
      of: ['palette/palette.tsx Dialog'],
      only: 'phone',
      at: LIST,
      async open(view) {
        await byButton('shell.menu')(view);
        await view.press(view.button(view.say('palette.title')));
        // The menu is a dialog, too, and the palette is loaded when it is opened.
        return view.page.getByRole('dialog', { name: view.say('palette.title') });
      },
    },
    {
      of: ['shell/account-menu.tsx Popover'],
      only: 'phone',
      at: LIST,
      async open(view) {
        await byButton('shell.menu')(view);
        return openAccount(view);
      },
    },
    { of: ['shell/frame.tsx Drawer'], only: 'phone', at: LIST, open: byButton('shell.menu') },
    {
      of: ['shell/side-drawer.tsx Drawer'],
      at: ITEM,
      open: byButton('history.comments'),
    },
    {
      of: ['shell/notices.tsx Snackbar'],
      kind: 'part',
      at: ITEM,
      async open(view) {
        await title(view).fill(`Collected poems, ${view.say('shell.language')}`);
        await view.button(view.say('shell.save')).click();
        const notice = view.page.locator('.MuiSnackbar-root');
        await notice.hover();
        return notice;
      },
    },
    {
      of: ['shell/unsaved-changes.tsx Dialog'],
      at: ITEM,
      async open(view) {
        await title(view).fill('Not saved');
        await view.press(
          view.page.getByRole('link', { name: view.say('shell.back'), exact: true }),
        );
        return dialog(view);
      },
    },
    {
      of: ['sign-in/session-dialog.tsx Dialog'],
      kind: 'question',
      at: ITEM,
      async open(view) {
        for (const status of [400, 401, 403]) view.tab.expectStatus(status, '');
        await title(view).fill('Typed before');
        await db.query('DELETE FROM system_sessions');
        const status = () => view.page.evaluate("fetch('/users/me').then(({ status }) => status)");
        await until(async () => (await status()) === 401, 'the server knows that it has ended');
        // The end of the socket tells of it, too; the dialog may be there before the button is pressed.
        const save = view.button(view.say('shell.save'));
        await until(async () => {
          if (await dialog(view).isVisible()) return true;
          await save.click({ timeout: 1_000 }).catch(() => undefined);
          return false;
        }, 'the dialog is there');
        return dialog(view);
      },
      async end({ page }) {
        await page.locator('input[name=password]').fill(ADMIN.password);
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      },
    },
  ];
}

t.test('what opens on lists and anywhere', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeBookshop });
  const openings = [...OF_LISTS, ...ofProfile(app.cluster), ...ofFrame(app.cluster)];
  t.strictSame(
    openersOf((folder) => !OTHERS.includes(folder)),
    shownBy(openings),
    'all that the source can open is opened here',
  );
  const tab = await app.newPage({ reducedMotion: 'reduce' });
  await tab.signIn();
  tab.expectStatus(400, 'unknown');
  tab.expectStatus(403, 'unknown');
  await holdOpenings(t, app, tab, openings);
  t.strictSame(tab.faults, []);
});
