/** The Admin App for whoever watches: jobs as they run and end, queues, health, and who did what. */
import t from 'tap';
import { DESKTOP, PHONE, startApp } from '#tests/harness/app.ts';
import { startBrowser } from '#tests/harness/browser.ts';
import type { Cluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const browser = await startBrowser(t);
const DARK = "document.documentElement.style.colorScheme === 'dark'";
const skip = browser === null && 'no browser starts here';

async function makeShop({ db, fetch }: Cluster): Promise<void> {
  await db.query('CREATE TABLE product (id integer PRIMARY KEY, price integer NOT NULL)');
  await until(async () => (await fetch('/items/product?limit=1')).ok, 'the table is served');
}

/** An hour of the queue of imports, as workers record it, with a pause in which none recorded. */
async function recordHour({ db }: Cluster): Promise<void> {
  await db.query(`INSERT INTO system_queue_statistics (length, begun_on, queue, minutes, completed,
      failed, cancelled, "rows", waiting, oldest, durations, longest, reasons, edges, workers)
    SELECT 60, date_trunc('minute', now()) - n * interval '1 minute', 'transfer', 1,
      20 + n % 7, CASE WHEN n % 9 = 0 THEN 2 ELSE 0 END, 0, 60000 + 900 * (n % 5), n % 12,
      CASE WHEN n % 12 = 0 THEN NULL ELSE n % 12 * 1.5 END, '{0,0,0,5,9,4,2}', 3.5,
      CASE WHEN n % 9 = 0 THEN '{"RECORD_NOT_UNIQUE": 2}' ELSE '{}' END::jsonb, 2, 3
    FROM generate_series(3, 58) AS n WHERE n NOT BETWEEN 20 AND 25 ON CONFLICT DO NOTHING`);
}

/** Imports a file, and tells the status of the answer. */
async function importFile({ fetch }: Cluster, name: string, content: string): Promise<number> {
  const form = new FormData();
  form.set('file', new File([content], name, { type: 'text/csv' }));
  const answer = await fetch('/utils/import/product', { method: 'POST', body: form });
  await answer.arrayBuffer();
  return answer.status;
}

t.test('an administrator watches jobs, queues and health', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  const { cluster } = app;
  t.equal(await importFile(cluster, 'good.csv', 'id,price\n1,10\n2,20\n'), 200);
  t.equal(await importFile(cluster, 'bad.csv', 'id,price\n3,30\n4,cheap\n'), 400);
  await recordHour(cluster);

  const tab = await app.newPage();
  const { page } = tab;
  await tab.signIn();
  await page.getByRole('link', { name: 'Operations' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('region', { name: 'Latest failures' }).getByText('bad.csv').waitFor();
  await page.getByRole('link', { name: /^Failed\s*\d+\s*in the last hour$/ }).waitFor();
  await page.getByRole('img', { name: 'Ended jobs' }).locator('svg').first().waitFor();
  await tab.screenshot('overview');
  t.strictSame(await tab.axe(), [], 'the overview is accessible');
  const reasons = page.getByRole('figure', { name: 'Failures by reason' });
  await reasons.getByRole('button', { name: 'Show as table' }).click();
  await reasons.getByRole('table').waitFor();
  t.strictSame(await tab.axe(), [], 'a table in place of its chart is accessible');
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  const bad = page.getByRole('row').filter({ hasText: 'bad.csv' });
  const good = page.getByRole('row').filter({ hasText: 'good.csv' });
  await bad.getByText('failed', { exact: true }).waitFor();
  await good.getByText('completed', { exact: true }).waitFor();
  await tab.screenshot('jobs');
  t.strictSame(await tab.axe(), [], 'the list of jobs is accessible');

  await page.getByLabel('State').selectOption('failed');
  await good.waitFor({ state: 'detached' });
  await bad.getByRole('link', { name: 'Import' }).click();
  const row = page.getByRole('row').filter({ hasText: 'cheap' });
  await row.getByText('price').waitFor();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByText('Attempt 1').waitFor();
  await tab.screenshot('job');
  t.strictSame(await tab.axe(), [], 'a job is accessible');
  const rejected = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Rejected rows' }).click();
  t.match((await rejected).suggestedFilename(), /errors\.csv$/);

  await page.getByRole('link', { name: 'Queues' }).click();
  const queue = page.getByRole('region', { name: 'Imports and exports' });
  await queue.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await queue.getByText('paused').waitFor();
  const waiting = importFile(cluster, 'later.csv', 'id,price\n5,50\n');
  await queue.getByText('1 waiting').waitFor();
  await queue.getByLabel('Jobs at once on each worker').selectOption('3');
  await page.getByText('Workers apply the number within seconds').waitFor();
  await tab.screenshot('queues');
  t.strictSame(await tab.axe(), [], 'the queues are accessible');
  await page.getByLabel('Queue', { exact: true }).selectOption('Imports and exports');
  const durations = page.getByRole('figure', { name: 'Duration of jobs' });
  await durations.locator('svg path').first().waitFor();
  await durations.scrollIntoViewIfNeeded();
  await tab.screenshot('queue-curves');
  await page.getByRole('button', { name: 'Month' }).click();
  await page.waitForURL(/period=month/);

  // All failed jobs that match are tried again by a job that is followed.
  await tab.open('/operations/jobs?state=failed');
  await page.getByRole('button', { name: 'Try all that match again' }).click();
  const asked = page.getByRole('dialog');
  await asked.getByRole('heading', { name: 'Try 1 job again?' }).waitFor();
  await tab.screenshot('retry-all');
  t.strictSame(await tab.axe(), [], 'the question about many jobs is accessible');
  await asked.getByRole('button', { name: 'Try 1 job again' }).click();
  await page.getByRole('heading', { level: 1, name: 'Change of many jobs' }).waitFor();
  await page.getByText('completed', { exact: true }).waitFor();

  // What waits is moved first, cancelled here, and tried again.
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await bad.getByText('Number 2 in its queue').waitFor();
  await bad.getByRole('link', { name: 'Import' }).click();
  await page.getByRole('button', { name: 'Move first' }).click();
  await page.getByText('The job is the next of its queue').waitFor();
  await page.getByText('Number 1 in its queue').waitFor();
  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  const later = page.getByRole('row').filter({ hasText: 'later.csv' });
  await later.getByText('waiting', { exact: true }).waitFor();
  await later.getByRole('link', { name: 'Import' }).click();
  await page.getByText('The queue “Imports and exports” is paused.').waitFor();
  await tab.screenshot('paused-queue');
  await page.getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  t.equal(await waiting, 422);
  const again = page.getByRole('button', { name: 'Try again' });
  t.equal(await again.count(), 0, 'without its file it cannot be tried again');
  await page.getByRole('link', { name: 'Queues' }).click();
  await queue.getByRole('button', { name: 'Resume' }).click();
  await queue.getByText('running', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByRole('row').filter({ hasText: 'workers:live' }).waitFor();
  const processes = page.getByRole('table', { name: 'Processes' });
  await processes.getByRole('cell', { name: 'Worker' }).waitFor();
  await processes.getByRole('cell', { name: 'Edge' }).first().waitFor();
  await tab.screenshot('health');
  t.strictSame(await tab.axe(), [], 'health is accessible');
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('row').filter({ hasText: 'Signed in' }).first().waitFor();
  // An item is told by its name: here the user who has signed in.
  await page.getByRole('link', { name: 'Users Admin User' }).first().waitFor();
  await tab.screenshot('activity');
  t.strictSame(await tab.axe(), [], 'activity is accessible');

  await page.getByRole('link', { name: 'Limits' }).click();
  await page.getByText('Concurrent uploads per user').waitFor();
  await tab.screenshot('limits');
  t.strictSame(await tab.axe(), [], 'limits are accessible');

  await page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await good.getByRole('link', { name: 'Import' }).click();
  await timeline.getByText('Committing').waitFor();
  await timeline.getByText('Ended: completed').waitFor();
  await tab.screenshot('timeline');
  t.strictSame(await tab.axe(), [], 'the time line of an import is accessible');

  await page.setViewportSize(PHONE);
  await tab.open('/operations/jobs');
  await good.waitFor();
  await tab.screenshot('jobs-phone');
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(() => page.evaluate(DARK), 'it is dark');
  t.strictSame(await tab.axe(), [], 'dark, on a phone, too');
  await tab.open('/operations/overview');
  await page.getByRole('img', { name: 'Ended jobs' }).locator('svg').first().waitFor();
  await tab.screenshot('overview-phone');
  t.strictSame(await tab.axe(), [], 'the overview on a phone');
  await page.setViewportSize(DESKTOP);
  await tab.screenshot('overview-dark');
  t.strictSame(tab.faults, [], 'nothing else went wrong');
});

t.test('somebody else sees his own jobs alone', { skip }, async (t) => {
  if (browser === null) return;
  const app = await startApp(t, browser, { workers: 1, prepare: makeShop });
  t.equal(await importFile(app.cluster, 'secret.csv', 'id,price\n1,10\n'), 200);
  const member = await createMember(app.cluster, []);
  const credentials = { email: 'watcher@example.com', password: 'a password of tests' };
  await app.cluster.fetch(`/users/${member.id}`, {
    method: 'PATCH',
    body: JSON.stringify(credentials),
  });
  await app.cluster.fetch(`/policies/${member.policy}`, {
    method: 'PATCH',
    body: JSON.stringify({ app_access: true }),
  });
  const tab = await app.newPage();
  await tab.signIn(credentials);
  await tab.page.getByRole('link', { name: 'Operations' }).click();
  await tab.page.getByText('No jobs', { exact: true }).waitFor();
  t.equal(await tab.page.getByRole('link', { name: 'Queues' }).count(), 0);
  t.equal(await tab.page.getByRole('link', { name: 'Health' }).count(), 0);
  t.strictSame(tab.faults, []);
});
