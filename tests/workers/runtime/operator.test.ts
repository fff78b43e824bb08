// @newest
/** What operators do with jobs and queues: retry, move first, pause, drain, resume, limit. */
import { pino } from 'pino';
import t from 'tap';
import { QueueService } from '#core/services/queues.ts';
import { backends } from '#tests/harness/backend.ts';
import { until } from '#tests/harness/until.ts';
import { admin, createCluster } from './cluster.ts';

for (const backend of backends) {
  t.test(`operators on ${backend.name}`, async (t) => {
    const cluster = await createCluster(t, backend);
    const { jobs, pool, queues, submit, ended, begun, openGate, trace } = cluster;
    const log = pino({ level: 'silent' });
    const service = new QueueService({ pool, schema: 'public', queues, log });
    const queue = queues.get('transfer');
    // None of them dies: a lock that a busy machine renews too late would only add an attempt.
    const env = { JOB_LOCK_DURATION: '60s', JOB_FILES_MAX: '2' };
    let worker = await cluster.startWorker(env);

    await t.test('retry a job that failed, with its upload', async (t) => {
      const file = await cluster.upload();
      const id = await submit('script', { succeedsAt: 6, file });
      const failed = await ended(id);
      t.match(failed, { state: 'failed', attempts: 5, file_kept: true });
      t.strictSame(
        failed.failures.map(({ attempt, reason }) => `${attempt} ${reason}`),
        [1, 2, 3, 4, 5].map((n) => `${n} An unexpected error occurred.`),
      );
      t.match(failed.failures[0]?.on, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const again = await jobs.retry(id, admin);
      t.match(again, { id, finished_on: null, error: null, file_kept: false });
      t.match(await ended(id), { state: 'completed', attempts: 6, result: { attempt: 6 } });
      t.ok((await cluster.uploads()).includes(file.id));
      await t.rejects(jobs.retry(id, admin), { code: 'CONFLICT', details: { state: 'completed' } });
    });

    await t.test('retry a job again and again, and lose its rejected rows', async (t) => {
      const id = await submit('script', { badRows: [1, 2] });
      t.match(await ended(id), { state: 'failed', attempts: 1 });
      for (const attempts of [2, 3]) {
        await jobs.retry(id, admin);
        t.match(await ended(id), { state: 'failed', attempts });
      }
      const { rows } = await pool.query('SELECT "row"::int FROM system_job_errors WHERE job = $1', [
        id,
      ]);
      t.strictSame(rows, [{ row: 1 }, { row: 2 }]);
    });

    await t.test('retry a cancelled job unless it had an upload', async (t) => {
      const mailbox = 'cancelled';
      const running = await submit('script', { mailbox, gate: 'again' });
      const waiting = await submit('script', { mailbox, file: await cluster.upload() });
      await begun(running);
      await t.rejects(jobs.retry(running, admin), { code: 'CONFLICT' }, 'not while it runs');
      await jobs.cancel(waiting, admin);
      await jobs.cancel(running, admin);
      t.match(await ended(running), { state: 'cancelled' });
      await openGate('again');
      await jobs.retry(running, admin);
      t.match(await ended(running), { state: 'completed', attempts: 2 });
      await t.rejects(jobs.retry(waiting, admin), {
        code: 'CONFLICT',
        details: { state: 'cancelled', reason: { sentence: /no longer kept/ } },
      });
    });

    await t.test('keep the uploads of the last failed jobs', async (t) => {
      const ids: string[] = [];
      for (let n = 0; n < 3; n += 1) {
        const file = await cluster.upload();
        ids.push(await submit('script', { badRows: [1], file }));
        await ended(ids[n] ?? '');
      }
      const kept = async () =>
        Promise.all(ids.map(async (id) => (await jobs.get(id, admin)).file_kept));
      await until(async () => (await kept()).join() === 'false,true,true');
      await t.rejects(jobs.retry(ids[0] ?? '', admin), { code: 'CONFLICT' });
      await jobs.retry(ids[2] ?? '', admin);
      t.match(await ended(ids[2] ?? ''), { state: 'failed', attempts: 2 });
    });

    await t.test(
      'pause a queue, which outlives workers and the memory of its server',
      async (t) => {
        t.match(await service.switch('transfer', 'paused', admin), { state: 'paused', waiting: 0 });
        const ids = [await submit('script'), await submit('script', { mailbox: 'paused' })];
        t.match(await ended(await submit('alter')), { state: 'completed' }, 'others work on');
        t.equal(await worker.drain(), 0);
        worker = await cluster.startWorker(env);
        await queue.setPaused(false);
        await until(async () => await queue.isPaused());
        t.match(await ended(await submit('alter')), { state: 'completed' });
        t.strictSame(await trace(ids), []);
        const [shown] = await service.list();
        t.match(shown, { name: 'transfer', state: 'paused', waiting: 2, running: 0 });
        await service.switch('transfer', 'running', admin);
        for (const id of ids) t.match(await ended(id), { state: 'completed', attempts: 1 });
      },
    );

    await t.test('change the concurrency of a queue while its jobs run', async (t) => {
      t.match(await service.limit('transfer', 1, admin), { concurrency: 1, state: 'running' });
      t.equal(await worker.drain(), 0);
      worker = await cluster.startWorker(env);
      const first = await submit('script', { gate: 'limited' });
      const second = await submit('script', { gate: 'limited' });
      await begun(first);
      t.strictSame(await trace([second]), [], 'a new worker knows the number');
      await service.limit('transfer', 2, admin);
      await begun(second);
      t.equal((await jobs.get(first, admin)).state, 'running', 'no job had to end before');
      await service.limit('transfer', null, admin);
      await openGate('limited');
      for (const id of [first, second]) t.match(await ended(id), { attempts: 1 });
      t.match((await service.list())[0], { name: 'transfer', concurrency: null });
      const serial = { code: 'UNPROCESSABLE_ENTITY' };
      await t.rejects(service.limit('schema', 2, admin), serial, 'changes run one at a time');
      await t.rejects(service.limit('nothing', 2, admin), { code: 'FORBIDDEN' });
    });

    await t.test('move a waiting job before the others of its queue', async (t) => {
      await service.limit('transfer', 1, admin);
      t.equal(await worker.drain(), 0);
      worker = await cluster.startWorker(env);
      const running = await submit('script', { gate: 'moved' });
      await begun(running);
      // The first of a mailbox is in the queue; the others follow when it has ended.
      const inBox = { mailbox: 'moved' };
      const [a, b, c, d, e] = [
        await submit('script'),
        await submit('script', inBox),
        await submit('script', inBox),
        await submit('script'),
        await submit('script'),
      ];
      t.match(await jobs.first(d, admin), { id: d, position: 1, actions: [{ action: 'first' }] });
      t.match(await jobs.first(c, admin), { position: 1 });
      t.match(await jobs.get(d, admin), { position: 2 });
      await t.rejects(jobs.first(running, admin), { code: 'CONFLICT' }, 'it waits no more');
      const user = { ...admin, admin: false, user: null };
      await t.rejects(jobs.first(e, user), { code: 'FORBIDDEN' });
      await openGate('moved');
      for (const id of [a, b, c, d, e]) t.match(await ended(id), { attempts: 1 });
      const begins = (await trace([a, b, c, d, e])).filter(({ what }) => what === 'begin');
      t.strictSame(
        begins.map(({ job }) => job),
        [c, d, a, b, e],
      );
      await service.limit('transfer', null, admin);
      await service.switch('schema', 'paused', admin);
      const schema = await submit('alter');
      const fixed = { code: 'CONFLICT', details: { reason: { code: 'schema_order_fixed' } } };
      await t.rejects(jobs.first(schema, admin), fixed);
      await service.switch('schema', 'running', admin);
      t.match(await ended(schema), { state: 'completed' });
    });

    await t.test('drain a queue: it finishes waiting jobs and accepts none', async (t) => {
      const running = await submit('script', { mailbox: 'drained', gate: 'drained' });
      const waiting = await submit('script', { mailbox: 'drained' });
      await begun(running);
      await service.switch('transfer', 'draining', admin);
      await t.rejects(submit('script'), {
        code: 'SERVICE_UNAVAILABLE',
        details: { service: 'queue', reason: { sentence: /"transfer" accepts no jobs/ } },
      });
      await openGate('drained');
      for (const id of [running, waiting]) t.match(await ended(id), { state: 'completed' });
      await t.rejects(jobs.retry(running, admin), { code: 'CONFLICT' });
      t.match(await ended(await submit('alter')), { state: 'completed' }, 'others accept');
      await service.switch('transfer', 'running', admin);
      t.match(await ended(await submit('script')), { state: 'completed' });
      await t.rejects(service.switch('nothing', 'paused', admin), { code: 'FORBIDDEN' });
    });

    await t.test('see that the worker of a job is lost, until another takes over', async (t) => {
      t.equal(await worker.drain(), 0);
      const quick = { JOB_LOCK_DURATION: '1s' };
      const lost = await cluster.startWorker(quick);
      const id = await submit('script', { gate: 'lost' });
      t.equal((await jobs.get(id, admin)).worker, null, 'it waits');
      await begun(id);
      t.match((await jobs.get(id, admin)).worker, { takeover: null });
      await lost.kill();
      const sign = async () => (await jobs.get(id, admin)).worker;
      await until(async () => (await sign())?.takeover != null, 'its silence is noticed');
      const { silence, takeover } = (await sign()) ?? {};
      t.ok(Number(silence) >= 3 && Number(takeover) < 22.5, `${silence} s, ${takeover} s`);
      worker = await cluster.startWorker(quick);
      await begun(id, 2);
      t.match(await jobs.get(id, admin), { failures: [{ attempt: 1, lost: true }] });
      await openGate('lost');
      t.match(await ended(id), { state: 'completed', attempts: 2 });
    });
  });
}
