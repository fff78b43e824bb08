/**
 * How long a running import or export goes on after it is cancelled, at whatever step it is, and what
 * it leaves behind: nothing.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const ROUNDS = 7;
const ROWS = 400_000;
/** Rows of a file whose related items are written in batches. */
const NESTED_ROWS = 20_000;
/** Milliseconds. */
const ENDED_WITHIN = 2_000;

const TABLES = `
  CREATE TABLE maker (id serial PRIMARY KEY, name text);
  CREATE TABLE fresh (id int PRIMARY KEY, name text, amount int);
  CREATE TABLE full_table (id int PRIMARY KEY, name text, amount int);
  INSERT INTO full_table SELECT n, 'name ' || n, n FROM generate_series(1, ${ROWS}) AS n;
  CREATE TABLE part (id int PRIMARY KEY, name text, maker int REFERENCES maker);
  CREATE VIEW slow AS SELECT id, name, amount, repeat(md5(name), 20) AS long FROM full_table`;

function lines(header: string, count: number, line: (n: number) => string): Blob {
  const rows = Array.from({ length: count }, (_, n) => line(n + 1));
  return new Blob([`${header}\n${rows.join('\n')}\n`], { type: 'text/csv' });
}

function form(file: Blob): FormData {
  const body = new FormData();
  body.set('file', file, 'file.csv');
  return body;
}

function spool(cluster: Cluster): string {
  const folder = join(cluster.dataDir, 'spool');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** What a cancelled job could leave behind. */
async function traces(cluster: Cluster) {
  const { rows } = await cluster.db.query(`
    SELECT (SELECT count(*) FROM fresh) AS fresh, (SELECT count(*) FROM part) AS parts,
      (SELECT count(*) FROM maker) AS makers,
      (SELECT count(*) FROM full_table WHERE amount <> id) AS changed,
      (SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'v')) AS tables,
      (SELECT count(*) FROM system_job_errors) AS faults,
      (SELECT count(*) FROM system_activity WHERE action = 'import') AS activities,
      (SELECT count(*) FROM system_jobs WHERE state IN ('waiting', 'running')
        OR backend_pid IS NOT NULL OR kept_file IS NOT NULL) AS jobs`);
  return { ...rows[0], files: readdirSync(spool(cluster)) };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

for (const backend of backends) {
  t.test(`cancelling with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { workers: 1, env: backend.env });
    await cluster.db.query(TABLES);
    await until(
      async () => (await cluster.fetch('/items/slow?limit=1')).ok,
      'the tables are known',
    );
    const user = await createMember(cluster, [], { admin: true });
    const files = {
      fresh: form(lines('id,name,amount', ROWS, (n) => `${n},name ${n},${n}`)),
      full_table: form(lines('id,name,amount', ROWS, (n) => `${n},name ${n},${n + 1}`)),
      part: form(lines('id,name,maker.name', NESTED_ROWS, (n) => `${n},name ${n},maker ${n}`)),
    };
    /** Submits and yields the id of the job. */
    const post = async (path: string, body: FormData | string): Promise<string> => {
      const headers = { prefer: 'respond-async' };
      const answer = await cluster.fetch(path, { method: 'POST', body, headers });
      if (answer.status !== 202) throw new Error(await answer.text());
      return (await bodyOf<JobBody>(answer)).data.id;
    };
    const importInto = (name: keyof typeof files) => () =>
      post(`/utils/import/${name}`, files[name]);
    const exportAs = (format: string) => () =>
      post('/utils/export/slow', JSON.stringify({ format }));
    const kinds = {
      'import of new rows': importInto('fresh'),
      'import of changed rows': importInto('full_table'),
      'import of related rows': importInto('part'),
      'export of CSV': exportAs('csv'),
      'export of JSON': exportAs('json'),
    };
    for (const [name, submit] of Object.entries(kinds)) {
      const times: number[] = [];
      for (let round = 0; times.length < ROUNDS && round < 3 * ROUNDS; round += 1) {
        const before = await traces(cluster);
        const id = await submit();
        const job = async () => (await user.send('GET', `/jobs/${id}`)).body.data;
        await until(async () => (await job()).state !== 'waiting', 'the job runs');
        // Another step in each round.
        await new Promise((resolve) => setTimeout(resolve, (round % ROUNDS) * 150));
        const started = performance.now();
        const { status } = await user.send('DELETE', `/jobs/${id}`);
        if (status === 409) {
          t.comment(`${name}: too late in round ${round}`);
          await cluster.db.query(
            'TRUNCATE fresh, part, maker; UPDATE full_table SET amount = id WHERE amount <> id',
          );
          continue;
        }
        await until(async () => (await job()).finished_on !== null, 'the job ends');
        times.push(performance.now() - started);
        t.equal((await job()).state, 'cancelled');
        t.strictSame(await traces(cluster), before, `${name} leaves nothing`);
      }
      const [middle, longest] = [median(times), Math.max(...times)].map((time) => time.toFixed(0));
      t.comment(`${name}: cancelled within ${middle} ms (median), ${longest} ms (longest)`);
      t.ok(median(times) <= ENDED_WITHIN, `${name} ends in time`);
    }
  });
}
