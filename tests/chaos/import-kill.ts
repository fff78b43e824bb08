/** Kills workers in the middle of imports; what they left is finished by the next one, once. */
import type { Test } from 'tap';
import type { Backend } from '#tests/harness/backend.ts';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { upload } from '#tests/harness/upload.ts';

export const FAILPOINTS = [
  'import.parsing',
  'import.staged',
  'import.merging',
  'import.committed',
] as const;

/**
 * A file of which half the keys are there already, so that it is merged.
 * @param isFaulty a last row is faulty
 */
function file(rows: number, isFaulty: boolean): string {
  const lines = ['id,word'];
  for (let id = 1; id <= rows; id += 1) lines.push(`${id},word ${id}`);
  if (isFaulty) lines.push('bad,word');
  return `${lines.join('\n')}\n`;
}

/** Imports a file of some rows for each failpoint, with a worker that is killed there. */
export function killImports(
  t: Test,
  backend: Backend,
  failpoints: readonly (typeof FAILPOINTS)[number][],
  rows = 200_000,
) {
  return t.test(`a killed worker loses nothing with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { env: { ...QUICK_TAKEOVER, ...backend.env } });
    // With one queue, a faulty row is left out; with the other there is none.
    const isSkipping = backend.name === 'postgres';
    const content = file(rows, isSkipping);
    for (const [index, failpoint] of failpoints.entries()) {
      await t.test(`killed at ${failpoint}`, async (t) => {
        const table = `words_${index}`;
        await cluster.db.query(`CREATE TABLE ${table} (id int PRIMARY KEY, word text)`);
        await cluster.db.query(
          `INSERT INTO ${table} SELECT i * 2, 'old' FROM generate_series(1, ${rows / 2}) i`,
        );
        await until(async () => (await cluster.fetch(`/items/${table}`)).ok, 'the table is known');
        const doomed = await cluster.startWorker({ FAILPOINT: failpoint });
        const answer = await upload(cluster, table, content, {
          headers: { prefer: 'respond-async' },
          query: isSkipping ? '?on_error=skip' : '',
        });
        t.equal(answer.status, 202, await answer.clone().text());
        const { data } = await bodyOf<JobBody>(answer);
        t.equal(await doomed.stoppedAt, failpoint);
        await doomed.end('SIGKILL');
        const successor = await cluster.startWorker();
        const job = await until(
          async () => {
            const response = await cluster.fetch(`/jobs/${data.id}`);
            const { data: found } = await bodyOf<JobBody>(response);
            return found.finished_on === null ? null : found;
          },
          'the job ends',
          120_000,
        );
        t.match(job, {
          state: 'completed',
          result: {
            inserted: rows / 2,
            updated: rows / 2,
            unchanged: 0,
            duplicates: 0,
            failed: isSkipping ? 1 : 0,
          },
        });
        const report = await (await cluster.fetch(`/jobs/${data.id}/errors`)).text();
        const fault = new RegExp(`^${rows + 1},id,bad,.*,${rows + 2},"bad,word"$`);
        t.match(report.split('\n')[1], isSkipping ? fault : /^$/);
        const found = await cluster.db.query(
          `SELECT count(*)::int, count(DISTINCT id)::int AS ids, min(id), max(id),
             count(*) FILTER (WHERE word = 'word ' || id)::int AS right FROM ${table}`,
        );
        t.strictSame(found.rows, [{ count: rows, ids: rows, min: 1, max: rows, right: rows }]);
        await successor.end('SIGTERM');
      });
    }
  });
}
