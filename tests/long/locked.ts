/**
 * How quickly others are answered while one table is locked, and while many clients count a table:
 * as ratios to what the same machine does without.
 */
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { type Cluster, startCluster } from '../harness/cluster.ts';
import { until } from '../harness/until.ts';

const MEASURED_MS = 10_000;
const BLOCKED_READERS = 20;
const BLOCKED_WRITERS = 10;
const COUNTING = 28;
const READING = 4;

async function open(t: Parameters<typeof startCluster>[0]): Promise<Cluster> {
  const cluster = await startCluster(t, { env: { DATABASE_POOL_WAIT: '5s' } });
  for (const table of ['locked', 'other', 'many']) {
    const rows = table === 'many' ? 300_000 : 1_000;
    await cluster.db.query(`CREATE TABLE ${table} (id int PRIMARY KEY, a int)`);
    await cluster.db.query(
      `INSERT INTO ${table} SELECT i, i FROM generate_series(1, ${rows}) AS i`,
    );
  }
  await until(
    async () => (await cluster.fetch('/items/many?limit=1')).status === 200,
    'the tables are known',
  );
  return cluster;
}

/** Sends requests one after another until the end, and yields the time (ms) of each. */
async function client(
  { fetch }: Cluster,
  {
    path,
    body,
    end,
  }: { readonly path: () => string; readonly body?: unknown; readonly end: number },
): Promise<number[]> {
  const times: number[] = [];
  const init =
    body === undefined
      ? {}
      : {
          method: 'PATCH',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        };
  while (performance.now() < end) {
    const started = performance.now();
    const response = await fetch(path(), init);
    await response.text();
    if (response.status === 200) times.push(performance.now() - started);
  }
  return times;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

const someItem = (table: string) => () =>
  `/items/${table}/${1 + Math.floor(Math.random() * 1_000)}`;

t.test('reads and writes of other tables stay quick while one is locked', async (t) => {
  const cluster = await open(t);
  const measure = async () => {
    const end = performance.now() + MEASURED_MS;
    const path = someItem('other');
    const [reads, writes] = await Promise.all([
      Promise.all([1, 2, 3, 4].map(() => client(cluster, { path, end }))),
      Promise.all([1, 2].map(() => client(cluster, { path, end, body: { a: 1 } }))),
    ]);
    return { reads: percentile(reads.flat(), 0.99), writes: percentile(writes.flat(), 0.99) };
  };
  await measure();
  const idle = await measure();
  const holder = await cluster.db.connect();
  await holder.query('BEGIN; LOCK TABLE locked');
  const end = performance.now() + MEASURED_MS + 1_000;
  const path = someItem('locked');
  const blocked = [
    ...Array.from({ length: BLOCKED_READERS }, () => client(cluster, { path, end })),
    ...Array.from({ length: BLOCKED_WRITERS }, () =>
      client(cluster, { path, end, body: { a: 1 } }),
    ),
  ];
  await delay(200);
  const locked = await measure();
  await holder.query('COMMIT');
  holder.release();
  await Promise.all(blocked);
  t.comment(`p99 idle ${JSON.stringify(idle)}, locked ${JSON.stringify(locked)} (ms)`);
  t.ok(locked.reads <= 3 * idle.reads, 'reads');
  t.ok(locked.writes <= 3 * idle.writes, 'writes');
});

let asked = 0;
const someCount = () =>
  `/items/many?aggregate[count]=*&filter[a][_gt]=${Math.floor(Math.random() * 9)}`;
const newCount = () => {
  asked += 1;
  const bits = [...asked.toString(2)].map((bit) => (bit === '0' ? '_gt' : '_gte'));
  return bits.reduce(
    (path, operator, index) => `${path}&filter[_and][${index}][a][${operator}]=0`,
    '/items/many?aggregate[count]=*',
  );
};

for (const [what, count] of [
  ['count', someCount],
  ['count in another way each time', newCount],
] as const)
  t.test(`reads of one item beside clients that ${what} have half of their share`, async (t) => {
    const cluster = await open(t);
    const path = someItem('many');
    const clients = async (count: number) => {
      const end = performance.now() + MEASURED_MS;
      const all = Array.from({ length: count }, () => client(cluster, { path, end }));
      return (await Promise.all(all)).flat().length;
    };
    await clients(READING + COUNTING);
    const alone = await clients(READING + COUNTING);
    const end = performance.now() + MEASURED_MS + 1_000;
    const counting = Array.from({ length: COUNTING }, () => client(cluster, { path: count, end }));
    await delay(1_000);
    const beside = await clients(READING);
    const counted = (await Promise.all(counting)).flat().length;
    const share = beside / ((alone * READING) / (READING + COUNTING));
    t.comment(`alone ${alone}, beside ${beside}, counted ${counted}, share ${share.toFixed(2)}`);
    t.ok(share >= 0.5, 'their share of what all do alone');
  });
