/** Filters of the Admin App for a column of every type, with every kind of operator, by clicking. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';
const ID = '0b9d6a0c-5a3e-4c43-9d8b-5b1d4b0f8a11';

/** A value of each column, as somebody types it. */
const VALUES: Readonly<Record<string, string>> = {
  ...{
    a_string: 'word',
    a_text: 'words',
    a_csv: 'a,b',
    an_integer: '7',
    a_big_integer: '9007199254740993',
  },
  ...{
    a_decimal: '1.50',
    a_float: '0.5',
    a_boolean: 'true',
    a_date: '2024-01-02',
    a_time: '10:00',
  },
  ...{ a_date_time: '2024-01-02T10:00', a_timestamp: '2024-01-02T10:00', a_uuid: ID },
  ...{ some_json: '', an_address: '08:00:2b:01:02:03' },
};

async function makeThings({ db, fetch }: Cluster): Promise<void> {
  await db.query(`
    CREATE TABLE kind (id serial PRIMARY KEY, name varchar(80));
    CREATE TABLE thing (
      id serial PRIMARY KEY, a_string varchar(80), a_text text, a_csv text, an_integer integer,
      a_big_integer bigint, a_decimal numeric(8, 2), a_float double precision, a_boolean boolean,
      a_date date, a_time time, a_date_time timestamp, a_timestamp timestamptz, a_uuid uuid,
      some_json json, an_address macaddr, kind integer REFERENCES kind
    );
    INSERT INTO kind (name) VALUES ('large'), ('small');
    INSERT INTO thing (a_string, a_text, a_csv, an_integer, a_big_integer, a_decimal, a_float, a_boolean,
      a_date, a_time, a_date_time, a_timestamp, a_uuid, some_json, an_address, kind)
    VALUES ('word', 'words', 'a,b', 7, 9007199254740993, 1.5, 0.5, true, '2024-01-02', '10:00',
      '2024-01-02 10:00', '2024-01-02 10:00Z', '${ID}', '{"a": 1}', '08:00:2b:01:02:03', 1);
    INSERT INTO thing (kind) VALUES (2);
    INSERT INTO system_collections (collection) VALUES ('kind'), ('thing');
    INSERT INTO system_fields (collection, field, special, interface)
    VALUES ('thing', 'a_csv', 'cast-csv', NULL), ('kind', 'things', 'o2m', 'list-o2m');
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
    VALUES ('thing', 'kind', 'kind', 'things');
  `);
  await until(
    async () => (await fetch('/items/kind?fields=id,count(things)')).ok,
    'the relation is served',
  );
}

t.test('somebody who filters', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { prepare: makeThings });
  const tab = await app.newPage({ timezoneId: 'UTC' });
  const { page } = tab;
  await tab.signIn();
  const condition = page.getByRole('group', { name: 'Condition', exact: true });
  const comparison = condition.getByLabel('Comparison');
  const begin = async (collection: string) => {
    await tab.open(`/content/${collection}`);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
  };
  const choices = (label: string): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll('select[aria-label="${label}"] option')].map(({ value }) => value)`,
    );
  /** Waits until the list has been asked for with the operator, and yields how it was answered. */
  const asked = async (field: string, operator: string, act: () => Promise<unknown>) => {
    const [answer] = await Promise.all([
      page.waitForResponse((response) => {
        const filter = new URL(response.url()).searchParams.get('filter') ?? '';
        return filter.includes(`{"${field}":{"${operator}":`);
      }),
      act(),
    ]);
    return answer;
  };
  const enter = async (value: string) => {
    const from = condition.getByLabel('From');
    if (await from.isVisible()) {
      await from.fill(value);
      await condition.getByLabel('To').fill(value);
      return;
    }
    const input = condition.getByLabel('Value');
    if (!(await input.isVisible())) return;
    if ((await condition.locator('select[aria-label=Value]').count()) > 0)
      await input.selectOption(value);
    else {
      await input.fill(value);
      if ((await input.getAttribute('role')) === 'combobox') await input.press('Enter');
    }
  };

  await t.test('every type, with every kind of operator', async (t) => {
    await begin('thing');
    const fields = await choices('Field');
    t.strictSame(
      fields.filter((field) => field !== '').sort(),
      [...Object.keys(VALUES), 'id', 'kind'].sort(),
      'every column is offered',
    );
    const seen = new Set<string>();
    for (const [field, value] of Object.entries(VALUES)) {
      await condition.getByLabel('Field', { exact: true }).selectOption(field);
      // What the type takes is held by a test without a browser: here each kind of control is used.
      const operators = await choices('Comparison');
      const kinds = operators.filter((name) => ['_eq', '_in', '_between', '_null'].includes(name));
      const others = operators.filter((name) => !seen.has(name) && !kinds.includes(name));
      for (const operator of [...kinds, ...others]) {
        seen.add(operator);
        const answer = await asked(field, operator, async () => {
          await comparison.selectOption(operator);
          await enter(value);
        });
        t.equal(answer.status(), 200, `${field} ${operator}`);
        const { data }: { data: readonly { id: number }[] } = await answer.json();
        if (['_eq', '_in', '_between'].includes(operator)) {
          t.strictSame(
            data.map(({ id }) => id),
            [1],
            `${field} ${operator} finds it`,
          );
        }
        // The next one begins without a value.
        await condition.getByLabel('Field', { exact: true }).selectOption('');
        await condition.getByLabel('Field', { exact: true }).selectOption(field);
      }
    }
    t.comment([...seen].join(' '));
    t.strictSame(await tab.axe(), [], 'the filter is accessible');
  });

  await t.test('what is typed while the list is read again', async (t) => {
    const devtools = await page.context().newCDPSession(page);
    await begin('thing');
    await condition.getByLabel('Field', { exact: true }).selectOption('a_string');
    await comparison.selectOption('_contains');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 12 });
    const text = 'a word that is typed slowly';
    const value = condition.getByLabel('Value');
    for (const key of text) {
      await value.press(key === ' ' ? 'Space' : key);
      // As long as the list waits for the next key.
      await page.evaluate('new Promise((go) => setTimeout(go, 300))');
    }
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    t.equal(await value.inputValue(), text, 'nothing of it is lost');
    await until(
      async () => new URL(page.url()).searchParams.get('filter')?.includes(text),
      'the list follows',
    );
    t.equal(await value.inputValue(), text, 'nor when the list has followed');
  });

  await t.test('related items: one, some, none, and how many', async (t) => {
    await page.getByRole('button', { name: 'Remove all' }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await condition.getByLabel('Field', { exact: true }).selectOption('kind');
    await condition.getByLabel('Comparison').selectOption('_eq');
    await condition.getByLabel('Value').fill('sma');
    const chosen = await asked('kind', '_eq', () =>
      page.getByRole('option', { name: 'small' }).click(),
    );
    t.equal((await chosen.json()).data.length, 1);
    await tab.screenshot('related-item');

    await begin('kind');
    await condition.getByLabel('Field', { exact: true }).selectOption('things');
    await condition.getByLabel('Field of the related item').first().selectOption('an_integer');
    const some = await asked('an_integer', '_gt', async () => {
      await comparison.selectOption('_gt');
      await condition.getByLabel('Value').fill('3');
    });
    t.equal(some.status(), 200);
    await page.getByRole('link', { name: 'large' }).waitFor();
    await condition.getByLabel('Which related items').selectOption('_none');
    await page.getByRole('link', { name: 'small' }).waitFor();
    await condition.getByLabel('Field of the related item').first().selectOption('count()');
    await comparison.selectOption('_eq');
    await condition.getByLabel('Value').fill('1');
    await page.getByText('1 to 2 of 2').waitFor();
    const counted = condition.getByLabel('Field of the related item').locator('option:checked');
    t.equal(await counted.innerText(), 'Number of items');

    // One of two groups is enough.
    await page.getByRole('button', { name: 'Add group' }).first().click();
    await page.getByLabel('Combine conditions with').first().selectOption('any');
    await tab.screenshot('groups');
    t.strictSame(await tab.axe(), [], 'groups are accessible');
  });
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});
