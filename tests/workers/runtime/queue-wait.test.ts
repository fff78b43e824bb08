// @newest
/** A session that ends just as it begins to listen leaves no worker waiting for jobs that are there. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { isPgPool, withBackend } from 'bullmq';
import t, { type Test } from 'tap';
import { createLog } from '#core/base/log/log.ts';
import { openBullQueue, prepareQueueTables } from '#core/jobs/bullmq.ts';
import { closeQueueConnection, openQueueConnection } from '#core/jobs/queue-connection.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { freePort } from '#tests/harness/port.ts';
import { until } from '#tests/harness/until.ts';
import { createWaitingBackend, endWaitAfterLoss } from '#workers/runtime/queue-wait.ts';

const QUEUE = 'waiting';
const LISTENS = Buffer.from('LISTEN\0');
const WORDS = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
/** PostgreSQL's last message to a session that an administrator ends. */
const GOODBYE = Buffer.concat([Buffer.from([0x45, 0, 0, 0, WORDS.length + 4]), WORDS]);

/**
 * Stands before PostgreSQL. The first session that listens ends before it is told so, and the second one
 * in the same packet.
 */
async function endListeners(t: Test, url: string) {
  const there = new URL(url);
  const listened = { count: 0 };
  const server = createServer((client) => {
    const session = connect(Number(there.port), there.hostname);
    const end = () => {
      client.destroy();
      session.destroy();
    };
    for (const socket of [client, session]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => session.write(bytes));
    session.on('data', (bytes) => {
      if (bytes.includes(LISTENS)) {
        listened.count += 1;
        if (listened.count === 1) return end();
        if (listened.count === 2) return client.end(Buffer.concat([bytes, GOODBYE]));
      }
      client.write(bytes);
    });
  });
  const here = new URL(url);
  here.hostname = '127.0.0.1';
  here.port = String(await freePort());
  server.listen(Number(here.port), here.hostname);
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: here.href, listened };
}

t.test('a worker listens again, and takes jobs', async (t) => {
  const url = await createDatabase(t);
  const proxy = await endListeners(t, url);
  const log = createLog({ LOG_LEVEL: 'silent' }, 'test');
  const config = { DATABASE_DIRECT_URL: undefined, REDIS_URL: undefined };
  const connection = await openQueueConnection(config, proxy.url, log, {
    role: 'consumer',
    max: 4,
  });
  const adding = await openQueueConnection(config, url, log, { role: 'producer', max: 1 });
  assert(connection.kind === 'postgres');
  const { pool } = connection;
  assert(isPgPool(pool));
  await prepareQueueTables(connection);
  const stopping = new AbortController();
  const taken: string[] = [];
  const { Worker } = withBackend(createWaitingBackend);
  const options = { connection: pool, autorun: false, runRetryDelay: 250 };
  const take = async ({ name }: { readonly name: string }) => {
    taken.push(name);
    return null;
  };
  const worker = new Worker<null, null>(QUEUE, take, options);
  worker.on('error', () => undefined);
  t.teardown(async () => {
    stopping.abort();
    await worker.close();
    await closeQueueConnection(connection);
    await closeQueueConnection(adding);
  });
  await worker.waitUntilReady();
  endWaitAfterLoss(worker.getBackend(), { pool, log, stop: stopping.signal });
  worker.run().catch((error: unknown) => t.error(error));
  await until(() => proxy.listened.count > 2, 'it listens again');
  const queue = await openBullQueue(QUEUE, adding, log);
  t.teardown(() => queue.close());
  await queue.add('job', null);
  await until(() => taken.length > 0, 'the job is taken');
  t.strictSame(taken, ['job']);
});
