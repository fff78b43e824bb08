/** The whole test around a storm: a cluster, the storm, and what has to hold when it is over. */
import type { Test } from 'tap';
import { ADMIN_TOKEN } from '#tests/harness/cluster.ts';
import { rage, startStormCluster } from './storm.ts';

const SHOWN = 10;

async function described(url: string): Promise<unknown[]> {
  const paths = ['/collections', '/fields', '/relations'];
  return await Promise.all(
    paths.map(async (path) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      return await (await fetch(url + path, { headers })).json();
    }),
  );
}

/** @param start STORM_SEED when that is not set */
export async function weather(t: Test, changes: number, start: number): Promise<void> {
  const seed = Number(process.env.STORM_SEED ?? start);
  t.comment(`STORM_SEED=${seed}, ${changes} changes`);
  const { cluster, edges, urls } = await startStormCluster(t);
  const report = await rage(urls, seed, changes);
  t.comment(`${report.requests} requests, ${JSON.stringify([...report.statuses])}`);
  for (const { output } of report.faults.length === 0 ? [] : edges) t.comment(output());
  t.strictSame(report.faults.slice(0, SHOWN), [], 'every answer was right');
  t.equal(report.changes, changes);
  t.ok((report.statuses.get(200) ?? 0) > changes, 'there was traffic');
  const [first, second] = await Promise.all(urls.map(described));
  t.strictSame(first, second, 'both edges see the same');
  // A build from nothing finds what the single changes came to.
  const published = async () =>
    (
      await cluster.db.query(
        // Statistics come and go.
        `SELECT collection, descriptor::jsonb #- '{table,estimatedRows}' AS descriptor
         FROM system_catalog WHERE descriptor IS NOT NULL ORDER BY 1`,
      )
    ).rows;
  const before = await published();
  const cleared = await cluster.fetch('/utils/cache/clear', { method: 'POST' });
  t.equal(cleared.status, 200);
  t.strictSame(await published(), before, 'the catalog is what the database says');
  t.strictSame(await described(cluster.url), first);
}
