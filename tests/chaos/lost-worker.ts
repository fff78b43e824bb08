/** A worker that is lost at a failpoint of its job, and the one that does the job after it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import type { Cluster, Member } from '#tests/harness/cluster.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';

/** It is killed, or stopped until another one has done its job, and then it continues. */
export type Fate = 'killed' | 'late';

export interface Loss {
  readonly failpoint: string;
  readonly fate: Fate;
  /** Submits the job; yields its id. */
  send(): Promise<string>;
}

const ENDED_WITHIN_MS = 120_000;

/** Failpoints at which the job has ended already. */
const ENDED: ReadonlySet<string> = new Set([
  ...['import.committed', 'export.completed', 'undo.committed'],
]);

/** All rows of the tables with the transactions that wrote them, the job, its history and all files. */
async function written(cluster: Cluster, job: string, failpoint: string): Promise<unknown> {
  const { rows: tables } = await cluster.db.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name !~ '^system_'`,
  );
  const digest = (from: string) =>
    `(SELECT md5(coalesce(string_agg(r.xmin::text || r::text, ',' ORDER BY r::text), '')) FROM ${from} r)`;
  // Who committed may still record how far he came.
  const row = ENDED.has(failpoint) ? "to_jsonb(j) - 'progress'" : 'to_jsonb(j)';
  const { rows } = await cluster.db.query(
    `SELECT ${row} AS job,
      (SELECT count(*)::int FROM system_jobs WHERE queue <> 'maintenance') AS jobs,
      (SELECT count(*)::int FROM system_activity) AS activities,
      (SELECT count(*)::int FROM system_revisions) AS revisions,
      (SELECT count(*)::int FROM system_job_errors WHERE job = j.id) AS errors,
      ARRAY[${tables.map(({ name }) => digest(name)).join(', ')}]::text[] AS tables
      FROM system_jobs j WHERE id = $1`,
    [job],
  );
  // Whoever sees that the job has ended removes its upload.
  const files = ENDED.has(failpoint) ? [] : storedFiles(cluster);
  const times = files.map((file) => statSync(join(cluster.dataDir, 'spool', file)).mtimeMs);
  return { rows, files, times };
}

/** Whether a worker has logged the end of its delivery of a job. */
function hasEnded(worker: Member, job: string): boolean {
  const lines = worker.output().split('\n');
  return lines.some(
    (line) => line.includes(job) && /"(job ends|could not deliver a job)/.test(line),
  );
}

/** Loses a worker at a failpoint, starts another one, and returns the job when it ended. */
export async function lostAt(
  t: Test,
  cluster: Cluster,
  { failpoint, fate, send }: Loss,
): Promise<JobBody['data']> {
  const lost = await cluster.startWorker({ FAILPOINT: failpoint, LOG_LEVEL: 'info' });
  const id = await send();
  t.equal(await lost.stoppedAt, failpoint);
  if (fate === 'late') lost.process.kill('SIGSTOP');
  else await lost.end('SIGKILL');
  const successor = await cluster.startWorker({ LOG_LEVEL: 'info' });
  const read = async () => (await bodyOf<JobBody>(await cluster.fetch(`/jobs/${id}`))).data;
  await until(async () => (await read()).finished_on !== null, 'the job ends', ENDED_WITHIN_MS);
  if (fate === 'late') {
    // It removes the upload after the job has ended.
    if (!ENDED.has(failpoint)) await until(() => hasEnded(successor, id), 'the successor is done');
    const before = await written(cluster, id, failpoint);
    lost.process.kill('SIGCONT');
    await until(() => hasEnded(lost, id), 'the late one ends its delivery');
    t.strictSame(await written(cluster, id, failpoint), before, 'the late one has written nothing');
    await lost.end('SIGTERM');
  }
  await successor.end('SIGTERM');
  return await read();
}
