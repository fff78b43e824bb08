/**
 * Reads of items at a tenth of the rate that the edge can take, while clients ask for variants of images
 * that are as bad as can be: how much later than on an idle server they are answered. Counted from the
 * time at which each read was due.
 */
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import t from 'tap';
import { chooseGenerator, loadOf } from '#tests/bench/load/load.ts';
import { median } from '#tests/bench/result-row.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { flood } from '#tests/harness/hostile-image.ts';
import { until } from '#tests/harness/until.ts';
import { percentile, startSteadyReads } from './fixture/steady-reads.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** As in an installation. */
const NICE = { WORKER_NICENESS: '10' };
const ITEMS = 10_000;
const MEASURED_MS = 6_000;
const PEAK = { connections: 16, seconds: 3 };
/** Of the peak. */
const PART = 0.1;
/** Most of the median p99 beside images: times that of the idle server. */
const TIMES = 3;
const CLIENTS = 12;
const REFUSED_WITHIN_MS = 2_000;

t.test('reads beside hostile images', async (t) => {
  const { url, db, fetch } = await startCluster(t, { workers: 1, env: NICE });
  await db.query(`CREATE TABLE things (id int PRIMARY KEY, name text, made timestamptz);
    INSERT INTO things SELECT n, 'thing ' || n, now() FROM generate_series(1, ${ITEMS}) n;
    ANALYZE things`);
  await until(async () => (await fetch('/items/things?limit=1')).ok, 'the table is known');
  const photo = await sharp({
    create: {
      ...{ width: 4_000, height: 3_000, channels: 3, background: '#000' },
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg()
    .toBuffer();
  const images = [
    flood(30_000, 30_000, 1),
    flood(6_000, 6_000),
    flood(6_000, 8_000, 100),
    photo,
    photo.subarray(0, photo.length / 2),
  ];
  const ids: string[] = [];
  for (const content of images) {
    const form = new FormData();
    form.append('file', new File([new Uint8Array(content)], 'image.png'));
    const answer = await fetch('/files', { method: 'POST', body: form });
    ids.push(JSON.parse(await answer.text()).data.id);
  }
  for (const id of ids) {
    const since = performance.now();
    const { status } = await fetch(`/assets/${id}?width=10&format=jpg`);
    const took = Math.round(performance.now() - since);
    t.ok(took < REFUSED_WITHIN_MS, `${status} after ${took} ms`);
  }
  const pathOf = (n: number) => `/items/things/${1 + ((n * 7919) % ITEMS)}`;
  const paths = Array.from({ length: ITEMS }, (_, n) => pathOf(n));
  const load = loadOf(chooseGenerator(undefined));
  const { signal } = new AbortController();
  const peak = await load({ url, paths, token: ADMIN_TOKEN }, { ...PEAK, signal });
  const rate = Math.round(peak * PART);
  t.comment(`${Math.round(peak)} reads a second at most, ${rate} in the test`);
  const measured = async () => {
    const reads = startSteadyReads({ url, token: ADMIN_TOKEN, rate, pathOf });
    await delay(MEASURED_MS);
    return await reads.stop();
  };
  let asked = 0;
  const statuses = new Map<number, number>();
  const attack = async (over: AbortSignal) => {
    while (!over.aborted) {
      asked += 1;
      const id = ids[asked % ids.length];
      const answer = await fetch(`/assets/${id}?width=${1_000 + asked}&format=webp`);
      await answer.arrayBuffer();
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  const rounds: { idle: number; beside: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const idle = await measured();
    const over = new AbortController();
    const attacks = Array.from({ length: CLIENTS }, () => attack(over.signal));
    const beside = await measured();
    over.abort();
    await Promise.all(attacks);
    const shown = (all: readonly number[]) =>
      [50, 99, 100].map((part) => percentile(all, part).toFixed(1)).join(', ');
    t.comment(`p50, p99, most (ms): idle ${shown(idle)}; beside ${shown(beside)}`);
    // The first round warms up.
    if (round > 0) rounds.push({ idle: percentile(idle, 99), beside: percentile(beside, 99) });
  }
  t.comment(`answers: ${JSON.stringify(Object.fromEntries(statuses))}`);
  const idle = median(rounds.map((one) => one.idle));
  const beside = median(rounds.map((one) => one.beside));
  t.comment(`medians of p99: idle ${idle.toFixed(1)} ms, beside ${beside.toFixed(1)} ms`);
  t.ok(beside <= idle * TIMES, `at most ${TIMES} times that of an idle server`);
});
