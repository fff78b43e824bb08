/** The fields of forms in the Admin App: a control for every type, widths, groups, conditions, faults. */
import t from 'tap';
import { DESKTOP, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

const field = (name: string, type: string, meta: object = {}, schema: object | null = {}) => ({
  field: name,
  type,
  schema,
  meta: { width: 'half', ...meta },
});

const CHOICES = {
  choices: [
    { text: 'A draft', value: 'draft' },
    { text: 'Published', value: 'published' },
  ],
};

const THING = {
  collection: 'thing',
  schema: {},
  meta: {},
  fields: [
    field('name', 'string', {
      interface: 'input',
      required: true,
      translations: [{ language: 'de-DE', translation: 'Bezeichnung' }],
      note: 'What it is called',
    }),
    field(
      'status',
      'string',
      { interface: 'select-dropdown', options: CHOICES },
      { default_value: 'draft' },
    ),
    field('reason', 'string', {
      width: 'half-right',
      conditions: [{ rule: { status: { _neq: 'published' } }, hidden: true }],
    }),
    field('story', 'text', { interface: 'input-rich-text-md', width: 'full' }),
    field('page', 'text', { interface: 'input-rich-text-html', width: 'fill' }),
    field('notes', 'text', { interface: 'input-multiline' }),
    field('program', 'text', { interface: 'input-code' }),
    field(
      'numbers',
      'alias',
      { interface: 'group-detail', special: ['alias', 'no-data', 'group'], width: 'full' },
      null,
    ),
    field('amount', 'integer', {
      group: 'numbers',
      validation: { amount: { _gte: 3 } },
      validation_message: 'At least three, please.',
    }),
    field('huge', 'bigInteger', { group: 'numbers' }),
    field(
      'price',
      'decimal',
      { group: 'numbers', width: 'half-space' },
      { numeric_precision: 30, numeric_scale: 10 },
    ),
    field('ratio', 'float', {
      group: 'numbers',
      interface: 'slider',
      options: { minValue: 0, maxValue: 1, stepInterval: 0.1 },
    }),
    field('active', 'boolean', { interface: 'boolean' }, { default_value: true }),
    field('day', 'date'),
    field('clock', 'time'),
    field('meeting', 'dateTime'),
    field('moment', 'timestamp'),
    field('words', 'csv', { interface: 'tags' }),
    field('labels', 'csv', {
      interface: 'tags',
      options: { presets: ['round', 'square'], allowCustom: false },
    }),
    field('several', 'json', { interface: 'select-multiple-checkbox', options: CHOICES }),
    field('kind', 'string', { interface: 'select-radio', options: CHOICES }),
    field('colour', 'string', { interface: 'select-color' }),
    field('symbol', 'string', { interface: 'select-icon' }),
    field('town', 'string', { interface: 'input-autocomplete' }),
    field('document', 'json'),
    field('identity', 'uuid'),
    field('secret', 'hash', { interface: 'input-hash', special: ['hash', 'conceal'] }),
    field('bytes', 'binary'),
    field('strange', 'string', { interface: 'an-interface-of-others' }),
    field(
      'line',
      'alias',
      {
        interface: 'presentation-divider',
        special: ['alias', 'no-data'],
        options: { title: 'The end' },
        width: 'full',
      },
      null,
    ),
    field(
      'hint',
      'alias',
      {
        interface: 'presentation-notice',
        special: ['alias', 'no-data'],
        options: { text: 'Mind the gap.', color: 'warning' },
        width: 'full',
      },
      null,
    ),
  ],
};

async function makeThing({ fetch }: Cluster): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const made = await fetch('/collections', {
    method: 'POST',
    headers,
    body: JSON.stringify(THING),
  });
  if (!made.ok) throw new Error(await made.text());
  const item = {
    name: 'One',
    huge: '9223372036854775807',
    price: '12345678901234567890.0123456789',
    moment: '2024-02-29T12:34:56.789Z',
    words: ['a', 'b'],
    several: ['draft', 'gone'],
    strange: '  kept as it is ',
    story: '# A title\n\nand **more**',
    page: '<p onclick="alert(1)">Hello <img src="https://example.com/x.png"></p>',
    document: { a: [1, 2] },
    bytes: { type: 'Buffer', data: [1, 2, 3] },
    secret: 'hush',
  };
  const sent = await fetch('/items/thing', { method: 'POST', headers, body: JSON.stringify(item) });
  if (!sent.ok) throw new Error(await sent.text());
}

/** Runs in the page: whether the focus is in the control of a field. */
const focusIsIn = (field: string) =>
  `document.activeElement?.closest('[data-field]')?.getAttribute('data-field') === '${field}'`;

t.test('every type has a control, and its value stays exact', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    prepare: makeThing,
    workers: 1,
    env: { WEBSOCKETS_ENABLED: 'true' },
  });
  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await tab.open('/content/thing/1');
  const box = (name: string) => page.getByRole('textbox', { name, exact: true });

  t.equal(await box('Huge').inputValue(), '9223372036854775807');
  t.equal(await box('Price').inputValue(), '12345678901234567890.0123456789');
  t.equal(
    await box('Strange').inputValue(),
    '  kept as it is ',
    'an unknown interface keeps the value',
  );
  t.equal(await page.getByLabel('Secret').inputValue(), '', 'a secret is not shown');
  await page.getByRole('button', { name: 'b', exact: true }).waitFor();
  await page.getByText('3 bytes').waitFor();
  await page.getByText('Mind the gap.').waitFor();
  t.equal(await box('Reason').count(), 0, 'a condition hides a field');
  const [left, right]: { x: number; y: number }[] = await page.evaluate(
    `['amount', 'huge'].map((name) =>
      document.querySelector('[data-field=' + name + ']').getBoundingClientRect().toJSON())`,
  );
  t.equal(left?.y, right?.y, 'two halves stand beside each other');
  t.ok((left?.x ?? 0) < (right?.x ?? 0));
  await tab.screenshot('fields');
  t.strictSame(await tab.axe(), [], 'the form is accessible');

  // Only what is changed is sent.
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Published' }).click();
  await box('Reason').fill('because');
  await page.getByRole('checkbox', { name: 'Published' }).check();
  await box('Huge').fill('9223372036854775806');
  await page.getByRole('group', { name: 'Page' }).getByRole('button', { name: 'Preview' }).click();
  await page.getByText('Hello').waitFor();
  const saving = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  t.strictSame((await saving).postDataJSON(), {
    status: 'published',
    reason: 'because',
    several: ['draft', 'published', 'gone'],
    huge: '9223372036854775806',
  });
  await page.getByText('Saved').waitFor();
  t.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);

  // What is typed to find a choice is kept when the form is drawn again.
  const typing = { Labels: 'squ', Status: 'dra' };
  for (const [name, text] of Object.entries(typing)) {
    const choice = page.getByRole('combobox', { name, exact: true });
    await choice.fill(text);
    const seen = await box('Strange').inputValue();
    const body = JSON.stringify({ strange: `${seen}x` });
    await app.cluster.fetch('/items/thing/1', { method: 'PATCH', body });
    await until(async () => (await box('Strange').inputValue()) === `${seen}x`, 'the form is new');
    t.equal(await choice.inputValue(), text, name);
    await choice.press('Tab');
  }

  // What the server says stands at its field, which gets the focus.
  tab.expectStatus(400, '/items/thing');
  await box('Amount').fill('2');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('At least three, please.').waitFor();
  await until(() => page.evaluate(focusIsIn('amount')), 'the focus is at the fault');
  await tab.screenshot('fault');
  await box('Amount').fill('3');
  await page.getByText('At least three, please.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved').waitFor();

  // A field that is needed and empty is said before anything is sent.
  await tab.open('/content/thing/+');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('This field needs a value.').waitFor();
  await until(() => page.evaluate(focusIsIn('name')), 'the focus is at what is missing');
  await page.keyboard.type('Two');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Thing: Two' }).waitFor();

  // Dark, on a phone, in German; then from right to left.
  const prefer = (column: string, value: string) =>
    app.cluster.db.query(`UPDATE system_users SET ${column} = $1`, [value]);
  await prefer('language', 'de-DE');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize(PHONE);
  await tab.open('/content/thing/1');
  await page.getByLabel('Bezeichnung').waitFor();
  await page.getByRole('button', { name: 'Speichern', exact: true }).waitFor();
  // A number is typed as Germans write it.
  const price = page.getByLabel('Price');
  await price.fill('1.234,50');
  t.equal(await price.inputValue(), '1.234,50', 'what was typed stays');
  await page.getByRole('button', { name: 'Speichern', exact: true }).click();
  await page.getByText('Gespeichert').waitFor();
  const { rows: numbers } = await app.cluster.db.query('SELECT price FROM thing WHERE id = 1');
  t.equal(Number(numbers[0]?.price), 1234.5);
  const tooWide = () =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  t.equal(await tooWide(), 0, 'nothing is wider than a phone');
  await tab.screenshot('fields-phone-dark');
  t.strictSame(await tab.axe(), [], 'the dark form is accessible');
  await page.setViewportSize(DESKTOP);
  await prefer('text_direction', 'rtl');
  await tab.open('/content/thing/1');
  await page.getByLabel('Bezeichnung').waitFor();
  const isRtl = "document.documentElement.dir === 'rtl'";
  await until(() => page.evaluate(isRtl), 'it is written from right to left');
  await tab.screenshot('fields-right-to-left');
  t.equal(await tooWide(), 0, 'nothing is wider than the page');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
