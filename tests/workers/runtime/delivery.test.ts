// @newest @slow

import t from 'tap';
import * as v from 'valibot';
import { transaction } from '#core/database/pool.ts';
import { publishWithin } from '#core/model/catalog/publish-in-transaction.ts';
import { backends } from '#tests/harness/backend.ts';
import { until } from '#tests/harness/until.ts';
import { admin, createCluster } from './cluster.ts';

for (const backend of backends) {
  t.test(`deliveries on ${backend.name}`, async (t) => {
    const cluster = await createCluster(t, backend);
    const { jobs, pool, queues, submit, ended, begun, openGate, trace } = cluster;
    // None of them dies: a lock that a busy machine renews too late would only add an attempt.
    const env = { WORKER_CONCURRENCY: '4', JOB_LOCK_DURATION: '60s', LOG_LEVEL: 'info' };
    await Promise.all([cluster.startWorker(env), cluster.startWorker(env)]);

    await t.test('no job begins with an older catalog than it was accepted with', async (t) => {
      for (const name of ['first', 'second', 'third']) {
        const { version } = await transaction(pool, async (client) => {
          await client.query(`CREATE TABLE ${name} (id integer PRIMARY KEY)`);
          return await publishWithin(client, { schemas: ['public'], system: 'public' });
        });
        // Nobody tells the workers.
        const { result } = await ended(await submit('script'));
        t.ok(v.parse(v.object({ catalog: v.number() }), result).catalog >= version);
      }
    });

    await t.test('an attempt that fails is followed by others', async (t) => {
      const job = await ended(await submit('script', { succeedsAt: 3 }));
      t.match(job, { state: 'completed', attempts: 3, result: { attempt: 3 }, error: null });
      t.strictSame(job.progress, { rows: 1, bytes: 10, percent: 100 }, 'done is 100 %');
      const attempts = (await trace([job.id])).filter(({ what }) => what === 'begin');
      t.strictSame(
        attempts.map(({ attempt }) => attempt),
        [1, 2, 3],
      );
    });

    await t.test('a transaction that fails is undone and its job tried again', async (t) => {
      const job = await ended(await submit('commit', { succeedsAt: 3 }));
      t.match(job, { state: 'completed', attempts: 3 });
      const { rowCount } = await pool.query('SELECT FROM work WHERE job = $1', [job.id]);
      t.equal(rowCount, 1);
    });

    await t.test('attempts that end with their session do not count', async (t) => {
      const job = await ended(await submit('commit', { survivesAt: 7 }));
      t.match(job, { state: 'completed', attempts: 7 });
      t.ok(job.failures.every(({ outage }) => outage));
    });

    await t.test('an hour after the first of them they count', async (t) => {
      const id = await submit('commit', { survivesAt: 99 });
      await until(async () => {
        const { rowCount } = await pool.query(
          `UPDATE system_jobs SET failures = jsonb_set(failures, '{0,on}', '"2020-01-01T00:00:00Z"')
            WHERE id = $1 AND jsonb_array_length(failures) > 0`,
          [id],
        );
        return rowCount === 1;
      });
      const job = await ended(id);
      t.match(job, { state: 'failed', error: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
      t.equal(job.failures.filter(({ outage }) => outage !== true).length, 5);
    });

    await t.test('a job whose attempts all fail is set aside without internals', async (t) => {
      const job = await ended(await submit('script', { succeedsAt: 99 }));
      t.match(job, { state: 'failed', attempts: 5, result: null });
      t.strictSame(job.error?.length, 1);
      t.match(job.error?.[0], { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
      await cluster.logged(
        new RegExp(`"level":50,[^\\n]*"job":"${job.id}"[^\\n]*"outcome":"failed"`),
      );
      t.notMatch(JSON.stringify(job), 'secret');
      await until(async () => (await queues.get('transfer').state(job.id)) === 'failed');
    });

    await t.test('administrators see why schema jobs failed', async (t) => {
      const job = await ended(await submit('alter', { succeedsAt: 99 }));
      t.match(job.error?.[0], {
        extensions: {
          ...{ code: 'INTERNAL_SERVER_ERROR', reason: 'a secret detail' },
          reason_code: 'internal_error_message',
        },
      });
    });

    await t.test('a refusal is final and its rows are stored', async (t) => {
      const badRows = Array.from({ length: 120 }, (_, index) => index + 1);
      const job = await ended(await submit('script', { badRows }));
      t.match(job, { state: 'failed', attempts: 1 });
      const line = `"level":40,[^\\n]*"job":"${job.id}"[^\\n]*"outcome":"failed"[^\\n]*VALUE_TOO_LONG`;
      await cluster.logged(new RegExp(line));
      t.equal(job.error?.length, 100);
      t.match(job.error?.[0], { extensions: { code: 'VALUE_TOO_LONG', row: 1, field: 'f' } });
      const rows = [];
      for await (const row of jobs.errors(job.id, admin)) rows.push(row);
      t.equal(rows.length, 120);
      t.strictSame(rows[119], {
        row: 120,
        field: 'f',
        value: 'v',
        reason: 'The value has more than 1 characters.',
        code: 'VALUE_TOO_LONG',
        reason_code: 'too_many_characters',
        reason_parameters: { limit: 1 },
      });
    });

    await t.test(
      'a job that only another release can read waits, and can be cancelled',
      async (t) => {
        const mailbox = 'later';
        const later = await submit('script', { mailbox, version: 2 });
        const unknown = await submit('no-such-actor', { mailbox });
        const misplaced = await submit('script', { mailbox: 7 });
        const good = await submit('script', { mailbox });
        for (const id of [later, unknown]) {
          const isAside = async () => (await queues.get('transfer').state(id)) === 'delayed';
          await until(isAside);
          t.match(await jobs.get(id, admin), { state: 'waiting', attempts: 0 });
          await jobs.cancel(id, admin);
        }
        t.match(await ended(good), { state: 'completed' });
        for (const id of [later, unknown]) t.match(await ended(id), { state: 'cancelled' });
        const failed = await ended(misplaced);
        t.match(failed, { state: 'failed', attempts: 1 });
        t.match(failed.error?.[0], { extensions: { code: 'UNPROCESSABLE_ENTITY' } });
        t.strictSame(await trace([later, unknown, misplaced]), []);
      },
    );

    await t.test('a transactional actor must complete its job', async (t) => {
      t.match(await ended(await submit('careless')), { state: 'failed', attempts: 5 });
    });

    await t.test('a mailbox is worked off in order, one at a time', async (t) => {
      const ids: string[] = [];
      for (let n = 0; n < 8; n += 1) {
        for (const mailbox of ['a', 'b']) ids.push(await submit('script', { mailbox }));
      }
      for (const id of ids) t.match(await ended(id), { state: 'completed', attempts: 1 });
      for (const offset of [0, 1]) {
        const own = ids.filter((_, index) => index % 2 === offset);
        const steps = (await trace(own)).map(({ job, what }) => `${what} ${own.indexOf(job)}`);
        t.strictSame(
          steps,
          own.flatMap((_, n) => [`begin ${n}`, `end ${n}`]),
        );
      }
    });

    await t.test('a job that waits for its turn holds no slot', async (t) => {
      const blocked: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        blocked.push(await submit('script', { mailbox: 'blocked', gate: 'blocked' }));
      }
      await begun(blocked[0] ?? '');
      t.match(await ended(await submit('script', { mailbox: 'free' })), { state: 'completed' });
      t.match(await ended(await submit('script')), { state: 'completed' });
      t.equal((await trace(blocked)).length, 1);
      await openGate('blocked');
      for (const id of blocked) t.match(await ended(id), { state: 'completed' });
    });

    await t.test('a job is cancelled while it waits and while it runs', async (t) => {
      const mailbox = 'cancelled';
      const running = await submit('script', { mailbox, gate: 'never' });
      const waiting = await submit('script', { mailbox, gate: 'never' });
      const last = await submit('script', { mailbox });
      await begun(running);
      await jobs.cancel(waiting, admin);
      t.match(await ended(waiting), { state: 'cancelled', attempts: 0 });
      await jobs.cancel(running, admin);
      t.match(await ended(running), { state: 'cancelled', attempts: 1, result: null });
      await cluster.logged(new RegExp(`"job":"${running}"[^\\n]*"outcome":"cancelled"`));
      t.match(await ended(last), { state: 'completed' });
      t.strictSame(await trace([waiting]), []);
    });

    await t.test('a request to cancel is heeded although its message was lost', async (t) => {
      const id = await submit('script', { gate: 'never' });
      await begun(id);
      await pool.query('UPDATE system_jobs SET cancel_requested = true WHERE id = $1', [id]);
      t.match(await ended(id), { state: 'cancelled' });
    });

    await t.test(
      'an upload goes when its job is cancelled, and is kept when it fails',
      async (t) => {
        const gone = async (id: string) => !(await cluster.uploads()).includes(id);
        const mailbox = 'uploads';
        const file = await cluster.upload();
        const running = await submit('script', { mailbox, gate: 'never', file });
        const [waiting, asked] = [await cluster.upload(), await cluster.upload()];
        const waits = await submit('script', { mailbox, file: waiting });
        const given = await submit('script', { mailbox, file: asked });
        await begun(running);
        await jobs.cancel(waits, admin);
        t.ok(await gone(waiting.id), 'cancelled while it waited');
        // As when its worker drains just after it was asked to stop.
        await pool.query('UPDATE system_jobs SET cancel_requested = true WHERE id = $1', [given]);
        t.notOk(await gone(file.id), 'a job that runs keeps its own');
        await jobs.cancel(running, admin);
        await until(async () => await gone(file.id));
        t.match(await ended(given), { state: 'cancelled', attempts: 0 });
        await until(async () => await gone(asked.id));

        const late = await cluster.upload();
        const id = await submit('commit', { gate: 'late', file: late });
        await begun(id);
        await pool.query(
          `WITH request AS (UPDATE system_jobs SET cancel_requested = true WHERE id = '${id}')
        INSERT INTO gate VALUES ('late')`,
        );
        t.match(await ended(id), { state: 'cancelled' }, 'its transaction finds itself cancelled');
        await until(async () => await gone(late.id));

        for (const fault of [{ succeedsAt: 99 }, { badRows: [1] }]) {
          const upload = await cluster.upload();
          t.match(await ended(await submit('script', { ...fault, file: upload })), {
            state: 'failed',
          });
          t.notOk(await gone(upload.id), 'for a retry');
        }
        const kept = await cluster.upload();
        t.match(await ended(await submit('script', { succeedsAt: 3, file: kept })), {
          state: 'completed',
        });
        t.notOk(await gone(kept.id), 'an attempt that fails leaves it to the next');
      },
    );

    await t.test('an overdue job fails', async (t) => {
      const job = await ended(await submit('brief', { gate: 'never' }));
      t.match(job, { state: 'failed', attempts: 1 });
      t.match(job.error?.[0], {
        extensions: { code: 'OUT_OF_TIME', category: 'brief', duration: 300 },
      });
    });

    await t.test('a job that does not heed its signal is left behind', async (t) => {
      const mailbox = 'deaf';
      const id = await submit('brief', { mailbox, gate: 'never', deaf: true });
      const next = await submit('script', { mailbox });
      t.match(await ended(id), { state: 'failed' });
      t.match(await ended(next), { state: 'completed' });
    });

    await t.test('a job that is delivered twice is done once', async (t) => {
      const queue = queues.get('transfer');
      for (const kind of ['script', 'commit']) {
        const job = await ended(await submit(kind));
        t.match(job, { state: 'completed', result: { attempt: 1 } });
        await until(async () => (await queue.state(job.id)) === 'completed');
        const before = await jobs.get(job.id, admin);
        await queue.remove(job.id);
        await queue.add(job.id, kind);
        await until(async () => (await queue.state(job.id)) === 'completed');
        t.strictSame(await jobs.get(job.id, admin), before);
      }
      const works = await pool.query('SELECT count(*)::int AS n FROM work GROUP BY job');
      t.strictSame(works.rows, [{ n: 1 }, { n: 1 }, { n: 1 }]);
    });
  });
}
