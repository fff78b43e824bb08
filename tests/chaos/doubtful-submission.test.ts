// @newest
/** The connection breaks while the job of an import is committed: nobody knows whether it exists. */
import t from 'tap';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';

t.test('a job whose commit nobody heard of keeps its file', async (t) => {
  const databaseUrl = await createSystemDatabase(t);
  const proxy = await startProxy(t, databaseUrl);
  const cluster = await startCluster(t, { edges: 0, databaseUrl });
  const { db } = cluster;
  await db.query(`CREATE TABLE item (id int PRIMARY KEY);
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.kind = 'import' THEN PERFORM pg_advisory_xact_lock(42); END IF;
      RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON system_jobs DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION wait()`);
  const edge = await cluster.addEdge({ DATABASE_URL: proxy.url });
  const send = async (id: number, headers: Record<string, string> = {}) => {
    const body = new FormData();
    body.append('file', new File([`id\n${id}\n`], 'rows.csv', { type: 'text/csv' }));
    return await fetch(`${edge.url}/utils/import/item?background`, {
      ...{ method: 'POST', body },
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
    });
  };
  const jobs = async () => {
    const { rows } = await db.query(`SELECT id FROM system_jobs WHERE kind = 'import'`);
    return rows.map(({ id }) => String(id));
  };
  const waits = async () =>
    (
      await db.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 42
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
    ).rowCount;

  const key = { 'idempotency-key': 'once' };
  for (const [number, headers] of [{}, key].entries()) {
    await until(async () => (await send(9)).status !== 503, 'the edge serves').catch(() => null);
    const known = (await jobs()).length;
    const lock = await db.connect();
    await lock.query('BEGIN; SELECT pg_advisory_xact_lock(42)');
    const answering = send(number + 1, headers);
    await until(async () => (await waits()) === 1, 'the commit waits');
    proxy.freeze('toClient');
    await lock.query('COMMIT');
    lock.release();
    await until(async () => (await jobs()).length === known + 1, 'the job is recorded');
    await proxy.down();
    await proxy.up();
    t.match((await answering).status, 503);
  }
  t.equal(storedFiles(cluster).length, (await jobs()).length, 'each job has its file');

  const again = await until(async () => {
    const answer = await send(2, key);
    return answer.status === 503 ? null : answer;
  }, 'the edge serves again');
  const { data } = await bodyOf<JobBody>(again);
  t.ok((await jobs()).includes(data.id), 'the repeated request gets its job');
  await cluster.startWorker();
  const ended = async () =>
    (await db.query('SELECT FROM system_jobs WHERE finished_on IS NULL')).rowCount === 0;
  await until(ended, 'all jobs have ended');
  const { rows } = await db.query(`SELECT id FROM item ORDER BY id`);
  t.strictSame(rows, [{ id: 1 }, { id: 2 }, { id: 9 }]);
  t.strictSame(storedFiles(cluster), []);
});
