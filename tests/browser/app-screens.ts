/**
 * Every screen of the App, as its routes say: what WCAG 2.2 AA asks for, in light and dark, from right
 * to left, and on a screen that is 320 pixels wide. A route that is not visited here fails.
 */
import { readFileSync } from 'node:fs';
import type { RouteObject } from 'react-router-dom';
import t, { type Test } from 'tap';
import { type AppPage, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import {
  COLOURS,
  focusFaults,
  fromRightInGerman,
  HEAD_FAULTS,
  inGerman,
  namelessControls,
  narrow,
  settled,
  turnDark,
} from './fixture/screen-checks.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

type Ids = Readonly<
  Record<'user' | 'role' | 'policy' | 'job' | 'file' | 'dashboard' | 'panel', string>
>;

/** Where the screen of each route is. */
function screensOf(ids: Ids): Readonly<Record<string, string>> {
  const { user, role, policy, job, file, dashboard, panel } = ids;
  return {
    // The home.
    '': '/',
    '/content': '/content',
    '/content/:collection': '/content/book',
    '/content/:collection/:key': '/content/book/1',
    '/files': '/files',
    '/files/:file': `/files/${file}`,
    '/insights': '/insights',
    '/insights/:dashboard': `/insights/${dashboard}?period=all`,
    '/insights/:dashboard/:panel': `/insights/${dashboard}/${panel}`,
    '/model/collections': '/model/collections',
    '/model/picture': '/model/picture',
    '/model/snapshots': '/model/snapshots',
    '/model/new-collection': '/model/new-collection',
    '/model/collections/:collection': '/model/collections/book',
    '/model/collections/:collection/settings': '/model/collections/book/settings',
    '/model/collections/:collection/new-field': '/model/collections/book/new-field',
    '/model/collections/:collection/new-relation': '/model/collections/book/new-relation',
    '/model/collections/:collection/fields/:field': '/model/collections/book/fields/publisher',
    '/imports': '/imports',
    '/imports/:job': `/imports/${job}`,
    '/access/users': '/access/users',
    '/access/users/:user': `/access/users/${user}`,
    '/access/users/:user/rights': `/access/users/${user}/rights`,
    '/access/roles': '/access/roles',
    '/access/roles/:role': `/access/roles/${role}`,
    '/access/policies': '/access/policies',
    '/access/policies/:policy': `/access/policies/${policy}`,
    '/operations/overview': '/operations/overview',
    '/operations/jobs': '/operations/jobs',
    '/operations/jobs/:job': `/operations/jobs/${job}`,
    '/operations/queues': '/operations/queues',
    '/operations/health': '/operations/health',
    '/operations/activity': '/operations/activity',
    '/operations/limits': '/operations/limits',
    '/settings': '/settings',
  };
}

/** Those of `routes.tsx` itself, which Node cannot read as a module. */
const OTHER_SCREENS: Readonly<Record<string, string | null>> = {
  'sign-in': '/sign-in',
  'forgotten-password': '/forgotten-password',
  'reset-password': '/reset-password?token=unknown',
  'accept-invite': '/accept-invite?token=unknown',
  register: '/register',
  // One's own, visited with those of the sections.
  profile: null,
  // These lead elsewhere.
  login: null,
  'users/:user': null,
  // Nothing is there, which is a screen, too.
  '*': '/nowhere',
};

/** The sections as the App has them; their screens are no modules of Node. */
async function sections(): Promise<readonly { readonly routes: readonly RouteObject[] }[]> {
  const source = new URL('../../ops/app/source/sections.ts', import.meta.url);
  return (await import(source.href)).SECTIONS;
}

/** The addresses of all screens below some routes. */
function addressesOf(routes: readonly RouteObject[], parent = ''): readonly string[] {
  return routes.flatMap(({ path, children }) => {
    const address = path === undefined ? parent : `${parent}/${path}`;
    return children === undefined ? [address] : addressesOf(children, address);
  });
}

async function makeContent({ db, fetch }: Cluster): Promise<Ids> {
  await db.query(`
    CREATE TABLE publisher (id serial PRIMARY KEY, name varchar(80) NOT NULL);
    CREATE TABLE book (
      id serial PRIMARY KEY, title varchar(200) NOT NULL, publisher integer REFERENCES publisher,
      price numeric(8, 2), since date, sold boolean NOT NULL DEFAULT false, about text, data json
    );
    CREATE TABLE review (id serial PRIMARY KEY, body text, book integer REFERENCES book);
    INSERT INTO publisher (name) VALUES ('Insel'), ('Suhrkamp');
    INSERT INTO book (title, publisher, price, since, about)
    SELECT 'Collected and uncollected poems, volume ' || n, 1 + n % 2, n, date '2020-01-01' + n,
      'About ' || n
    FROM generate_series(1, 30) n;
    INSERT INTO review (body, book) VALUES ('Good', 1), ('Better', 1);
    INSERT INTO system_fields (collection, field, special, interface)
    VALUES ('book', 'reviews', 'o2m', 'list-o2m');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('review', 'book', 'book', 'reviews');
  `);
  await until(
    async () => (await fetch('/items/book?fields=id,count(reviews)')).ok,
    'the relation is served',
  );
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text).data.id;
  };
  const policy = await post('/policies', { name: 'Editing', app_access: true });
  await post('/permissions', { policy, collection: 'book', action: 'read', fields: ['title'] });
  const role = await post('/roles', { name: 'Editors' });
  await post('/access', { role, policy });
  const user = await post('/users', { email: 'editor@example.com', first_name: 'Edith', role });
  const dashboard = await post('/dashboards', { name: 'Books', note: 'All of them' });
  const place = { dashboard, position_x: 1, width: 6, height: 4 };
  const since = { collection: 'book', dateField: 'since' };
  const panel = await post('/panels', {
    ...{ ...place, type: 'time-series', name: 'Books by month', position_y: 1, options: since },
  });
  const byPublisher = { collection: 'book', groupField: 'publisher' };
  await post('/panels', { ...place, type: 'bar-chart', position_y: 5, options: byPublisher });
  await post('/panels', { ...place, type: 'metric', position_y: 9, options: since });
  await post('/panels', { ...place, type: 'list', position_y: 13, options: since });
  const variable = { variable: 'least', otherwise: '5' };
  await post('/panels', { ...place, type: 'variable', position_y: 1, options: variable });
  const form = new FormData();
  form.set('file', new File(['title,price\nA,1\nB,cheap\n'], 'bad.csv', { type: 'text/csv' }));
  const refused = await fetch('/utils/import/book', { method: 'POST', body: form });
  await refused.arrayBuffer();
  const jobs = await fetch('/jobs?filter[kind][_eq]=import');
  const note = new FormData();
  note.set('file', new File(['A note to read'], 'note.txt', { type: 'text/plain' }));
  const stored = await fetch('/files', { method: 'POST', body: note });
  const file: string = JSON.parse(await stored.text()).data.id;
  const job: string = JSON.parse(await jobs.text()).data[0].id;
  return { user, role, policy, file, job, dashboard, panel };
}

t.test('every screen', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1 });
  const ids = await makeContent(app.cluster);
  const screens = screensOf(ids);
  const addresses = (await sections()).flatMap(({ routes }) => addressesOf(routes));
  t.strictSame(addresses.toSorted(), Object.keys(screens).toSorted(), 'each route is visited');
  const routes = readFileSync(new URL('../../ops/app/source/routes.tsx', import.meta.url), 'utf8');
  const others = [...routes.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path);
  t.strictSame(
    others.toSorted(),
    Object.keys(OTHER_SCREENS).toSorted(),
    'and each that has no section',
  );
  const open = Object.entries(OTHER_SCREENS).flatMap(([route, path]) =>
    path === null || route === '*' ? [] : [path],
  );

  let seen: readonly string[] = [];
  const visit = async (t: Test, tab: AppPage, path: string) => {
    const { page } = tab;
    await page.emulateMedia({ colorScheme: 'light' });
    await tab.open(path);
    await settled(tab);
    const head: readonly string[] = await page.evaluate(HEAD_FAULTS);
    const focus = await page.evaluate<{ faults: string[]; known: string[] }>(focusFaults(seen));
    seen = focus.known;
    const faults = [
      ...head,
      ...focus.faults,
      ...(await namelessControls(tab)),
      ...(await tab.axe()),
      // Axe leaves this one to those who ask for WCAG 2.2.
      ...(await tab.axe(['target-size'])),
    ];
    faults.push(...(await narrow(tab)));
    await turnDark(tab);
    const dark = (await tab.axe(COLOURS)).map((fault) => `dark: ${fault}`);
    t.strictSame([...faults, ...dark], [], path);
  };

  await t.test('of somebody who is not signed in', async (t) => {
    const tab = await app.newPage({ reducedMotion: 'reduce' });
    tab.expectStatus(401, '/users/me');
    for (const path of open) await visit(t, tab, path);
    for (const path of ['/login', `/users/${ids.user}`]) {
      await tab.open(path);
      await until(() => tab.page.url().includes('/sign-in'), `${path} leads to signing in`);
    }
    t.strictSame(tab.faults, []);
  });

  const tab = await app.newPage({ reducedMotion: 'reduce' });
  await tab.signIn();
  await t.test('of an administrator', async (t) => {
    for (const path of [...Object.values(screens), '/profile', '/nowhere'])
      await visit(t, tab, path);
    await tab.open(`/users/${ids.user}`);
    const account = `/content/system_users/${ids.user}`;
    await until(() => tab.page.url().endsWith(account), 'a confirmed address leads to the account');
    await settled(tab);
    t.strictSame(tab.faults, []);
  });

  await t.test('in German, from right to left', async (t) => {
    const { page } = tab;
    t.equal(await fromRightInGerman(app.cluster), 200);
    await page.emulateMedia({ colorScheme: 'light' });
    for (const path of [...Object.values(screens), '/profile']) {
      await tab.open(path);
      await inGerman(tab);
      await settled(tab);
      const faults = [...(await tab.axe()), ...(await narrow(tab))];
      t.strictSame(faults, [], path);
    }
    t.strictSame(tab.faults, []);
  });
});
