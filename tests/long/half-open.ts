/**
 * Connections that become half open, again and again, beside constant reads, writes and jobs: how
 * long each kind is not served, with every queue, and that nothing confirmed is lost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { freePort } from '#tests/harness/port.ts';
import { backends } from '../harness/backend.ts';
import { ADMIN_TOKEN, startCluster } from '../harness/cluster.ts';
import { type Direction, startProxy } from '../harness/proxy.ts';
import { until } from '../harness/until.ts';

/** A service that failed is back within so long (ms). */
const BACK_WITHIN_MS = 15_000;
/** A process that waited for its servers serves so long (ms) after they are back. */
const START_WITHIN_MS = 2_000;
/** How long (ms) nobody can be reached at all. */
const AWAY_MS = 12_000;
const REQUEST_WITHIN_MS = 5_000;
/**
 * Imports into one table take turns. One whose delivery was lost is delivered again when its lock
 * has run out, after JOB_LOCK_DURATION; those of other tables do not wait for that.
 */
const TABLES = 20;

interface Case {
  readonly name: string;
  readonly direction: Direction;
  /** What is connected to meanwhile is half open, too. */
  readonly all: boolean;
}

const CASES: readonly Case[] = [
  { name: 'both ways', direction: 'both', all: false },
  { name: 'towards the server', direction: 'toServer', all: false },
  { name: 'from the server', direction: 'toClient', all: false },
  { name: 'both ways, new connections too', direction: 'both', all: true },
];

for (const backend of backends) {
  t.test(`with queue and messages on ${backend.name}`, async (t) => {
    const { databaseUrl, db, startEdge, startWorker } = await startCluster(t, { edges: 0 });
    await db.query('CREATE TABLE item (id int PRIMARY KEY)');
    for (let table = 0; table < TABLES; table += 1) {
      await db.query(`CREATE TABLE loaded_${table} (id serial PRIMARY KEY, n int)`);
    }
    const redis = backend.env.REDIS_URL;
    const proxies = [await startProxy(t, databaseUrl)];
    if (redis !== undefined) proxies.push(await startProxy(t, redis));
    const [database, queue] = proxies;
    const env = {
      DATABASE_URL: database?.url ?? '',
      DATABASE_POOL_WAIT: '5s',
      WORKER_PROCESSES: '1',
      ...(queue === undefined ? {} : { REDIS_URL: queue.url, RATE_LIMIT_ENABLED: 'true' }),
      RATE_LIMIT_POINTS: '100000',
    };
    const port = await freePort();
    // What is made once, at the first start of all, is no part of this.
    const first = await Promise.all([startEdge(port, env), startWorker(env)]);
    await Promise.all(first.map((member) => member.end('SIGTERM')));
    for (const proxy of proxies) await proxy.down();
    const started = Promise.all([startEdge(port, env), startWorker(env)]);
    // As long as a back-off would have grown.
    await delay(AWAY_MS);
    for (const proxy of proxies) await proxy.up();
    const back = performance.now();
    await started;
    const late = Math.round(performance.now() - back);
    t.ok(late < START_WITHIN_MS, `edge and worker serve ${late} ms after their servers are back`);

    const ask = async (path: string, init: RequestInit = {}) => {
      const type = init.body instanceof FormData ? {} : { 'content-type': 'application/json' };
      return await fetch(`http://127.0.0.1:${port}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...type },
        signal: AbortSignal.timeout(REQUEST_WITHIN_MS),
      });
    };
    let number = 0;
    let turn = 0;
    const confirmed: number[] = [];
    const services = {
      reads: async () => (await ask('/items/item?limit=1')).status === 200,
      writes: async () => {
        number += 1;
        const id = number;
        const { status } = await ask('/items/item', { method: 'POST', body: `{"id":${id}}` });
        if (status === 200) confirmed.push(id);
        return status === 200;
      },
      jobs: async () => {
        const table = turn % TABLES;
        turn += 1;
        const form = new FormData();
        form.set('file', new File(['n\n1\n'], 'a.csv', { type: 'text/csv' }));
        const answer = await ask(`/utils/import/loaded_${table}`, { method: 'POST', body: form });
        await answer.arrayBuffer();
        return answer.status === 200;
      },
    };
    for (const work of Object.values(services)) {
      await until(() => work().catch(() => false), 'the service to begin');
    }
    for (const { name, direction, all } of CASES) {
      await t.test(name, async (t) => {
        for (const proxy of proxies) {
          proxy.freeze(direction);
          proxy.freezeNew(all);
        }
        if (all) await delay(AWAY_MS);
        for (const proxy of proxies) proxy.freezeNew(false);
        const since = performance.now();
        await Promise.all(
          Object.entries(services).map(async ([kind, work]) => {
            await until(() => work().catch(() => false), kind, 120_000);
            const time = Math.round(performance.now() - since);
            t.ok(time < BACK_WITHIN_MS, `${kind} are back after ${time} ms`);
          }),
        );
      });
    }
    const { rows } = await db.query<{ id: number }>('SELECT id FROM item');
    const there = new Set(rows.map(({ id }) => id));
    t.strictSame(
      confirmed.filter((id) => !there.has(id)),
      [],
      'what was confirmed is there',
    );
  });
}
