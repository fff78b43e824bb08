/** New fields with their rules and indexes in the Admin App, and windows that hear of changes of the schema. */
import t from 'tap';
import { startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const skip = browser === null && 'no browser starts here';

t.test('two windows and a new field', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, {
    workers: 1,
    async prepare({ fetch }) {
      const title = { field: 'title', type: 'string', schema: {}, meta: { interface: 'input' } };
      const answer = await fetch('/collections', {
        method: 'POST',
        body: JSON.stringify({ collection: 'article', schema: {}, meta: {}, fields: [title] }),
      });
      t.equal(answer.status, 200);
      const items = await fetch('/items/article', {
        method: 'POST',
        body: JSON.stringify({ title: 'First' }),
      });
      t.equal(items.status, 200);
    },
  });
  const { db, fetch } = app.cluster;
  const model = await app.newPage();
  await model.signIn();
  const content = await app.newTab(model);
  await content.open('/content/article/1');
  await content.page.getByRole('textbox', { name: 'Title' }).fill('Half a sentence');

  await t.test('a field is made with its rules and its index, as one change', async (t) => {
    const { page } = model;
    await model.open('/model/collections/article/new-field');
    await page.getByText('Name the field first').waitFor();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('subtitl');
    await page.getByRole('switch', { name: 'Required' }).check();
    const validation = page.getByRole('region', { name: 'Validation' });
    await validation.getByRole('button', { name: 'Add condition', exact: true }).click();
    const rule = validation.getByRole('group', { name: 'Condition', exact: true });
    await rule.getByLabel('Field', { exact: true }).selectOption('subtitl');
    await rule.getByLabel('Comparison').selectOption('_nnull');
    await page.getByLabel('Validation message').fill('It needs a subtitle');
    const conditions = page.getByRole('region', { name: 'Conditions' });
    await conditions.getByRole('button', { name: 'Add condition' }).click();
    await conditions.getByLabel('Name of the condition').fill('Without a title');
    // Without its rule it would always hold.
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await conditions.getByText('Add a condition.', { exact: true }).waitFor();
    t.strictSame(await model.axe(), [], 'what is missing is marked accessibly');
    await conditions.getByRole('button', { name: 'Add condition', exact: true }).first().click();
    const when = conditions.getByRole('group', { name: 'Condition', exact: true });
    await when.getByLabel('Field', { exact: true }).selectOption('title');
    await when.getByLabel('Comparison').selectOption('_null');
    await conditions.getByRole('switch', { name: 'Hidden' }).check();
    // The rules follow its name.
    await name.fill('subtitle');
    await page.getByRole('switch', { name: 'Index' }).check();
    await page.getByRole('switch', { name: 'Build the index without blocking writes' }).check();
    t.strictSame(await model.axe(), [], 'the form is accessible');
    await model.screenshot('new-field');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    t.match((await sent).url(), /fields\/article\?concurrentIndexCreation=true/);
    await page.getByRole('link', { name: 'Subtitle' }).waitFor();
    t.match(await (await fetch('/fields/article/subtitle')).json(), {
      data: {
        meta: {
          required: true,
          validation: { subtitle: { _nnull: true } },
          validation_message: 'It needs a subtitle',
          conditions: [{ name: 'Without a title', hidden: true, rule: { title: { _null: true } } }],
        },
      },
    });
    await until(async () => {
      const shown = await (await fetch('/fields/article/subtitle')).text();
      return shown.includes('"is_indexed":true');
    }, 'the index is built');
  });

  await t.test('the other window shows it, and keeps what was typed', async (t) => {
    const { page } = content;
    t.equal(await page.getByRole('textbox', { name: 'Subtitle' }).count(), 0);
    // As when one comes back to it; it asks each minute, too.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('textbox', { name: 'Subtitle' }).waitFor();
    t.equal(
      await page.getByRole('textbox', { name: 'Title', exact: true }).inputValue(),
      'Half a sentence',
    );
    t.equal(await page.getByText('Another user').count(), 0, 'nobody has changed the item');
    await page.getByRole('textbox', { name: 'Subtitle' }).fill('Now there');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Saved' }).waitFor();
    t.match(await (await fetch('/items/article/1')).json(), {
      data: { title: 'Half a sentence', subtitle: 'Now there' },
    });
    await content.screenshot('followed');
  });
  await t.test('an index that is being built, and one that never was', async (t) => {
    const { page } = model;
    await fetch('/items/article', { method: 'POST', body: JSON.stringify({ title: 'First' }) });
    const other = await db.connect();
    let released = false;
    t.teardown(() => released || other.release(true));
    // Who writes to the table is waited for.
    await other.query('BEGIN');
    await other.query('UPDATE article SET title = title');
    await model.open('/model/collections/article/fields/title');
    await page.getByRole('switch', { name: 'Index' }).check();
    await page.getByRole('switch', { name: 'Build the index without blocking writes' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const title = page.getByRole('listitem').filter({ hasText: 'Title' });
    await title.getByRole('img', { name: 'Building index' }).waitFor();
    await model.screenshot('building-in-list');
    await page.getByRole('link', { name: 'Title', exact: true }).click();
    const built = page.getByText('The index is being built');
    await built.waitFor();
    await model.screenshot('building');
    t.strictSame(await model.axe(), [], 'that is told accessibly');
    await other.query('ROLLBACK');
    other.release();
    released = true;
    await built.waitFor({ state: 'detached' });
    t.equal(await page.getByRole('switch', { name: 'Index' }).isChecked(), true);

    await db.query(`UPDATE article SET subtitle = 'the same'`);
    const twice = 'CREATE UNIQUE INDEX CONCURRENTLY by_hand ON article (subtitle)';
    await t.rejects(db.query(twice), 'there are values twice');
    await until(async () => {
      const shown = await (await fetch('/fields/article/subtitle')).text();
      return shown.includes('"index_state":"invalid"');
    }, 'it is noticed');
    await model.open('/model/collections/article/fields/subtitle');
    await page.getByText('The index of this field is incomplete').waitFor();
    await model.screenshot('invalid');
  });
  t.strictSame(model.faults, []);
  t.strictSame(content.faults, []);
});
