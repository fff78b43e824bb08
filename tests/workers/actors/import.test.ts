// @quick

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { ServiceErrors } from '#core/base/errors/service-error.ts';
import type { Connection } from '#core/database/pool.ts';
import { claimJob } from '#core/jobs/claim.ts';
import { IMPORT_JOB, type ImportFormat, type ImportMessage } from '#core/jobs/message/import.ts';
import { failJob, SupersededError } from '#core/jobs/write-job-status.ts';
import type { JobProgress } from '#core/messaging/bus.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { importActor } from '#workers/actors/import.ts';
import { openServices } from '#workers/open-services.ts';
import type { ActorContext } from '#workers/runtime/actor.ts';
import { Interruption, type InterruptionReason } from '#workers/runtime/interruption-reason.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
const url = await createSystemDatabase(t);
const config = loadConfig({ DATA_DIR: folder, MAX_IMPORT_ERRORS: '3' });
const services = await openServices(config, url, pino({ level: 'silent' }));
const outside = new pg.Pool({ connectionString: url, max: 2 });
let user = '';
t.teardown(async () => {
  await outside.end();
  await services[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Delivery {
  readonly message: ImportMessage;
  /** The id of its upload. */
  readonly file: string;
  readonly context: ActorContext;
  readonly reports: readonly JobProgress[];
  /** What the job's row says. */
  row(): Promise<Record<string, unknown>>;
  interrupt(reason: InterruptionReason): void;
}

/** Spools a file and claims its job, as the edge and the runtime would. */
async function deliver(
  content: string,
  format: ImportFormat = 'csv',
  failpoint: (name: string) => Promise<void> = async () => undefined,
): Promise<Delivery> {
  const { pool, schema, jobs, spool, log } = services;
  const id = randomUUID();
  const { bytes } = await spool.write(id, pieces(content), undefined);
  const message: ImportMessage = { version: 3, collection: 'item', file: { id, format, bytes } };
  const mailbox = importActor.mailbox(message);
  const job = await jobs.submit({
    ...{ kind: IMPORT_JOB, queue: 'transfer', message, mailbox, collection: 'item', user },
    fingerprint: id,
  });
  const claim = await claimJob(pool, schema, job.id, {
    readable: { [IMPORT_JOB]: importActor.version },
  });
  if (claim.outcome !== 'claimed') throw new Error(`the job is ${claim.outcome}`);
  const controller = new AbortController();
  const reports: JobProgress[] = [];
  let client: Promise<Connection> | undefined;
  const connect = () => {
    client ??= pool.connect();
    return client;
  };
  const context: ActorContext = {
    job: claim.job,
    log,
    signal: controller.signal,
    services,
    connect,
    progress: (report) => reports.push(report),
    failpoint,
  };
  return {
    message,
    file: id,
    context,
    reports,
    async row() {
      (await client)?.release(true);
      const { rows } = await outside.query('SELECT * FROM system_jobs WHERE id = $1', [job.id]);
      // Whatever became of it, the next job of the mailbox may come.
      await outside.query(
        "UPDATE system_jobs SET state = 'cancelled', finished_on = now() WHERE state = 'running'",
      );
      return rows[0] ?? {};
    },
    interrupt: (reason) => controller.abort(new Interruption(reason)),
  };
}

async function* pieces(content: string) {
  yield Buffer.from(content);
}

async function items(): Promise<unknown[]> {
  const { rows } = await outside.query('SELECT * FROM item ORDER BY id');
  return rows;
}

async function isSpooled({ message }: Delivery): Promise<boolean> {
  return (await services.spool.list()).some(({ id }) => id === message.file.id);
}

t.before(async () => {
  await outside.query('CREATE TABLE item (id int PRIMARY KEY, name varchar(5) NOT NULL)');
  const { rows } = await outside.query<{ id: string }>(`
    WITH p AS (INSERT INTO system_policies (id, name, admin_access)
        VALUES (gen_random_uuid(), 'all', true) RETURNING id),
      u AS (INSERT INTO system_users (id, email) VALUES (gen_random_uuid(), 'a@example.com') RETURNING id)
    INSERT INTO system_access ("user", policy) SELECT u.id, p.id FROM u, p RETURNING "user" AS id`);
  user = rows[0]?.id ?? '';
});

t.beforeEach(async () => {
  await outside.query("TRUNCATE item; INSERT INTO item VALUES (1, 'old')");
});

t.test('rows and result are there together, and the file is gone', async (t) => {
  const delivery = await deliver('id,name\n1,new\n2,two\n');
  const result = await importActor.receive(delivery.message, delivery.context);
  const expected = { inserted: 1, updated: 1, unchanged: 0, duplicates: 0, skipped: 0, failed: 0 };
  t.strictSame(result, expected);
  t.match(await delivery.row(), { state: 'completed', result: expected });
  t.strictSame(await items(), [
    { id: 1, name: 'new' },
    { id: 2, name: 'two' },
  ]);
  const recorded =
    await outside.query(`SELECT a.action, a.collection, a.item, a."user", r.id AS revision
    FROM system_activity a LEFT JOIN system_revisions r ON r.activity = a.id`);
  const { id: item } = delivery.context.job;
  const whole = { action: 'import', collection: 'item', item, user, revision: null };
  t.strictSame(recorded.rows, [whole], 'history tells of the whole');
  t.match(delivery.reports.at(-1), { rows: 2, bytes: 20, percent: 99 });
  t.notOk(await isSpooled(delivery));
});

t.test('of a refused file the rows are named, as many as are wanted', async (t) => {
  const delivery = await deliver('id,name\n2,toolong\n3,\n4,toolong\n5,toolong\n');
  const error = await importActor
    .receive(delivery.message, delivery.context)
    .catch((reason: unknown) => reason);
  t.ok(error instanceof ServiceErrors && error.errors.length === 3);
  t.match(await delivery.row(), { state: 'running', result: null }, 'the runtime records it');
  t.strictSame(await items(), [{ id: 1, name: 'old' }]);
  await services.spool.remove(delivery.file);
});

t.test('a value that PostgreSQL cannot store is named in the report all the same', async (t) => {
  for (const [content, format, field] of [
    ['[{"id":1,"name":"\\u0000"}]', 'json', 'name'],
    ['[{"id":"\\u0000","name":"a"}]', 'json', 'id'],
    ['[{"id":1,"name":"a","x\\u0000\\udc00":1}]', 'json', 'x\ufffd\ufffd'],
    ['id,name\n1,a\0b\n', 'csv', 'name'],
    ['id,na\0me\n1,a\n', 'csv', 'na\ufffdme'],
  ] as const) {
    const place = JSON.stringify(content);
    const { message, context, row } = await deliver(content, format);
    const error = await importActor.receive(message, context).catch((reason: unknown) => reason);
    if (!(error instanceof ServiceErrors)) throw error;
    const entries = error.errors.map((one) => one.toJSON());
    const { schema } = services;
    t.equal(await failJob(outside, schema, context.job, entries), true, place);
    const recorded = { state: 'failed', error: [{ extensions: { field } }] };
    t.match(await row(), recorded, place);
    const { rows } = await outside.query('SELECT field FROM system_job_errors WHERE job = $1', [
      context.job.id,
    ]);
    const isOfRow = entries.some(({ extensions }) => typeof extensions.row === 'number');
    t.strictSame(rows, isOfRow ? [{ field }] : [], place);
  }
});

t.test('nothing is written for a user without permission any more', async (t) => {
  const refused = { code: 'FORBIDDEN' };
  for (const [taken, given] of [
    ["UPDATE system_users SET status = 'suspended'", "UPDATE system_users SET status = 'active'"],
    [
      'UPDATE system_policies SET admin_access = false',
      'UPDATE system_policies SET admin_access = true',
    ],
    [
      'DELETE FROM system_access',
      `INSERT INTO system_access ("user", policy) SELECT '${user}', id FROM system_policies WHERE name = 'all'`,
    ],
  ] as const) {
    const delivery = await deliver('id,name\n2,two\n');
    await outside.query(taken);
    await t.rejects(importActor.receive(delivery.message, delivery.context), refused, taken);
    await outside.query(given);
    await delivery.row();
    t.strictSame(await items(), [{ id: 1, name: 'old' }], taken);
    await services.spool.remove(delivery.file);
  }
});

t.test('a JSON file is read as such', async (t) => {
  const delivery = await deliver('[{"id":3,"name":"three"}]', 'json');
  t.match(await importActor.receive(delivery.message, delivery.context), { inserted: 1 });
  t.match(await delivery.row(), { state: 'completed' });
});

t.test('a delivery that is not the current one any more commits nothing', async (t) => {
  const delivery = await deliver('id,name\n2,two\n', 'csv', async (name) => {
    if (name !== 'import.staged') return;
    await outside.query("UPDATE system_jobs SET attempt = 2 WHERE state = 'running'");
  });
  await t.rejects(importActor.receive(delivery.message, delivery.context), SupersededError);
  await delivery.row();
  t.strictSame(await items(), [{ id: 1, name: 'old' }]);
  t.ok(await isSpooled(delivery), 'the file stays for the other delivery');
  await services.spool.remove(delivery.file);
});

t.test('the file of an import that is interrupted stays for the runtime', async (t) => {
  for (const reason of ['cancelled', 'overdue', 'draining', 'superseded'] as const) {
    const delivery = await deliver('id,name\n2,two\n', 'csv', async (name) => {
      if (name === 'import.merging') delivery.interrupt(reason);
    });
    await t.rejects(importActor.receive(delivery.message, delivery.context), Interruption);
    await delivery.row();
    t.strictSame(await items(), [{ id: 1, name: 'old' }], reason);
    t.ok(await isSpooled(delivery), reason);
    await services.spool.remove(delivery.file);
  }
});

t.test('a file that is gone is a failure of the storage', async (t) => {
  const delivery = await deliver('id,name\n2,two\n');
  await services.spool.remove(delivery.file);
  await t.rejects(importActor.receive(delivery.message, delivery.context), {
    code: 'SERVICE_UNAVAILABLE',
    details: { service: 'storage' },
  });
  await delivery.row();
});

t.test('a table that was made a moment ago is known', async (t) => {
  await outside.query('CREATE TABLE fresh (id int PRIMARY KEY)');
  const delivery = await deliver('id\n1\n');
  const message = { ...delivery.message, collection: 'fresh' };
  t.match(await importActor.receive(message, delivery.context), { inserted: 1 });
  await delivery.row();
});

t.test('places at which a test may stop it come in their order', async (t) => {
  const places = new Set<string>();
  const delivery = await deliver('id,name\n2,two\n', 'csv', async (name) => {
    places.add(name);
  });
  await importActor.receive(delivery.message, delivery.context);
  await delivery.row();
  const expected = [
    ...['import.parsing', 'import.staged', 'import.merging', 'import.committing'],
    'import.committed',
  ];
  t.strictSame([...places], expected);
});

t.test('it is one lane for each collection, in the time that is configured', async (t) => {
  const file = { id: randomUUID(), format: 'csv', bytes: 0 } as const;
  t.equal(importActor.mailbox({ version: 1, collection: 'item', file }), 'import:item');
  t.equal(importActor.deadline(services), config.IMPORT_TIMEOUT);
});
