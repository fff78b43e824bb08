/** Loses workers at the steps of exports; the next one writes the file, which is the only one. */
import type { Test } from 'tap';
import type { Backend } from '#tests/harness/backend.ts';
import { type Cluster, QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';
import { type Fate, lostAt } from './lost-worker.ts';

export const EXPORT_FAILPOINTS = ['export.part', 'export.written', 'export.completed'] as const;

const ROWS = 3_000;
const FORMATS = ['csv', 'json'] as const;

async function submit(t: Test, cluster: Cluster, format: string): Promise<string> {
  const answer = await cluster.fetch('/utils/export/item', {
    method: 'POST',
    body: JSON.stringify({ format, query: { sort: 'id', limit: null } }),
  });
  t.equal(answer.status, 204, await answer.text());
  return (answer.headers.get('location') ?? '').replace('/jobs/', '');
}

/** Exports a table for each failpoint, with a worker that is lost there. */
export function killExports(
  t: Test,
  backend: Backend,
  failpoints: readonly (typeof EXPORT_FAILPOINTS)[number][],
  fate: Fate,
) {
  const name = `a ${fate} worker leaves one file of an export with the queue on ${backend.name}`;
  return t.test(name, async (t) => {
    const cluster = await startCluster(t, { env: { ...QUICK_TAKEOVER, ...backend.env } });
    await cluster.db.query(`CREATE TABLE item (id int PRIMARY KEY, name text);
      INSERT INTO item SELECT n, 'item ' || n FROM generate_series(1, ${ROWS}) AS n`);
    await until(async () => (await cluster.fetch('/items/item?limit=1')).ok, 'the table is known');
    for (const [index, failpoint] of failpoints.entries()) {
      const format = FORMATS[index % FORMATS.length] ?? 'csv';
      await t.test(`${fate} at ${failpoint} (${format})`, async (t) => {
        const before = storedFiles(cluster);
        const send = () => submit(t, cluster, format);
        const job = await lostAt(t, cluster, { failpoint, fate, send });
        const attempts = failpoint === 'export.completed' ? 1 : 2;
        t.match(job, { state: 'completed', attempts, result: { rows: ROWS } });
        const { rows } = await cluster.db.query('SELECT progress FROM system_jobs WHERE id = $1', [
          job.id,
        ]);
        t.match(rows, [{ progress: { rows: ROWS, percent: 100 } }], 'its last progress stays');
        const text = await (await cluster.fetch(`/jobs/${job.id}/file`)).text();
        t.equal(text.match(/item \d/g)?.length, ROWS, 'the file is whole');
        // The unfinished file of a killed process is removed by the next start.
        const added = storedFiles(cluster)
          .filter((file) => !before.includes(file))
          .filter((file) => fate === 'late' || !file.endsWith('.part'));
        t.equal(added.length, 1, 'and the only one');
      });
    }
  });
}
