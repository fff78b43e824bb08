// @newest
/**
 * A job is recorded by one message to PostgreSQL: between two of them a process that is cut off would
 * hold its user's lock (ops/docs/decisions/access.md).
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { localStorage } from '#core/files/storage/local-storage.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import { SpoolQuota } from '#core/jobs/quota.ts';
import type { Submission } from '#core/jobs/submit.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { JobService } from '#core/services/jobs.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { listenIn } from '#tests/harness/wire.ts';

const log = pino({ level: 'silent' });

const url = await createSystemDatabase(t);
const config = loadConfig({});
const cluster = randomUUID();
const wire = await listenIn(t, url);
const pool = new pg.Pool({ connectionString: wire.url });
const bus = await openBus(config, url, cluster, log);
const queues = await openQueues(config, url, cluster, log);
const spool = localStorage(t.testdir());
const places = { pool, schema: 'public', queues, bus, spool, log };
const jobs = new JobService({ ...places, maxPerHolder: 20, lockDuration: 15_000 });
t.teardown(async () => {
  jobs.close();
  await queues.close();
  await bus.close();
  await pool.end();
});

const user = randomUUID();
const holder = `user:${user}`;
const job: Submission = {
  kind: 'test',
  queue: 'transfer',
  message: { version: 1 },
  mailbox: null,
  collection: 'things',
  user,
  fingerprint: null,
};

/** The tables that each message of `work` writes. */
async function messagesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = wire.statements.length;
  await work();
  return wire.statements
    .slice(before)
    .map((text) =>
      [...text.matchAll(/INSERT INTO "public"\."(\w+)"/g)].map(([, name]) => name).join(),
    );
}

t.test('a job is recorded by one message', async (t) => {
  const submitted = (more: Partial<Submission>) =>
    messagesOf(() => jobs.submit({ ...job, ...more }));
  const withKey = 'system_jobs,system_idempotency_keys';
  t.strictSame(await submitted({}), ['system_jobs'], 'that of nobody');
  t.strictSame(await submitted({ holder }), ['system_jobs'], 'that of somebody');
  t.strictSame(await submitted({ holder, idempotencyKey: 'k' }), [withKey], 'with a key');
  const upload = { bytes: 10, max: 100 };
  t.strictSame(
    await submitted({ holder, upload, fingerprint: 'sha256:1', idempotencyKey: 'l' }),
    [withKey],
    'with a key and a file',
  );
});

t.test('the bytes of an upload are counted by one message', async (t) => {
  const quota = new SpoolQuota({ pool, schema: 'public', max: 100_000 });
  const counted = await messagesOf(() => quota.begin(randomUUID(), holder, 50_000));
  t.strictSame(counted, ['system_uploads']);
  await t.rejects(quota.begin(randomUUID(), holder, 60_000), { code: 'REQUESTS_EXCEEDED' });
});
