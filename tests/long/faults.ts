/**
 * Faults in random order beside a mixed load at half of the measured peak, with every queue; after
 * each one, the time until the installation serves again, and what is there. SEED repeats an order,
 * SECONDS says how long each queue is tried; every fault comes at least once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { QUICK_TAKEOVER, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { freePort } from '#tests/harness/port.ts';
import { startProxy } from '#tests/harness/proxy.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';
import { checkAfterwards, connectionsOf } from './fixture/afterwards.ts';
import { type Fault, faultsOf, type Installation } from './fixture/fault.ts';
import { CREDENTIALS, MixedLoad, TABLES } from './fixture/mixed-load.ts';
import { startOwnPostgres, startOwnRedis } from './fixture/own-servers.ts';

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000));
const SECONDS = Number(process.env.SECONDS ?? 600);
const BACK_WITHIN_MS = 15_000;
const PEAK_MS = 3_000;
/** Load before each fault. */
const BEFORE_MS = 2_000;
const GOOD_IN_A_ROW = 100;
/** What is worth a line. */
const SLOW_MS = 1_000;
const LIMIT_MS = 120_000;

/** The times (ms) to a hundred good answers in a row, and to an import that is done. */
async function serviceTimes(t: Test, load: MixedLoad, key: string): Promise<[number, number]> {
  const since = performance.now();
  const elapsed = () => Math.round(performance.now() - since);
  const answers = async () => {
    let good = 0;
    await until(
      async () => {
        const asked = performance.now();
        const answer = await load.ask('/items/item?limit=1');
        const text = await answer?.text().catch(() => null);
        good = answer?.ok === true ? good + 1 : 0;
        const took = Math.round(performance.now() - asked);
        if (good === 0 || took > SLOW_MS) t.comment(`${answer?.status} after ${took} ms: ${text}`);
        return good >= GOOD_IN_A_ROW;
      },
      'good answers',
      LIMIT_MS,
    );
    return elapsed();
  };
  const imported = async () => {
    const job = await until(() => load.import('probe', key), 'an import is accepted', LIMIT_MS);
    const isDone = async () => {
      const text = await (await load.ask(`/jobs/${job}`))?.text().catch(() => null);
      return typeof text === 'string' && /"state":"completed"/.test(text);
    };
    await until(isDone, 'an import is done', LIMIT_MS);
    return elapsed();
  };
  return await Promise.all([answers(), imported()]);
}

for (const backend of backends) {
  t.test(`faults with the queue on ${backend.name}`, async (t) => {
    t.comment(`SEED=${SEED} SECONDS=${SECONDS}`);
    const dice = new Dice(SEED);
    const postgres = await startOwnPostgres(t);
    const redis = backend.name === 'redis' ? await startOwnRedis(t) : null;
    const proxies = [await startProxy(t, postgres.url)];
    if (redis !== null) proxies.push(await startProxy(t, redis.url));
    const [database, queue] = proxies;
    const env = {
      ...QUICK_TAKEOVER,
      ADMIN_EMAIL: CREDENTIALS.email,
      ADMIN_PASSWORD: CREDENTIALS.password,
      EDGE_PROCESSES: '2',
      WORKER_PROCESSES: '2',
      DATABASE_POOL_MAX: '6',
      DATABASE_POOL_WAIT: '5s',
      RATE_LIMIT_LOGIN_ENABLED: 'false',
      JOBS_MAX_PER_USER: '1000',
    };
    const cluster = await startCluster(t, { edges: 0, env, databaseUrl: postgres.url });
    const { db, dataDir } = cluster;
    await db.query(`CREATE TABLE item (id int PRIMARY KEY);
      CREATE TABLE changed (id serial PRIMARY KEY);
      CREATE TABLE probe (id serial PRIMARY KEY, word text)`);
    for (let table = 0; table < TABLES; table += 1) {
      await db.query(`CREATE TABLE loaded_${table} (id serial PRIMARY KEY, word text)`);
    }
    const own = {
      DATABASE_URL: database?.url ?? '',
      ...(queue === undefined ? {} : { REDIS_URL: queue.url }),
    };
    const ports = [await freePort(), await freePort()];
    const startEdge = (number: number) => cluster.startEdge(ports[number] ?? 0, own);
    const startWorker = () => cluster.startWorker(own);
    const edges = await Promise.all(ports.map((_, number) => startEdge(number)));
    const workers = [await startWorker(), await startWorker()];
    const installation: Installation = {
      ...{ postgres, redis, proxies, edges, workers, startEdge, startWorker },
    };
    const load = new MixedLoad(ports, SEED);
    load.start();
    await serviceTimes(t, load, 'begin');
    const peak = await load.halve(PEAK_MS);
    t.comment(`peak ${Math.round(peak)} requests a second`);
    const connections = await connectionsOf(db);
    const pids = () => [...edges, ...workers].map(({ pid }) => pid);
    /** Every fault once, in random order. */
    const round = () => {
      const left = [...faultsOf(installation)];
      const order: Fault[] = [];
      while (left.length > 0) order.push(...left.splice(dice.below(left.length), 1));
      return order;
    };
    const end = performance.now() + SECONDS * 1_000;
    let number = 0;
    const tryFault = async ({ name, run }: Fault) => {
      number += 1;
      await t.test(name, async (t) => {
        const [good, bad] = [load.good, load.bad];
        await delay(BEFORE_MS);
        await run(installation, dice);
        const [answers, imported] = await serviceTimes(t, load, `probe-${number}`);
        await load.stop();
        t.comment(`${name}: ${load.good - good} good and ${load.bad - bad} bad answers`);
        t.ok(answers < BACK_WITHIN_MS, `a hundred good answers after ${answers} ms`);
        t.ok(imported < BACK_WITHIN_MS, `an import is done after ${imported} ms`);
        await checkAfterwards(t, load, { db, dataDir, pids, connections });
        load.start();
      });
    };
    do {
      for (const fault of round()) await tryFault(fault);
    } while (performance.now() < end);
    await load.stop();
    const parts = () => storedFiles(cluster).filter((name) => name.endsWith('.part'));
    await until(() => parts().length === 0, 'no unfinished upload is left');
    t.pass(`${number} faults, ${load.good} good and ${load.bad} bad answers`);
  });
}
