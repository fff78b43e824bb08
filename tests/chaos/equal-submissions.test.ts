// @newest

import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const CLIENTS = 100;
const ROWS = 20;
/** So many have their answer when an edge is killed. */
const ANSWERED_BEFORE = 10;

for (const backend of backends) {
  t.test(`a hundred equal submissions make one job on ${backend.name}`, async (t) => {
    const env = { ...backend.env, DATABASE_POOL_MAX: '5' };
    const { db, addEdge, startWorker } = await startCluster(t, { edges: 0, env });
    await db.query('CREATE TABLE word (id serial PRIMARY KEY, text text)');
    const edges = await Promise.all([addEdge(), addEdge(), addEdge()]);
    const [doomed] = edges;
    const content = Array.from({ length: ROWS }, (_, row) => `word ${row}`).join('\n');

    /** Sends the file to one edge after another until one accepts it. */
    const submit = async (client: number, key: string): Promise<string> => {
      for (let attempt = client; ; attempt += 1) {
        const form = new FormData();
        form.set('file', new File([`text\n${content}\n`], 'a.csv', { type: 'text/csv' }));
        const answer = await fetch(`${edges[attempt % edges.length]?.url}/utils/import/word`, {
          method: 'POST',
          body: form,
          headers: {
            authorization: `Bearer ${ADMIN_TOKEN}`,
            'idempotency-key': key,
            prefer: 'respond-async',
          },
        }).catch(() => null);
        if (answer === null) continue;
        const text = await answer.text();
        if (answer.status === 202) return JSON.parse(text).data.id;
        if (answer.status !== 503) throw new Error(`${answer.status} ${text}`);
      }
    };
    const counted = async () => {
      const { rows } = await db.query(
        `SELECT (SELECT count(*)::int FROM word) AS rows,
          (SELECT count(DISTINCT text)::int FROM word) AS words,
          (SELECT count(*)::int FROM system_jobs WHERE kind = 'import') AS jobs,
          (SELECT count(*)::int FROM system_activity WHERE action = 'import') AS activities`,
      );
      return rows[0];
    };
    const ended = async () => {
      const { rowCount } = await db.query('SELECT FROM system_jobs WHERE finished_on IS NULL');
      return rowCount === 0;
    };
    const clients = Array.from({ length: CLIENTS }, (_, client) => client);

    const alike = await Promise.all(clients.map((client) => submit(client, 'alike')));
    t.equal(new Set(alike).size, 1, 'all have the same job');
    await startWorker();
    await until(ended, 'the job has ended');
    t.strictSame(await counted(), { rows: ROWS, words: ROWS, jobs: 1, activities: 1 });

    let answered = 0;
    const survivors = await Promise.all(
      clients.map(async (client) => {
        const id = await submit(client, 'killed');
        answered += 1;
        if (answered === ANSWERED_BEFORE) doomed?.process.kill('SIGKILL');
        return id;
      }),
    );
    t.equal(new Set(survivors).size, 1, 'also when an edge is killed meanwhile');
    t.not(survivors[0], alike[0]);
    await until(ended, 'the second job has ended');
    t.strictSame(await counted(), { rows: ROWS * 2, words: ROWS, jobs: 2, activities: 2 });
  });
}
