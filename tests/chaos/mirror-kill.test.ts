// @newest @slow
/** A worker is lost at the steps of a mirror: what it left is finished by the next one, once. */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { upload } from '#tests/harness/upload.ts';
import { lostAt } from './lost-worker.ts';

const ROWS = 6_000;

for (const backend of backends) {
  t.test(`a mirror survives its worker with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { env: { ...QUICK_TAKEOVER, ...backend.env } });
    const { db } = cluster;
    await db.query('CREATE TABLE words (id int PRIMARY KEY, word text)');
    await cluster.served('/items/words');
    const cases =
      backend.name === 'postgres'
        ? ([
            ['import.deleting', 'killed'],
            ['import.committing', 'late'],
          ] as const)
        : ([['import.committed', 'killed']] as const);
    for (const [failpoint, fate] of cases) {
      await db.query(`TRUNCATE words; DELETE FROM system_activity;
        INSERT INTO words SELECT i, 'old' FROM generate_series(1, ${ROWS + 1}) i`);
      const send = async () => {
        const answer = await upload(cluster, 'words', 'id,word\n1,new\n0,zero\n', {
          query: `?mode=mirror&max_deletes=${ROWS}`,
          headers: { prefer: 'respond-async' },
        });
        return (await bodyOf<JobBody>(answer)).data.id;
      };
      const job = await lostAt(t, cluster, { failpoint, fate, send });
      const result = { inserted: 1, updated: 1, deleted: ROWS };
      t.match(job, { state: 'completed', result }, `${fate} at ${failpoint}`);
      const { rows } = await db.query(`SELECT
        (SELECT string_agg(id || word, ' ' ORDER BY id) FROM words) AS words,
        (SELECT count(*)::int FROM system_activity WHERE action = 'delete') AS deletions,
        (SELECT count(*)::int FROM system_activity WHERE action = 'import') AS imports`);
      t.strictSame(rows, [{ words: '0zero 1new', deletions: ROWS, imports: 1 }]);
    }
  });
}
