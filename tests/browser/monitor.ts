/** The monitor as an operator uses it: signed in, looking, and clicking on the board. */
import t from 'tap';
import * as v from 'valibot';
import { backends } from '#tests/harness/backend.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import { until } from '#tests/harness/until.ts';
import { dataOf, startInstallation } from '../ops/run/monitor/fixture/installation.ts';

const Queues = v.array(
  v.object({ name: v.string(), state: v.string(), operator: v.nullable(v.string()) }),
);
const browser = await startBrowser(t);

for (const { name: backend, env } of backends)
  t.test(
    `an operator sees a failed job, retries it, and pauses a queue on ${backend}`,
    { skip: browser === null && 'no browser starts here' },
    async (t) => {
      if (browser === null) return;
      const { password, monitorUrl, api, createThings, importFile, newestJob } =
        await startInstallation(t, env);
      t.equal((await createThings()).status, 200);
      const { id } = await importFile('id,name\nx,one\n');
      await until(async () => (await newestJob())?.state === 'failed', 'the import has failed');

      const context = await browser.newContext({
        httpCredentials: { username: 'operator', password },
      });
      t.teardown(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      const faults: string[] = [];
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      page.on('request', (request) => {
        if (!request.url().startsWith(monitorUrl)) faults.push(request.url());
      });
      await page.goto(monitorUrl);
      await page.getByRole('heading', { name: 'Last failures' }).waitFor();
      t.match(await page.locator('#failures').innerText(), id);
      t.match(await page.locator('#failures').innerText(), 'FAILED_VALIDATION');
      t.match(await page.locator('#processes').innerText(), 'worker-1');

      await page.getByRole('link', { name: 'transfer', exact: true }).click();
      await page.getByRole('heading', { name: 'Curves of transfer, last hour' }).waitFor();

      await page.goto(`${monitorUrl}/queues/queue/transfer?status=failed`);
      await page.getByText(id).first().waitFor();
      // The board tells which file and collection a job is about.
      await page
        .getByText(/import things\.csv/)
        .first()
        .waitFor();
      const confirm = async () => {
        const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
        await dialog.getByRole('button', { name: 'Confirm' }).click();
      };
      await page.getByRole('button', { name: 'Retry all' }).click();
      await confirm();
      await until(async () => (await newestJob())?.attempts === 2, 'the job was tried again');
      await page.locator('button[class*="trigger-"][aria-haspopup="menu"]').first().click();
      await page.getByRole('menuitem', { name: 'Pause' }).click();
      await confirm();
      await until(
        async () =>
          (await dataOf(Queues, await api('/queues'))).some(
            ({ name, state, operator }) =>
              name === 'transfer' && state === 'paused' && operator === 'operator',
          ),
        'the queue is paused',
      );
      t.strictSame(faults, [], 'nothing is refused, and nothing of others is loaded');
    },
  );
