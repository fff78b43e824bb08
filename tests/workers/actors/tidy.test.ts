import { randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { tidyActor } from '#workers/actors/tidy.ts';
import { openServices } from '#workers/open-services.ts';

t.test('old jobs and unused uploads are removed, all others stay', async (t) => {
  const url = await createSystemDatabase(t);
  const log = pino({ level: 'silent' });
  const config = loadConfig({ DATA_DIR: t.testdir(), JOBS_RETENTION: '2d' });
  const services = await openServices(config, url, log);
  t.teardown(() => services[Symbol.asyncDispose]());
  const { pool, spool } = services;

  const insert = async (state: string, age: string | null, file: string) => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO system_jobs (kind, queue, message, message_version, state, finished_on)
      VALUES ('import', 'transfer', jsonb_build_object('version', 1, 'file',
        jsonb_build_object('id', $1::text)), 1, $2, now() - $3::interval) RETURNING id`,
      [file, state, age],
    );
    return rows[0]?.id ?? '';
  };
  const [used, orphan, fresh] = [randomUUID(), randomUUID(), randomUUID()];
  for (const id of [used, orphan, fresh]) {
    await spool.write(id, Readable.from([Buffer.from('x')]), undefined);
  }
  const long = new Date(Date.now() - 86_400_000);
  const folder = join(config.DATA_DIR, 'spool');
  for (const file of await readdir(folder)) {
    if (!file.startsWith(fresh)) await utimes(join(folder, file), long, long);
  }
  const old = await insert('completed', '3 days', orphan);
  const recent = await insert('failed', '1 day', orphan);
  const open = await insert('waiting', null, used);
  // The report of a job that is kept; that of the old one goes with it.
  for (const id of [old, recent]) {
    await spool.write(id, Readable.from([Buffer.from('x')]), undefined);
    await utimes(join(folder, id), long, long);
  }
  await pool.query(
    `INSERT INTO system_job_errors (job, position, reason, code)
    SELECT id, 0, 'r', 'c' FROM unnest($1::uuid[]) id`,
    [[old, recent]],
  );

  const tidy = (changed = config) =>
    tidyActor.receive(
      { version: 1 },
      {
        job: { id: randomUUID(), attempt: 1, user: null, holder: null, requestId: null },
        log,
        signal: new AbortController().signal,
        services: { ...services, config: changed },
        connect: () => pool.connect(),
        progress: () => undefined,
        failpoint: async () => undefined,
      },
    );
  const undone = await insert('completed', '1 day', orphan);
  await pool.query(
    `WITH import AS (UPDATE system_jobs SET result = '{"inserted": 1, "undo": true}'
      WHERE id = $1 RETURNING id)
    INSERT INTO system_import_undos (import, collection, created_on)
    SELECT id, 'item', now() - interval '8 days' FROM import`,
    [undone],
  );
  t.match(await tidy(), { jobs: 1, files: 2, undos: 1 });
  const { rows: told } = await pool.query(
    'DELETE FROM system_jobs WHERE id = $1 RETURNING result',
    [undone],
  );
  t.strictSame(told, [{ result: { inserted: 1, undo: false } }], 'it cannot be undone any more');
  const left = await pool.query<{ id: string }>('SELECT id FROM system_jobs ORDER BY sequence');
  t.strictSame(
    left.rows.map(({ id }) => id),
    [recent, open],
  );
  const errors = await pool.query<{ job: string }>('SELECT job FROM system_job_errors');
  t.strictSame(errors.rows, [{ job: recent }]);
  const uploads = (await spool.list()).map(({ id }) => id);
  t.strictSame(new Set(uploads), new Set([used, fresh, recent]));

  // A job that a key still finds stays, however old it is; the key goes after a day, then the job.
  const keep = async (job: string, key: string, age: string) => {
    await pool.query(
      `INSERT INTO system_idempotency_keys (holder, key, request, job, created_on)
       VALUES ('h', $2, 'r', $1, now() - $3::interval)`,
      [job, key, age],
    );
  };
  const ids = async () => {
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM system_jobs ORDER BY sequence',
    );
    return rows.map(({ id }) => id);
  };
  const keys = async () => {
    const { rows } = await pool.query<{ key: string }>('SELECT key FROM system_idempotency_keys');
    return rows.map(({ key }) => key);
  };
  const found = await insert('completed', '5 days', randomUUID());
  await keep(found, 'young', '23 hours');
  await keep(recent, 'old', '25 hours');
  t.match(await tidy(), { jobs: 0, files: 0 });
  t.strictSame(await keys(), ['young']);
  t.strictSame(await ids(), [recent, open, found]);
  await pool.query("UPDATE system_idempotency_keys SET created_on = now() - interval '25 hours'");
  t.match(await tidy(), { jobs: 1, files: 0 });
  t.strictSame(await keys(), []);
  t.strictSame(await ids(), [recent, open]);

  // Of the ended jobs the newest stay; those that wait or run do not count.
  const second = await insert('failed', '2 hours', randomUUID());
  const newest = await insert('cancelled', '1 hour', randomUUID());
  const most = (count: number) => ({ ...config, JOBS_MAX_KEPT: count });
  t.match(await tidy(most(3)), { jobs: 0, files: 0 });
  t.match(await tidy(most(2)), { jobs: 1 });
  t.strictSame(await ids(), [open, second, newest]);
  t.match(await tidy(most(1)), { jobs: 1 });
  t.strictSame(await ids(), [open, newest]);

  // Files of ended jobs go by age, and by their number for one user.
  const kept = async (holder: string, age: string) => {
    const job = await insert('failed', age, randomUUID());
    const file = randomUUID();
    await spool.write(file, Readable.from([Buffer.from('x')]), undefined);
    await pool.query('UPDATE system_jobs SET kept_file = $2, holder = $3 WHERE id = $1', [
      job,
      file,
      holder,
    ]);
    return file;
  };
  const [aged, surplus, young, others] = [
    await kept('a', '25 hours'),
    await kept('a', '3 hours'),
    await kept('a', '2 hours'),
    await kept('b', '4 hours'),
  ];
  const limits = { JOB_FILES_RETENTION: 86_400_000, JOB_FILES_MAX: 1 };
  t.match(await tidy({ ...config, ...limits }), { jobs: 0, files: 2 });
  const there = new Set((await spool.list()).map(({ id }) => id));
  t.strictSame(
    [aged, surplus, young, others].map((id) => there.has(id)),
    [false, false, true, true],
  );

  // Old activities with two revisions each, the second a child of the first; the last two are new,
  // and one of them came along with something old.
  await pool.query(`
    INSERT INTO system_activity (action, timestamp, collection, item)
      SELECT 'update', now() - interval '100 days' + i * interval '1 second', 'c', i::text
      FROM generate_series(1, 1500) i;
    INSERT INTO system_activity (action, collection, item) VALUES ('update', 'c', 'new'),
      ('delete', 'c', 'new');
    INSERT INTO system_revisions (activity, collection, item)
      SELECT id, 'c', item FROM system_activity WHERE action = 'update' ORDER BY id;
    INSERT INTO system_revisions (activity, collection, item, parent)
      SELECT activity, 'c', 'child', id FROM system_revisions WHERE activity <= 1500 ORDER BY id DESC;
    UPDATE system_revisions SET parent = 7 WHERE activity = 1501`);
  t.match(await tidy(), { jobs: 0, files: 0 }, 'history stays unless it is to go');
  const counts = async () => {
    const { rows } = await pool.query<{ a: number; r: number }>(`SELECT
      (SELECT count(*)::int FROM system_activity) a, (SELECT count(*)::int FROM system_revisions) r`);
    return rows[0];
  };
  t.strictSame(await counts(), { a: 1502, r: 3001 });
  const retention = (activity: string, revisions: string) =>
    loadConfig({
      RETENTION_ENABLED: 'true',
      ACTIVITY_RETENTION: activity,
      REVISIONS_RETENTION: revisions,
    });
  const attached = await tidy(retention('10d', '200d'));
  t.match(attached, { jobs: 0, files: 0, revisions: 0, activities: 0 }, 'with their activities');
  const revisions = await tidy(retention('200d', '90d'));
  t.match(revisions, { jobs: 0, files: 0, revisions: 3000, activities: 0 });
  t.strictSame(await counts(), { a: 1502, r: 1 });
  const orphaned = await pool.query('SELECT item, parent FROM system_revisions');
  t.strictSame(orphaned.rows, [{ item: 'new', parent: null }]);
  const activities = await tidy(retention('90d', '90d'));
  t.match(activities, { jobs: 0, files: 0, revisions: 0, activities: 1500 });
  t.strictSame(await counts(), { a: 2, r: 1 });

  await pool.query(`INSERT INTO system_files (storage, filename_disk, filename_download, type, width, metadata)
    VALUES ('local', 'a', 'a', 'image/png', NULL, NULL), ('local', 'b', 'b', 'image/png', 1, '{}'),
      ('local', 'c', 'c', 'image/png', NULL, '{}'), ('local', 'd', 'd', 'text/plain', NULL, NULL)`);
  t.match(await tidy(), { images: 1 }, 'an image is measured that nobody has measured');
  const measured = await pool.query("SELECT fingerprint FROM system_jobs WHERE queue = 'images'");
  t.strictSame(measured.rows, [{ fingerprint: 'late a' }]);
});
