/**
 * What opens on screens for those who administer: each may be used by everybody, in light, dark, 320
 * pixels wide, and in German from right to left.
 */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { makeMagazine } from './fixture/magazine.ts';
import {
  ADMINISTRATION,
  byButton,
  choices,
  dialog,
  holdOpenings,
  type Opening,
  openersOf,
  shownBy,
  type View,
  whole,
} from './fixture/openings.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const RULES = {
  permissions: {
    _and: [
      { title: { _icontains: 'a' } },
      { _or: [{ status: { _in: ['draft', 'published'] } }, { author: { _eq: '$CURRENT_USER' } }] },
    ],
  },
  validation: { _and: [{ title: { _nempty: true } }] },
  presets: { status: 'draft', author: '$CURRENT_USER' },
  fields: ['title', 'status'],
};

type Ids = Readonly<
  Record<'user' | 'role' | 'policy' | 'job' | 'dashboard' | 'panel' | 'imported' | 'tried', string>
>;

async function makeAccess({ db, fetch }: Cluster): Promise<Ids> {
  const send = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text).data.id;
  };
  const policy = await send('/policies', { name: 'Editing', app_access: true });
  for (const action of ['update', 'read']) {
    await send('/permissions', { policy, collection: 'article', action, ...RULES });
  }
  const role = await send('/roles', { name: 'Editors' });
  await send('/access', { role, policy });
  const person = { email: 'editor@example.com', first_name: 'Edith', role, status: 'active' };
  const user = await send('/users', { ...person, token: 'a token that Edith has' });
  await db.query("UPDATE system_users SET tfa_secret = 'JBSWY3DPEHPK3PXP' WHERE id = $1", [user]);
  const dashboard = await send('/dashboards', { name: 'Articles' });
  const panel = await send('/panels', {
    ...{ dashboard, type: 'metric', name: 'All articles', options: { collection: 'article' } },
    ...{ position_x: 1, position_y: 1, width: 4, height: 3 },
  });
  // An import that can be undone, and a job that has tried that.
  const file = new FormData();
  file.set('file', new File(['title\nA\n'], 'earlier.csv', { type: 'text/csv' }));
  const done = await fetch('/utils/import/article?undo=true', { method: 'POST', body: file });
  const imported = done.headers.get('location')?.split('/').at(-1) ?? '';
  const trial = { method: 'POST', headers: { prefer: 'respond-async' } };
  const accepted = await fetch(`/jobs/${imported}/undo?dryRun`, trial);
  const tried: string = JSON.parse(await accepted.text()).data.id;
  await until(async () => {
    const { data } = JSON.parse(await (await fetch(`/jobs/${tried}`)).text());
    return data.state === 'completed';
  }, 'the undo is tried');
  // A job that waits.
  const paused = await fetch('/queues/transfer/pause', { method: 'POST' });
  if (!paused.ok) throw new Error(await paused.text());
  const form = new FormData();
  form.set('file', new File(['title\nA\n'], 'later.csv', { type: 'text/csv' }));
  fetch('/utils/import/article', { method: 'POST', body: form }).catch(() => undefined);
  const job = await until(async () => {
    const answer = await fetch('/jobs?filter[kind][_eq]=import&filter[state][_eq]=waiting');
    const found: { data: { id: string }[] } = JSON.parse(await answer.text());
    return found.data[0]?.id;
  }, 'the job waits');
  return { user, role, policy, job, dashboard, panel, imported, tried };
}

/** Presses a cell of the matrix. */
const cell = async (view: View, action: string, level: string) => {
  const { say } = view;
  const words = { action: say(`access.action.${action}`), level: say(`access.level.${level}`) };
  await view.press(view.button(say('access.cell', { collection: 'Article', ...words })));
};

function openingsOf(ids: Ids, { fetch }: Cluster): readonly Opening[] {
  const { user, role, policy, job, dashboard, panel, imported, tried } = ids;
  let changes = 0;
  /** Changes a description here and elsewhere, and saves it here. */
  const bothChange =
    (path: string): Opening['open'] =>
    async (view) => {
      view.tab.expectStatus(412, path);
      await view.page.getByLabel(view.say('access.description')).fill('Mine');
      changes += 1;
      const body = JSON.stringify({ description: `Theirs ${changes}` });
      await fetch(path, { method: 'PATCH', body });
      await view.press(view.button(view.say('shell.save')));
      return dialog(view);
    };
  const conflictOfUser: Opening['open'] = async (view) => {
    view.tab.expectStatus(412, '/users/');
    await view.page.getByLabel(view.say('access.user_last_name')).fill('Mine');
    changes += 1;
    const body = JSON.stringify({ last_name: `Theirs ${changes}` });
    await fetch(`/users/${user}`, { method: 'PATCH', body });
    await view.press(view.button(view.say('shell.save')));
    return dialog(view);
  };
  const article = '/model/collections/article';
  return [
    {
      of: ['access/invite-dialog.tsx Dialog'],
      at: '/access/users',
      open: byButton('access.invite'),
    },
    {
      // With its faults.
      of: ['access/invite-dialog.tsx Dialog'],
      at: '/access/users',
      async open(view) {
        const invite = await byButton('access.invite')(view);
        await invite.locator('button[type=submit]').press('Enter');
        await invite.getByText(view.say('access.noAddress')).waitFor();
        return invite;
      },
    },
    {
      of: ['access/permission-matrix.tsx Menu'],
      at: `/access/policies/${policy}`,
      async open(view) {
        await cell(view, 'update', 'custom');
        return view.page.getByRole('menu');
      },
    },
    {
      of: ['access/rule-drawer.tsx SideDrawer'],
      at: `/access/policies/${policy}`,
      async open(view) {
        await cell(view, 'update', 'custom');
        await view.page.getByRole('menuitem', { name: view.say('access.custom') }).press('Enter');
        await dialog(view).getByText(view.say('access.validation')).waitFor();
        return dialog(view);
      },
    },
    {
      of: ['access/delete-button.tsx ConfirmDialog'],
      at: `/access/policies/${policy}`,
      open: byButton('shell.delete'),
    },
    {
      of: ['access/access-form.tsx ConflictDialog'],
      at: `/access/policies/${policy}`,
      open: bothChange(`/policies/${policy}`),
    },
    {
      of: ['access/access-form.tsx ConflictDialog'],
      at: `/access/roles/${role}`,
      open: bothChange(`/roles/${role}`),
    },
    {
      of: ['access/access-form.tsx ConflictDialog'],
      at: `/access/users/${user}`,
      open: conflictOfUser,
    },
    {
      of: ['access/user-security.tsx ConfirmDialog'],
      at: `/access/users/${user}`,
      open: byButton('access.resetFactor'),
    },
    {
      of: ['access/token-dialog.tsx Dialog'],
      kind: 'question',
      at: `/access/users/${user}`,
      async open(view) {
        const question = await byButton('access.renewToken')(view);
        await question
          .getByRole('button', { name: view.say('access.renewConfirm') })
          .press('Enter');
        await view.page.locator('output').waitFor();
        return dialog(view);
      },
    },
    {
      of: ['access/user-rights.tsx SideDrawer'],
      at: `/access/users/${user}/rights`,
      async open(view) {
        await cell(view, 'read', 'custom');
        return dialog(view);
      },
    },
    {
      of: ['model/delete-collection.tsx DeleteDialog', 'model/delete-dialog.tsx Dialog'],
      at: `${article}/settings`,
      open: byButton('shell.delete'),
    },
    {
      of: ['model/delete-field.tsx DeleteDialog'],
      at: `${article}/fields/status`,
      open: byButton('shell.delete'),
    },
    {
      of: ['model/picture/picture-page.tsx Menu'],
      // On a narrow screen the card that opened it may be out of sight, and then is not drawn.
      only: 'wide',
      at: '/model/picture',
      async open(view) {
        const name = view.say('picture.menuOf', { name: 'Article' });
        await view.press(view.button(name));
        return view.page.getByRole('menu');
      },
    },
    {
      of: ['model/picture/picture-page.tsx Autocomplete'],
      kind: 'choices',
      at: '/model/picture',
      async open(view) {
        const search = view.page.getByRole('combobox', { name: view.say('model.search') });
        await view.press(search, 'ArrowDown');
        return choices(view);
      },
    },
    {
      of: ['model/name-dialog.tsx Dialog'],
      at: `${article}/fields/status`,
      open: byButton('model.rename'),
    },
    {
      of: ['model/name-dialog.tsx Dialog'],
      at: `${article}/fields/author`,
      open: byButton('model.showReverse'),
    },
    {
      of: ['model/schema-conflict.tsx ConflictDialog'],
      at: `${article}/fields/status`,
      async open(view) {
        await view.page.getByRole('textbox', { name: view.say('model.member.note') }).fill('Mine');
        changes += 1;
        const body = JSON.stringify({ meta: { note: `Theirs ${changes}` } });
        await fetch('/fields/article/status', { method: 'PATCH', body });
        await view.press(view.button(view.say('shell.save')));
        return dialog(view);
      },
    },
    {
      of: ['model/take-snapshot.tsx Autocomplete'],
      kind: 'choices',
      at: '/model/snapshots',
      async open(view) {
        const chosen = view.page.getByRole('combobox', { name: view.say('model.onlyThese') });
        await view.press(chosen, 'ArrowDown');
        return choices(view);
      },
    },
    {
      of: ['imports/collection-choice.tsx Autocomplete'],
      kind: 'choices',
      at: '/imports',
      async open(view) {
        const chosen = view.page.getByRole('combobox', { name: view.say('imports.collection') });
        await view.press(chosen, 'ArrowDown');
        return choices(view);
      },
    },
    {
      of: ['imports/undo-import.tsx ConfirmDialog'],
      at: `/imports/${imported}`,
      async open(view) {
        // No job runs now, so that the one before answers.
        await view.page.route('**/jobs/*/undo*', (route) =>
          route.fulfill({ status: 202, json: { data: { id: tried } } }),
        );
        await view.press(view.button(view.say('imports.undo.button')));
        return dialog(view);
      },
    },
    {
      of: ['insights/dashboard-dialog.tsx Dialog'],
      at: '/insights',
      open: byButton('insights.newDashboard'),
    },
    {
      of: ['insights/dashboard-page.tsx Menu'],
      at: `/insights/${dashboard}`,
      async open(view) {
        await view.press(view.button(view.say('insights.dashboardMenu')));
        return view.page.getByRole('menu');
      },
    },
    {
      of: ['insights/panel-menu.tsx Menu'],
      at: `/insights/${dashboard}`,
      async open(view) {
        await view.press(view.button(view.say('insights.panelMenu', { title: 'All articles' })));
        return view.page.getByRole('menu');
      },
    },
    {
      of: ['insights/deletion-dialog.tsx ConfirmDialog'],
      at: `/insights/${dashboard}/${panel}`,
      open: byButton('shell.delete'),
    },
    {
      of: ['insights/panel-page.tsx ConflictDialog'],
      at: `/insights/${dashboard}/${panel}`,
      async open(view) {
        const name = view.page.getByRole('textbox', { name: view.say('insights.name') });
        await name.fill('Mine');
        changes += 1;
        const options = { collection: 'article', limit: changes };
        const body = JSON.stringify({ options });
        await fetch(`/panels/${panel}`, { method: 'PATCH', body });
        await view.press(view.button(view.say('shell.save')));
        return dialog(view);
      },
    },
    {
      of: ['insights/collection-field.tsx Autocomplete'],
      kind: 'choices',
      at: `/insights/${dashboard}/+`,
      async open(view) {
        const chosen = view.page.getByRole('combobox', { name: view.say('insights.collection') });
        await view.press(chosen, 'ArrowDown');
        return choices(view);
      },
    },
    {
      of: ['operations/job-actions.tsx ConfirmDialog'],
      at: `/operations/jobs/${job}`,
      open: byButton('operations.cancel.import'),
    },
    {
      of: ['operations/job-bulk.tsx ConfirmDialog'],
      at: '/operations/jobs',
      open: byButton('operations.all.cancel'),
    },
    {
      of: ['operations/queue-page.tsx ConfirmDialog'],
      at: '/operations/queues',
      async open(view) {
        await view.press(view.button(view.say('operations.drain')).first());
        return dialog(view);
      },
    },
    {
      // A fault at a field.
      of: [],
      kind: 'part',
      at: '/access/users/+',
      async open(view) {
        view.tab.expectStatus(400, '/users');
        await view.page.getByLabel(view.say('access.user_email')).fill('nobody');
        await view.button(view.say('shell.save')).click();
        await view.page.locator('[aria-invalid=true]').first().waitFor();
        return whole(view);
      },
    },
  ];
}

t.test('what opens for administrators', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeMagazine });
  const openings = openingsOf(await makeAccess(app.cluster), app.cluster);
  t.strictSame(
    openersOf((folder) => ADMINISTRATION.includes(folder)),
    shownBy(openings),
    'all that the source can open is opened here',
  );
  const tab = await app.newPage({ reducedMotion: 'reduce' });
  await tab.signIn();
  await holdOpenings(t, app, tab, openings);
  t.strictSame(tab.faults, []);
});
