import { randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/config/config.ts';
import { migrate } from '#core/system/migrate.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { tidyActor } from '#workers/actors/tidy.ts';
import { openServices } from '#workers/open.ts';

t.test('old jobs and unused uploads are removed, all others stay', async (t) => {
  const url = await createDatabase(t);
  const log = pino({ level: 'silent' });
  const config = loadConfig({ DATA_DIR: t.testdir(), JOBS_RETENTION: '2d' });
  await migrate(config, url);
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
  await pool.query(
    `INSERT INTO system_job_errors (job, position, reason, code)
    SELECT id, 0, 'r', 'c' FROM unnest($1::uuid[]) id`,
    [[old, recent]],
  );

  const result = await tidyActor.receive(
    { version: 1 },
    {
      job: { id: randomUUID(), attempt: 1, user: null },
      log,
      signal: new AbortController().signal,
      services,
      connect: () => pool.connect(),
      progress: () => undefined,
      failpoint: async () => undefined,
    },
  );
  t.strictSame(result, { jobs: 1, files: 1 });
  const left = await pool.query<{ id: string }>('SELECT id FROM system_jobs ORDER BY sequence');
  t.strictSame(
    left.rows.map(({ id }) => id),
    [recent, open],
  );
  const errors = await pool.query<{ job: string }>('SELECT job FROM system_job_errors');
  t.strictSame(errors.rows, [{ job: recent }]);
  const uploads = (await spool.list()).map(({ id }) => id);
  t.strictSame(new Set(uploads), new Set([used, fresh]));
});
