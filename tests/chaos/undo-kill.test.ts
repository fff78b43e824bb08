// @newest @slow
/** A worker is lost at the steps of an undo: what it left is finished by the next one, once. */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { upload } from '#tests/harness/upload.ts';
import { lostAt } from './lost-worker.ts';

const ROWS = 10_000;

for (const backend of backends) {
  t.test(`an undo survives its worker with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { env: { ...QUICK_TAKEOVER, ...backend.env } });
    const { db } = cluster;
    await db.query(`CREATE TABLE words (id int PRIMARY KEY, word text);
      INSERT INTO words SELECT i * 2, 'old' FROM generate_series(1, ${ROWS / 2}) i`);
    await cluster.served('/items/words');
    const lines = Array.from({ length: ROWS }, (_, index) => `${index + 1},word ${index + 1}`);
    const content = `id,word\n${lines.join('\n')}\n`;
    const cases =
      backend.name === 'postgres'
        ? ([
            ['undo.writing', 'killed'],
            ['undo.committing', 'late'],
          ] as const)
        : ([['undo.committed', 'killed']] as const);
    for (const [failpoint, fate] of cases) {
      const send = async () => {
        const imported = await upload(cluster, 'words', content, { query: '?undo=true' });
        t.equal(imported.status, 200);
        const path = `${imported.headers.get('location')}/undo`;
        const headers = { prefer: 'respond-async' };
        const answer = await cluster.fetch(path, { method: 'POST', headers });
        t.equal(answer.status, 202);
        return (await bodyOf<JobBody>(answer)).data.id;
      };
      const job = await lostAt(t, cluster, { failpoint, fate, send });
      t.match(job, {
        state: 'completed',
        result: { removed: ROWS / 2, restored: ROWS / 2, kept: 0 },
      });
      const { rows } = await db.query(
        `SELECT count(*)::int AS rows, count(*) FILTER (WHERE word = 'old')::int AS old FROM words`,
      );
      t.strictSame(rows, [{ rows: ROWS / 2, old: ROWS / 2 }], `${fate} at ${failpoint}`);
      const { rows: undone } = await db.query(
        "SELECT count(*)::int AS undone FROM system_activity WHERE action = 'undo' AND item = $1",
        [job.id],
      );
      t.strictSame(undone, [{ undone: 1 }]);
    }
  });
}
