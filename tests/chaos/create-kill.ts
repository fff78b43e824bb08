/** Loses workers while an import creates its collection, which exists once afterwards. */
import type { Test } from 'tap';
import type { Backend } from '#tests/harness/backend.ts';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { upload } from '#tests/harness/upload.ts';
import { type Fate, lostAt } from './lost-worker.ts';

export const CREATION_FAILPOINTS = ['import.inferred', 'import.creating'] as const;

/** Imports a file into a collection of its own for each failpoint, with a worker that is lost there. */
export function killCreations(
  t: Test,
  backend: Backend,
  failpoints: readonly (typeof CREATION_FAILPOINTS)[number][],
  fate: Fate,
) {
  const name = `a ${fate} worker creates a collection once with the queue on ${backend.name}`;
  return t.test(name, async (t) => {
    const cluster = await startCluster(t, { env: { ...QUICK_TAKEOVER, ...backend.env } });
    for (const failpoint of failpoints) {
      await t.test(`${fate} at ${failpoint}`, async (t) => {
        const collection = failpoint.replace('.', '_');
        const send = async () => {
          const headers = { prefer: 'respond-async' };
          const query = '?create=true';
          const answer = await upload(cluster, collection, 'a\n1\n2\n', { headers, query });
          t.equal(answer.status, 202, await answer.clone().text());
          return (await bodyOf<JobBody>(answer)).data.id;
        };
        const job = await lostAt(t, cluster, { failpoint, fate, send });
        t.match(job, { state: 'completed', attempts: 2, result: { inserted: 2 } });
        const { rows } = await cluster.db.query(
          `SELECT state FROM system_jobs WHERE kind = 'schema' AND collection = $1`,
          [collection],
        );
        t.strictSame(rows, [{ state: 'completed' }], 'one schema job');
      });
    }
  });
}
