// @newest @slow

import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { until } from '#tests/harness/until.ts';
import { admin, createCluster } from './cluster.ts';

for (const backend of backends) {
  t.test(`a job on ${backend.name}`, async (t) => {
    const cluster = await createCluster(t, backend);
    const { jobs, pool, queues, submit, ended, begun, openGate, logged, trace, startWorker } =
      cluster;
    const queue = queues.get('transfer');
    const works = async (id: string) =>
      (await pool.query('SELECT FROM work WHERE job = $1', [id])).rowCount;
    // What a worker gives back when it drains waits for no lock to run out.
    const patient = { JOB_LOCK_DURATION: '5s' };
    // One worker lives at a time; each one finishes what the one before it left.
    let worker = await startWorker({ ...patient, WORKER_CONCURRENCY: '1' });

    await t.test('is given back by a worker that drains', async (t) => {
      const mailbox = 'drained';
      const running = await submit('script', { mailbox, gate: 'drained' });
      const next = await submit('script', { mailbox });
      const waiting = await submit('script');
      await begun(running);
      t.equal(await worker.drain(), 0);
      t.match(await jobs.get(running, admin), { state: 'waiting', attempts: 1, error: null });
      t.equal(await queue.state(running), 'waiting');
      worker = await startWorker(patient);
      await begun(running, 2);
      await openGate('drained');
      t.match(await ended(running), { state: 'completed', result: { attempt: 2 } });
      for (const id of [next, waiting]) t.match(await ended(id), { state: 'completed' });
    });

    await t.test('is given back even when it does not heed', async (t) => {
      const id = await submit('script', { gate: 'stubborn', deaf: true });
      await begun(id);
      t.equal(await worker.drain(), 0);
      t.match(await jobs.get(id, admin), { state: 'waiting' });
      await openGate('stubborn');
      worker = await startWorker({ FAILPOINT: 'before commit' });
      t.match(await ended(id), { state: 'completed', attempts: 2 });
    });

    for (const [failpoint, next] of [
      ['before commit', 'after commit'],
      ['after commit', 'none'],
    ] as const) {
      await t.test(`is done once when its worker is killed ${failpoint}`, async (t) => {
        const id = await submit('commit');
        await worker.failpoint;
        await worker.kill();
        worker = await startWorker({ FAILPOINT: next });
        const attempts = failpoint === 'after commit' ? 1 : 2;
        t.match(await ended(id), { state: 'completed', attempts, result: { attempt: attempts } });
        t.equal(await works(id), 1);
        await until(async () => (await queue.state(id)) === 'completed');
      });
    }

    await t.test('is taken from a frozen worker, which finds itself superseded', async (t) => {
      const id = await submit('commit', { gate: 'frozen', deaf: true });
      await begun(id);
      worker.process.kill('SIGSTOP');
      const successor = await startWorker();
      await begun(id, 2);
      await openGate('frozen');
      const job = await ended(id);
      t.match(job, { state: 'completed', attempts: 2 });
      const before = await jobs.get(id, admin);
      worker.process.kill('SIGCONT');
      // Its connections may also be gone, so that it cannot even ask.
      await logged(/the delivery was superseded|could not deliver a job/);
      t.strictSame(await jobs.get(id, admin), before);
      t.equal(await works(id), 1);
      await worker.kill();
      worker = successor;
    });

    if (backend.name !== 'postgres') return;
    await t.test('whose workers died again and again is given up', async (t) => {
      t.equal(await worker.drain(), 0);
      const mailbox = 'deadly';
      const file = await cluster.upload();
      const id = await submit('script', { mailbox, file });
      const next = await submit('script', { mailbox });
      // As the queue marks a job that stalled too often.
      await pool.query('UPDATE bullmq.job SET deferred_failure = $2 WHERE id = $1', [
        id,
        'stalled',
      ]);
      await startWorker();
      const job = await ended(id);
      t.match(job, { state: 'failed', attempts: 0 });
      t.match(job.error?.[0], { extensions: { code: 'INTERNAL_SERVER_ERROR' } });
      t.match(await ended(next), { state: 'completed' });
      t.strictSame(await trace([id]), []);
      t.strictSame(await cluster.uploads(), [file.id], 'its upload is kept for a retry');
    });
  });
}
