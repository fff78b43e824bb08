/** Names of 200 characters without a space, and chosen values that are no longer there, in the Admin App. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { DESKTOP, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const LONG = 'Donaudampfschiff'.repeat(13).slice(0, 200);
const HALF = LONG.slice(0, 100);
const [POLICY, ROLE] = [randomUUID(), randomUUID()];

async function makeHostile({ fetch }: Cluster): Promise<void> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const named = [{ language: 'en-US', translation: LONG }];
  const choices = [{ text: 'Known', value: 'known' }];
  await post('/collections', {
    ...{ collection: 'thing', schema: {}, meta: { translations: named } },
    fields: [
      { field: 'name', type: 'string', schema: {}, meta: { translations: named, note: LONG } },
      ...['select-dropdown', 'select-radio'].map((name) => ({
        ...{ field: name.replace('-', '_'), type: 'string', schema: {} },
        meta: { interface: name, options: { choices } },
      })),
      { field: 'several', type: 'json', schema: {}, meta: { interface: 'tags' } },
      {
        ...{ field: 'boxes', type: 'json', schema: {} },
        meta: { interface: 'select-multiple-checkbox', options: { choices } },
      },
      { field: 'parent', type: 'integer', schema: {}, meta: { interface: 'select-dropdown-m2o' } },
    ],
  });
  await post('/relations', {
    ...{ collection: 'thing', field: 'parent', related_collection: 'thing' },
    ...{ schema: { on_delete: 'SET NULL' }, meta: {} },
  });
  const gone = { select_dropdown: LONG, select_radio: LONG, several: [LONG], boxes: [LONG] };
  await post('/items/thing', { name: LONG, ...gone });
  await post('/items/thing', { name: LONG, ...gone, parent: 1 });
  await post('/policies', { id: POLICY, name: HALF, app_access: true });
  await post('/roles', { id: ROLE, name: HALF });
  await post('/access', { role: ROLE, policy: POLICY });
  const email = `${'a'.repeat(58)}@${'b'.repeat(58)}.example`;
  const person = { first_name: LONG.slice(0, 50), last_name: LONG.slice(0, 50) };
  await post('/users', { email, password: 'a long password', role: ROLE, ...person });
}

/** How much wider than the screen the page is, and which buttons stand outside of it. */
const OUTSIDE = `(() => {
  const width = document.documentElement.clientWidth;
  const root = document;
  // A cell that cuts its own text may stand in a table that scrolls.
  const scrolls = (node) => {
    if (node === null) return false;
    const { overflowX } = getComputedStyle(node);
    const isWide = node.scrollWidth > node.clientWidth;
    if (overflowX === 'hidden') return isWide || scrolls(node.parentElement);
    return ['auto', 'scroll'].includes(overflowX) ? isWide : scrolls(node.parentElement);
  };
  const isSeen = (node) => getComputedStyle(node).visibility === 'visible';
  const hidden = [...root.querySelectorAll('main button, main a[href], [role=dialog] button, nav a[href]')]
    .filter((node) => isSeen(node) && node.offsetParent !== null && !scrolls(node.parentElement))
    .filter((node) => {
      const { left, right } = node.getBoundingClientRect();
      return left < -1 || right > width + 1;
    });
  const wide = document.documentElement.scrollWidth - width;
  return [
    ...(wide > 0 ? [wide + ' px too wide'] : []),
    ...hidden.map((node) => (node.getAttribute('aria-label') ?? node.textContent).slice(0, 60)),
  ];
})()`;

t.test('nothing is wider than the page', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeHostile });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  const screens: readonly [string, string, () => Promise<void>][] = [
    ['list', '/content/thing', () => page.getByText(LONG).nth(1).waitFor()],
    ['form', '/content/thing/2', () => page.getByRole('radio').nth(1).waitFor()],
    ['model', '/model/collections', () => page.getByText(LONG).first().waitFor()],
    ['fields', '/model/collections/thing', () => page.getByText(LONG).nth(1).waitFor()],
    ['field', '/model/collections/thing/fields/name', () => page.getByLabel('Width').waitFor()],
    ['policies', '/access/policies', () => page.getByText(HALF).first().waitFor()],
    ['role', `/access/roles/${ROLE}`, () => page.getByText(HALF).first().waitFor()],
    ['users', '/access/users', () => page.getByText('@bbbb').first().waitFor()],
  ];
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const [name, path, ready] of screens) {
      await tab.open(path);
      await ready();
      await tab.screenshot(`${name}-${size}`);
      t.strictSame(await page.evaluate(OUTSIDE), [], `${name} on a ${size}`);
    }
  }

  await t.test('values that are no longer there stay, until one chooses others', async (t) => {
    await page.setViewportSize(DESKTOP);
    await tab.open('/content/thing/1');
    t.equal(await page.getByRole('combobox', { name: 'Select dropdown' }).inputValue(), LONG);
    await page.getByRole('radio', { name: LONG, checked: true }).waitFor();
    await page.getByRole('checkbox', { name: LONG, checked: true }).waitFor();
    t.strictSame(await tab.axe(), [], 'the form is accessible');
    await page.getByRole('radio', { name: 'Known' }).check();
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    t.strictSame((await sent).postDataJSON(), { select_radio: 'known' });
    await page.getByRole('alert').filter({ hasText: 'Saved' }).waitFor();
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
