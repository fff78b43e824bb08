/**
 * What opens in forms of items: each may be used by everybody, in light, dark, 320 pixels wide, and in
 * German from right to left.
 */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { makeBookshop } from './fixture/bookshop.ts';
import {
  byButton,
  choices,
  dialog,
  holdOpenings,
  inField,
  type Opening,
  openersOf,
  shownBy,
  title,
  whole,
} from './fixture/openings.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const FOLDERS = ['draft', 'files', 'form', 'history', 'interface', 'relation'];
const ITEM = '/content/book/1';

/** Opens the choices of a field of the form. */
const byField =
  (field: string): Opening['open'] =>
  async (view) => {
    await view.press(inField(view, field).getByRole('combobox'), 'ArrowDown');
    return choices(view);
  };
const OF_FORMS: readonly Opening[] = [
  {
    of: ['form/save-menu.tsx Menu'],
    at: ITEM,
    async open(view) {
      await view.press(view.button(view.say('form.saveMore')));
      return view.page.getByRole('menu');
    },
  },
  { of: ['form/item-actions.tsx ConfirmDialog'], at: ITEM, open: byButton('shell.delete') },
  {
    of: ['form/group.tsx Accordion'],
    kind: 'part',
    at: ITEM,
    async open(view) {
      const group = view.page.locator('.MuiAccordion-root');
      await view.press(group.getByRole('button'));
      await inField(view, 'remark').getByRole('textbox').waitFor();
      return group;
    },
  },
  {
    of: [],
    kind: 'part',
    at: '/content/book/+',
    async open(view) {
      await inField(view, 'price').getByRole('textbox').fill('12');
      await view.button(view.say('shell.save')).click();
      await view.page.getByText(view.say('form.required')).waitFor();
      return whole(view);
    },
  },
  {
    of: ['history/history-drawer.tsx SideDrawer'],
    at: ITEM,
    async open(view) {
      const drawer = await byButton('history.history')(view);
      const change = drawer.getByRole('button', { name: view.say('history.update') });
      await change.first().press('Enter');
      await drawer.locator('ins').first().waitFor();
      return drawer;
    },
  },
  {
    of: ['history/history-drawer.tsx ConfirmDialog'],
    at: ITEM,
    async open(view) {
      const drawer = await byButton('history.history')(view);
      const made = drawer.getByRole('button', { name: view.say('history.create') });
      await made.press('Enter');
      await view.press(view.button(view.say('history.revert')));
      await view.page.getByRole('dialog', { name: view.say('history.revertTitle') }).waitFor();
      return dialog(view);
    },
  },
  {
    of: ['history/comments-drawer.tsx SideDrawer'],
    at: ITEM,
    async open(view) {
      const drawer = await byButton('history.comments')(view);
      await drawer.getByRole('listitem').waitFor();
      return drawer;
    },
  },
  {
    of: ['history/comments-drawer.tsx ConfirmDialog'],
    at: ITEM,
    async open(view) {
      const drawer = await byButton('history.comments')(view);
      const comment = drawer.getByRole('listitem');
      await view.press(comment.getByRole('button', { name: view.say('shell.delete') }));
      await view.page.getByRole('dialog', { name: view.say('history.deleteComment') }).waitFor();
      return dialog(view);
    },
  },
];

const OF_CONTROLS: readonly Opening[] = [
  ...(
    [
      ['interface/choice.tsx Autocomplete', 'status'],
      ['interface/tags.tsx Autocomplete', 'words'],
      ['interface/icon-choice.tsx Autocomplete', 'symbol'],
      ['interface/suggestion.tsx Autocomplete', 'shelf'],
      ['relation/to-one.tsx Autocomplete', 'publisher'],
    ] as const
  ).map(([of, field]): Opening => ({ of: [of], kind: 'choices', at: ITEM, open: byField(field) })),
  {
    of: ['interface/list.tsx Autocomplete'],
    kind: 'part',
    at: '/content/review/1',
    async open(view) {
      const field = inField(view, 'labels');
      await field.getByRole('combobox').fill('first,second,');
      await field.getByText('second').waitFor();
      return field;
    },
  },
  {
    of: ['relation/to-one.tsx ItemDrawer', 'relation/item-drawer.tsx Drawer'],
    at: ITEM,
    async open(view) {
      await view.press(view.button(view.say('relation.editItem', { name: 'Insel' })));
      await dialog(view).getByLabel('Name').waitFor();
      return dialog(view);
    },
  },
  {
    of: ['relation/item-drawer.tsx ConfirmDialog'],
    at: ITEM,
    async open(view) {
      await view.press(view.button(view.say('relation.editItem', { name: 'Insel' })));
      const drawer = dialog(view);
      await drawer.getByLabel('Name').fill('Insel Verlag');
      await view.press(drawer.getByRole('button', { name: view.say('shell.cancel') }));
      await view.page.getByRole('dialog', { name: view.say('shell.unsavedTitle') }).waitFor();
      return dialog(view);
    },
  },
  {
    of: [],
    at: ITEM,
    async open(view) {
      await view.press(
        inField(view, 'blocks').getByRole('button', { name: view.say('relation.create') }),
      );
      return view.page.getByRole('menu');
    },
  },
  {
    of: ['relation/to-many.tsx ItemDrawer'],
    at: ITEM,
    async open(view) {
      await view.press(
        inField(view, 'reviews').getByRole('button', { name: view.say('relation.create') }),
      );
      await dialog(view).getByLabel('Body').waitFor();
      return dialog(view);
    },
  },
  {
    of: ['relation/to-many.tsx PickerDialog', 'relation/picker-dialog.tsx Dialog'],
    at: ITEM,
    async open(view) {
      await view.press(
        inField(view, 'reviews').getByRole('button', { name: view.say('relation.add') }),
      );
      await dialog(view).getByRole('checkbox').first().waitFor();
      return dialog(view);
    },
  },
  {
    of: ['files/file-field.tsx ItemDrawer'],
    at: ITEM,
    async open(view) {
      await view.press(view.button(view.say('file.details')));
      await dialog(view).locator('[data-field=title]').waitFor();
      return dialog(view);
    },
  },
  {
    of: ['files/file-field.tsx PickerDialog'],
    at: '/content/book/2',
    async open(view) {
      await view.press(view.button(view.say('file.library')));
      await dialog(view).getByRole('img').or(dialog(view).getByRole('button')).first().waitFor();
      return dialog(view);
    },
  },
];

/** Somebody else saves the item meanwhile. */
function ofTwo({ fetch }: Cluster): readonly Opening[] {
  let changes = 0;
  return [
    {
      of: ['form/item-form.tsx ConflictDialog', 'draft/conflict-dialog.tsx Dialog'],
      at: ITEM,
      async open(view) {
        view.tab.expectStatus(412, '/items/book/1');
        await title(view).fill('Mine');
        changes += 1;
        const theirs = { title: `Theirs ${changes}`, price: changes };
        await fetch('/items/book/1', { method: 'PATCH', body: JSON.stringify(theirs) });
        await view.press(view.button(view.say('shell.save')));
        return dialog(view);
      },
    },
  ];
}

/** A folder of the library with a file in it. */
async function makeLibrary({ fetch }: Cluster) {
  const body = JSON.stringify({ name: 'Letters' });
  const made = await fetch('/folders', { method: 'POST', body });
  const folder: string = JSON.parse(await made.text()).data.id;
  const form = new FormData();
  form.set('folder', folder);
  form.set('file', new File(['A note to read'], 'note.txt', { type: 'text/plain' }));
  const stored = await fetch('/files', { method: 'POST', body: form });
  const file: string = JSON.parse(await stored.text()).data.id;
  return { folder, file };
}

/** What opens in the library of files. */
async function ofLibrary(cluster: Cluster): Promise<readonly Opening[]> {
  const { folder, file } = await makeLibrary(cluster);
  const at = `/files?folder=${folder}`;
  let changes = 0;
  const selected =
    (key: string): Opening['open'] =>
    async (view) => {
      await view.page.getByRole('checkbox', { name: view.say('files.select') }).check();
      await view.press(view.button(view.say(key)).last());
      return dialog(view);
    };
  return [
    { of: ['files/folder-dialog.tsx Dialog'], at, open: byButton('files.newFolder') },
    {
      of: ['files/delete-folder.tsx ConfirmDialog'],
      at,
      async open(view) {
        const question = await byButton('files.deleteFolder')(view);
        await question.getByRole('radio').first().waitFor();
        return question;
      },
    },
    { of: ['files/file-selection.tsx Dialog'], at, open: selected('files.move') },
    { of: ['files/file-selection.tsx ConfirmDialog'], at, open: selected('shell.delete') },
    {
      of: ['files/file-form.tsx ConfirmDialog'],
      at: `/files/${file}`,
      open: byButton('shell.delete'),
    },
    {
      of: ['files/file-form.tsx ConflictDialog'],
      at: `/files/${file}`,
      async open(view) {
        view.tab.expectStatus(412, '/files/');
        await view.page.getByLabel(view.say('files.field_title')).fill('Mine');
        changes += 1;
        const body = JSON.stringify({ title: `Theirs ${changes}` });
        await cluster.fetch(`/files/${file}`, { method: 'PATCH', body });
        await view.press(view.button(view.say('shell.save')));
        return dialog(view);
      },
    },
  ];
}

t.test('what opens in forms', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeBookshop });
  const library = await ofLibrary(app.cluster);
  const openings = [...OF_FORMS, ...OF_CONTROLS, ...ofTwo(app.cluster), ...library];
  t.strictSame(
    openersOf((folder) => FOLDERS.includes(folder)),
    shownBy(openings),
    'all that the source can open is opened here',
  );
  const tab = await app.newPage({ reducedMotion: 'reduce' });
  await tab.signIn();
  await holdOpenings(t, app, tab, openings);
  t.strictSame(tab.faults, []);
});
