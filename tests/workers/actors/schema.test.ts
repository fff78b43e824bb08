// @slow

import { pino } from 'pino';
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { localStorage } from '#core/files/storage/local-storage.ts';
import type { Job } from '#core/jobs/job.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import { schemaSubmission } from '#core/schema/schema-job.ts';
import { JobService } from '#core/services/jobs.ts';
import { type Cluster, QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import type { Teardown } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const admin = { ...ANONYMOUS, admin: true };
const log = pino({ level: 'silent' });

/** Accepts changes for a cluster's workers, as its edge would. */
async function openJobs(t: Teardown, cluster: Cluster) {
  const { databaseUrl, db } = cluster;
  const config = loadConfig({});
  const id = await clusterId(db, 'public');
  const bus = await openBus(config, databaseUrl, id, log);
  const queues = await openQueues(config, databaseUrl, id, log);
  const spool = localStorage(cluster.dataDir);
  const jobs = new JobService({
    pool: db,
    schema: 'public',
    queues,
    bus,
    spool,
    log,
    maxPerHolder: 1_000,
    lockDuration: 15_000,
  });
  t.teardown(async () => {
    jobs.close();
    await queues.close();
    await bus.close();
  });
  const submit = async (change: SchemaChange, concurrently = false) => {
    const options = { concurrently, force: false };
    return (await jobs.submit(schemaSubmission(change, options, { user: null }))).id;
  };
  const ended = async (id: string): Promise<Job> => {
    const job = await jobs.wait(id, 60_000);
    if (job === null) throw new Error(`job ${id} does not end`);
    return job;
  };
  return { jobs, submit, ended };
}

function addition(field: string): SchemaChange {
  const meta = { interface: 'input' };
  const input = { field, type: 'integer', schema: { default_value: 7 }, meta } as const;
  return { kind: 'fields.create', collection: 'book', field: input };
}

function indexing(
  field: string,
  schema: { readonly is_unique?: boolean; readonly is_indexed?: boolean },
): SchemaChange {
  return { kind: 'fields.update', collection: 'book', fields: [{ field, schema }] };
}

const TABLE = `
  CREATE TABLE book (id int PRIMARY KEY, title text, same text);
  INSERT INTO book SELECT n, 'title ' || n, 'same' FROM generate_series(1, 100) n`;

/** What database, metadata and published catalog say of a field of books. */
async function stateOf({ db }: Cluster, field: string) {
  const { rows } = await db.query<{ column: number; meta: number; published: number }>(
    `SELECT
      (SELECT count(*)::int FROM pg_attribute
        WHERE attrelid = 'book'::regclass AND attname = $1 AND NOT attisdropped) AS column,
      (SELECT count(*)::int FROM system_fields WHERE collection = 'book' AND field = $1) AS meta,
      (SELECT count(*)::int FROM system_catalog, json_array_elements(descriptor -> 'table' -> 'columns') c
        WHERE collection = 'book' AND c ->> 'name' = $1) AS published`,
    [field],
  );
  return rows[0];
}

const NOTHING = { column: 0, meta: 0, published: 0 };
const ALL = { column: 1, meta: 1, published: 1 };

t.test('changes, their end and their indexes', async (t) => {
  const cluster = await startCluster(t, { env: QUICK_TAKEOVER });
  const { db } = cluster;
  await db.query(TABLE);
  const { jobs, submit, ended } = await openJobs(t, cluster);
  const answer = async (path: string) => (await cluster.fetch(path)).json();

  const killed = await cluster.startWorker({ FAILPOINT: 'schema.changed' });
  let current = killed;

  await t.test('a worker that dies before the commit has done nothing', async (t) => {
    const id = await submit(addition('early'));
    t.equal(await killed.stoppedAt, 'schema.changed');
    t.strictSame(await stateOf(cluster, 'early'), NOTHING);
    await killed.end('SIGKILL');
    current = await cluster.startWorker({ FAILPOINT: 'schema.committed' });
    t.match(await ended(id), { state: 'completed', error: null, attempts: 2 });
    t.strictSame(await stateOf(cluster, 'early'), ALL);
  });

  await t.test('a worker that dies after the commit has done it, once and for good', async (t) => {
    const id = await submit(addition('late'));
    t.equal(await current.stoppedAt, 'schema.committed');
    t.strictSame(await stateOf(cluster, 'late'), ALL);
    // It is not announced yet, but it is committed.
    await t.rejects(jobs.cancel(id, admin), { code: 'CONFLICT' });
    await current.end('SIGKILL');
    current = await cluster.startWorker();
    t.match(await ended(id), { state: 'completed', error: null, result: { version: Number } });
    t.strictSame(await stateOf(cluster, 'late'), ALL);
    t.strictSame(await answer('/items/book/1?fields=early,late'), { data: { early: 7, late: 7 } });
  });

  await t.test('every process has applied a completed change', async (t) => {
    const { result, state } = await ended(await submit(addition('known')));
    t.equal(state, 'completed');
    t.match(result, { version: Number });
    t.strictSame(await answer('/items/book/1?fields=known'), { data: { known: 7 } });
  });

  await t.test('what is refused leaves nothing behind and says why', async (t) => {
    const job = await ended(await submit(addition('title')));
    t.equal(job.state, 'failed');
    t.match(job.error, [{ extensions: { code: 'INVALID_PAYLOAD' } }]);
    t.strictSame(await stateOf(cluster, 'title'), { column: 1, meta: 0, published: 1 });
  });

  await t.test('changes are made one after another, in their order', async (t) => {
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((field) => submit(addition(field))));
    const ends = await Promise.all(ids.map(ended));
    t.ok(ends.every(({ state }) => state === 'completed'));
    const { rows } = await db.query<{ attname: string; sort: number }>(
      `SELECT attname, sort FROM pg_attribute JOIN system_fields ON field = attname
       WHERE attrelid = 'book'::regclass AND attname IN ('a', 'b', 'c', 'd') ORDER BY attnum`,
    );
    t.equal(new Set(rows.map(({ sort }) => sort)).size, 4);
    t.strictSame(
      rows.map(({ sort }) => sort),
      rows.map(({ sort }) => sort).sort((one, other) => one - other),
    );
  });

  await t.test('one that waits for a table is cancelled without a trace', async (t) => {
    const reader = await db.connect();
    await reader.query('BEGIN; SELECT FROM book');
    const id = await submit(addition('never'));
    await until(async () => (await jobs.get(id, admin)).state === 'running', 'the change to begin');
    await jobs.cancel(id, admin);
    t.equal((await ended(id)).state, 'cancelled');
    await reader.query('ROLLBACK');
    reader.release();
    t.strictSame(await stateOf(cluster, 'never'), NOTHING);
  });

  const indexJob = async () => {
    const { rows } = await db.query<{ id: string; message: unknown }>(
      `SELECT id, message FROM system_jobs WHERE kind = 'index' ORDER BY sequence DESC LIMIT 1`,
    );
    return rows[0] ?? { id: '', message: null };
  };
  const indexes = async (field: string) => {
    const { rows } = await db.query<{ name: string; valid: boolean }>(
      `SELECT c.relname AS name, i.indisvalid AS valid FROM pg_index i
       JOIN pg_class c ON c.oid = i.indexrelid
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
       WHERE i.indrelid = 'book'::regclass AND a.attname = $1`,
      [field],
    );
    return rows;
  };

  await t.test(
    'an index is built after the change, and by another worker when one dies',
    async (t) => {
      const old = await db.connect();
      await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM system_settings');
      const job = await ended(await submit(indexing('title', { is_indexed: true }), true));
      t.equal(job.state, 'completed');
      const { id, message } = await indexJob();
      t.match(message, { field: 'title', index: 'book_title_index', unique: false });
      // It waits for the old transaction, with the index there and invalid.
      await until(async () => (await indexes('title')).length === 1, 'the index to begin');
      t.strictSame(await indexes('title'), [{ name: 'book_title_index', valid: false }]);
      // Others still write.
      await db.query(`UPDATE book SET title = 'other' WHERE id = 1`);
      await current.end('SIGKILL');
      current = await cluster.startWorker();
      await until(async () => (await jobs.get(id, admin)).attempts > 1, 'another worker');
      await old.query('ROLLBACK');
      old.release();
      t.match(await ended(id), { state: 'completed', result: { outcome: 'built' } });
      t.strictSame(await indexes('title'), [{ name: 'book_title_index', valid: true }]);
    },
  );

  await t.test('an index of values that are not unique fails and leaves nothing', async (t) => {
    await ended(await submit(indexing('same', { is_unique: true }), true));
    const job = await ended((await indexJob()).id);
    t.equal(job.state, 'failed');
    t.match(job.error, [{ extensions: { code: 'RECORD_NOT_UNIQUE', field: 'same' } }]);
    t.strictSame(await indexes('same'), []);
    const plain = await ended(await submit(indexing('same', { is_unique: true })));
    t.match(plain.error, [{ extensions: { code: 'RECORD_NOT_UNIQUE' } }]);
  });
});
