// @newest @slow

import { Redis } from 'ioredis';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { type ServerProxy, startProxy } from '#tests/harness/proxy.ts';
import { until } from '#tests/harness/until.ts';
import { createCluster } from './cluster.ts';

// They wait more than they work, each with a database of its own.
t.jobs = 4;
for (const backend of backends) {
  t.test(`workers on ${backend.name}`, async (t) => {
    const proxies: ServerProxy[] = [];
    const cluster = await createCluster(t, backend, async (url, redis) => {
      const database = await startProxy(t, url);
      proxies.push(database);
      if (redis === undefined) return { DATABASE_URL: database.url };
      const queue = await startProxy(t, redis);
      proxies.push(queue);
      return { DATABASE_URL: database.url, REDIS_URL: queue.url };
    });
    const { pool, queues, submit, ended, begun, openGate, logged, startWorker, trace } = cluster;
    const queue = queues.get('transfer');
    const worker = await startWorker();

    await t.test('do every job although the queue lost them all', async (t) => {
      const running = await submit('script', { mailbox: 'lost', gate: 'lost' });
      await begun(running);
      const ids: string[] = [running];
      for (let n = 0; n < 6; n += 1) {
        ids.push(await submit('script', { mailbox: n % 2 === 0 ? 'lost' : 'other', gate: 'lost' }));
        ids.push(await submit('commit', { gate: 'lost' }));
      }
      const waits = ids[1] ?? '';
      t.equal(await queue.state(waits), 'unknown', 'only the next of a mailbox is in the queue');
      if (backend.env.REDIS_URL === undefined) {
        // Alone with it: the queue locks the rows in other orders.
        await pool.query(
          'BEGIN; LOCK TABLE bullmq.job IN SHARE ROW EXCLUSIVE MODE; DELETE FROM bullmq.job; COMMIT',
        );
      } else {
        const redis = new Redis(backend.env.REDIS_URL);
        await redis.del(...(await redis.keys(`bull:${queues.serverName('transfer')}:*`)));
        redis.disconnect();
      }
      // A process died between the record of this one and the queue.
      const { rows } = await pool.query<{ id: string }>(
        `INSERT INTO system_jobs (kind, queue, message, message_version)
        VALUES ('script', 'transfer', '{"version": 1, "mailbox": null}', 1) RETURNING id`,
      );
      await openGate('lost');
      for (const id of [...ids, rows[0]?.id ?? '']) {
        t.match(await ended(id), { state: 'completed' });
      }
      const done = await trace(ids);
      const ends = done.filter(({ what }) => what === 'end').map(({ job }) => job);
      t.equal(new Set(ends).size, ends.length, 'once');
    });

    await t.test('have the cluster tidied once a day', async (t) => {
      await until(async () => {
        const { rowCount } = await pool.query("SELECT FROM system_jobs WHERE kind = 'tidy'");
        return rowCount === 1;
      });
      t.pass();
    });

    await t.test('work on after their servers were away', async (t) => {
      const id = await submit('script', { gate: 'away' });
      await begun(id);
      for (const proxy of proxies) await proxy.down();
      await logged(/could not compare jobs and queues/);
      t.equal(worker.process.exitCode, null);
      for (const proxy of proxies) await proxy.up();
      await openGate('away');
      const job = await ended(id);
      t.match(job, { state: 'completed' });
      const own = job.failures.filter(({ outage }) => outage !== true);
      t.strictSame(own, [], 'its worker says what ended the attempt');
      t.match(await ended(await submit('commit')), { state: 'completed' });
    });

    await t.test('replace connections that are half open', async (t) => {
      for (const proxy of proxies) proxy.freeze();
      await logged(/half-open connection/);
      t.match(await ended(await submit('commit')), { state: 'completed' });
      t.match(await ended(await submit('script')), { state: 'completed' });
    });

    if (backend.name === 'redis') {
      await t.test('charge no job with an outage of the database', async (t) => {
        await proxies[0]?.down();
        const id = await submit('script');
        await until(async () => (await queue.state(id)) === 'active');
        await logged(/the database is not reachable yet/);
        await proxies[0]?.up();
        t.match(await ended(id), { state: 'completed', attempts: 1 });
      });
    }

    await t.test('open no more connections than documented', async (t) => {
      const counted = async () => {
        const { rows } = await pool.query<{ name: string; n: number }>(
          `SELECT application_name AS name, count(*)::int AS n FROM pg_stat_activity
          WHERE datname = current_database() GROUP BY 1`,
        );
        return (pattern: RegExp) =>
          rows.filter(({ name }) => pattern.test(name)).reduce((sum, { n }) => sum + n, 0);
      };
      // They were away in a test before this one: they come back, and PostgreSQL ends the cut ones.
      const listening = backend.name === 'redis' ? 0 : 2;
      // Those of the test process are the queue's two and one for messages.
      const queues = backend.name === 'redis' ? 0 : 8 + 2;
      await until(async () => {
        const count = await counted();
        return (
          count(/^sluice messages/) === listening &&
          count(/^sluice queue|^sluice-.*-transfer/) <= queues &&
          count(/^sluice worker/) <= 10 &&
          count(/^sluice entities/) <= 2
        );
      });
      t.pass('as documented');
    });

    t.equal(await worker.drain(), 0);
  });

  t.test(`a worker on ${backend.name} waits for a database that is not there yet`, async (t) => {
    let proxy: ServerProxy | null = null;
    const { submit, ended, logged, startWorker } = await createCluster(t, backend, async (url) => {
      proxy = await startProxy(t, url);
      await proxy.down();
      return { DATABASE_URL: proxy.url };
    });
    const id = await submit('script');
    const starting = startWorker();
    await logged(/the database is not reachable yet/);
    await (proxy as ServerProxy | null)?.up();
    await starting;
    t.match(await ended(id), { state: 'completed' });
  });
}
