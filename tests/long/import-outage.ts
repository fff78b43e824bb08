/**
 * PostgreSQL is half dead while files are imported: backends are frozen and terminated by chance. Each
 * file is loaded once or not at all, and its job says which.
 */
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { bodyOf, type JobBody } from '../harness/body.ts';
import { QUICK_TAKEOVER, startCluster } from '../harness/cluster.ts';
import { asSuperuser } from '../harness/database.ts';
import { Dice } from '../harness/dice.ts';
import { until } from '../harness/until.ts';
import { upload } from '../harness/upload.ts';

const ROWS = 20_000;
const FILES = Number(process.env.FILES ?? 40);
const SEED = Number(process.env.SEED ?? 1);

function fileOf(name: string): string {
  const lines = Array.from({ length: ROWS }, (_, row) => `${name} ${row}`);
  return `word\n${lines.join('\n')}\n`;
}

t.test('backends that freeze and die', async (t) => {
  t.comment(`SEED=${SEED}`);
  const dice = new Dice(SEED);
  let [ended, frozen] = [0, 0];
  const cluster = await startCluster(t, { workers: 2, env: QUICK_TAKEOVER });
  const names = Array.from({ length: FILES }, (_, index) => `words_${index}`);
  for (const name of names) {
    await cluster.db.query(`CREATE TABLE ${name} (id serial PRIMARY KEY, word text)`);
    await until(async () => (await cluster.fetch(`/items/${name}`)).ok, 'the table is known');
  }
  const database = new URL(cluster.databaseUrl).pathname.slice(1);
  let isOver = false;
  const harm = asSuperuser(async (client) => {
    while (!isOver) {
      const { rows } = await client.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'
          AND application_name <> '' AND state <> 'idle' ORDER BY pid`,
        [database],
      );
      const pid = rows[dice.below(Math.max(1, rows.length))]?.pid;
      if (pid !== undefined && dice.below(2) === 0) {
        await client.query('SELECT pg_terminate_backend($1)', [pid]);
        ended += 1;
      } else if (pid !== undefined) {
        process.kill(pid, 'SIGSTOP');
        await delay(dice.below(4_000));
        process.kill(pid, 'SIGCONT');
        frozen += 1;
      }
      await delay(dice.below(300));
    }
  });
  const ids = new Map<string, string>();
  for (const name of names) {
    // Whoever does not know whether his file has arrived sends it again under its key.
    const options = { query: '?background', headers: { 'idempotency-key': name } };
    const accepted = await until(
      async () => {
        const answer = await upload(cluster, name, fileOf(name), options).catch(() => null);
        if (answer?.status === 202) return await bodyOf<JobBody>(answer);
        t.match(answer?.status ?? 503, 503, 'an outage is no other error');
        return null;
      },
      'the file is accepted',
      120_000,
    );
    ids.set(name, accepted.data.id);
  }
  const jobs = new Map<string, JobBody['data']>();
  for (const [name, id] of ids) {
    const job = await until(
      async () => {
        const answer = await cluster.fetch(`/jobs/${id}`).catch(() => null);
        if (answer?.ok !== true) return null;
        const { data } = await bodyOf<JobBody>(answer);
        return data.finished_on === null ? null : data;
      },
      'the job ends',
      120_000,
    );
    jobs.set(name, job);
  }
  isOver = true;
  await harm;
  t.comment(`${ended} backends terminated, ${frozen} frozen`);
  for (const [name, job] of jobs) {
    const { rows } = await cluster.db.query(
      `SELECT count(*)::int AS rows, count(DISTINCT word)::int AS words FROM ${name}`,
    );
    t.comment(`${name}: ${job.state} after ${job.attempts}: ${JSON.stringify(job.failures)}`);
    const expected = job.state === 'completed' ? ROWS : 0;
    t.strictSame(rows, [{ rows: expected, words: expected }], name);
    for (const { reason } of job.failures) t.notMatch(reason, /unexpected/, 'it says why');
    if (job.state === 'failed') t.ok(job.error?.[0]?.extensions.code, 'it says why');
  }
});
