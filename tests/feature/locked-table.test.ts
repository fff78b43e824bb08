// @slow

/**
 * Somebody holds a lock on one table: requests for that table wait, and no others.
 */
import t from 'tap';
import { type Cluster, startCluster } from '../harness/cluster.ts';
import type { Teardown } from '../harness/database.ts';
import { until } from '../harness/until.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FIELDS = ['id', 'a', 'b', 'c', 'd'] as const;

/** Different reads of a table: each is a statement of its own. */
function readsOf(table: string): string[] {
  return FIELDS.flatMap((sort) =>
    FIELDS.map((field) => `/items/${table}?fields=${field}&sort=-${sort}`),
  );
}

async function open(t: Teardown, env: Readonly<Record<string, string>>) {
  const cluster = await startCluster(t, { env });
  const { db } = cluster;
  for (const table of ['locked', 'other']) {
    await db.query(`CREATE TABLE ${table} (id int PRIMARY KEY, a int, b int, c int, d int)`);
    await db.query(`INSERT INTO ${table} SELECT i, 0, 0, 0, 0 FROM generate_series(1, 100) AS i`);
  }
  await until(
    async () => (await cluster.fetch('/items/other?limit=1')).status === 200,
    'the tables are known',
  );
  return cluster;
}

/** Locks the table as the change of a schema does. */
async function lock({ db }: Cluster) {
  const holder = await db.connect();
  await holder.query('BEGIN; LOCK TABLE locked');
  return async () => {
    await holder.query('COMMIT');
    holder.release();
  };
}

async function waiting({ db }: Cluster): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

/** Sends a request and reads all of its answer. */
async function send({ fetch }: Cluster, path: string, init?: RequestInit): Promise<number> {
  const response = await fetch(path, init);
  await response.text();
  return response.status;
}

function update(cluster: Cluster, table: string, id: number): Promise<number> {
  const body = JSON.stringify({ a: 1 });
  return send(cluster, `/items/${table}/${id}`, { method: 'PATCH', headers: JSON_TYPE, body });
}

function create(cluster: Cluster, table: string, id: number): Promise<number> {
  const body = JSON.stringify({ id, a: 1 });
  return send(cluster, `/items/${table}`, { method: 'POST', headers: JSON_TYPE, body });
}

t.test('reads of a locked table hold up nobody else', async (t) => {
  const cluster = await open(t, { QUERY_TIMEOUT: '10m' });
  // Some are known, and others new.
  const paths = readsOf('locked');
  for (let time = 0; time < 3; time += 1) {
    for (const path of paths.slice(0, 12)) await send(cluster, path);
    for (const path of readsOf('other')) await send(cluster, path);
  }
  const unlock = await lock(cluster);
  const streams = Array.from({ length: 10 }, () => '/items/locked?limit=-1');
  const blocked = [...streams, ...paths, ...paths].map((path) => send(cluster, path));
  await until(async () => (await waiting(cluster)) > 0, 'they wait for the lock');
  for (let time = 0; time < 5; time += 1) {
    for (const path of readsOf('other')) t.equal(await send(cluster, path), 200);
    t.equal(await send(cluster, '/items/other?limit=-1'), 200);
    t.equal(await update(cluster, 'other', 1 + time), 200);
    t.equal(await create(cluster, 'other', 1_000 + time), 200);
  }
  t.ok((await waiting(cluster)) > 0, 'all of that while the table is locked');
  await unlock();
  t.strictSame(new Set(await Promise.all(blocked)), new Set([200]));
});

t.test('writes to a locked table hold up nobody else', async (t) => {
  const cluster = await open(t, { QUERY_TIMEOUT: '10m' });
  const unlock = await lock(cluster);
  const updates = Array.from({ length: 20 }, (_, index) => update(cluster, 'locked', index + 1));
  const creates = Array.from({ length: 20 }, (_, index) =>
    create(cluster, 'locked', index + 1_000),
  );
  await until(async () => (await waiting(cluster)) > 0, 'they wait for the lock');
  for (let time = 0; time < 5; time += 1) {
    t.equal(await update(cluster, 'other', 1 + time), 200);
    t.equal(await create(cluster, 'other', 1_000 + time), 200);
    t.equal(await send(cluster, '/items/other?fields=a'), 200);
    t.equal(await send(cluster, '/users/me'), 200);
  }
  t.ok((await waiting(cluster)) > 0, 'all of that while the table is locked');
  await unlock();
  const answers = await Promise.all(updates);
  t.strictSame(
    new Set([...answers, 200, 503]),
    new Set([200, 503]),
    'a write waits or is refused as a whole',
  );
  const created = await Promise.all(creates);
  const { rows } = await cluster.db.query<{ id: number }>('SELECT id FROM locked WHERE a = 1');
  const written = new Set(rows.map(({ id }) => id));
  for (const [index, status] of answers.entries()) t.equal(written.has(index + 1), status === 200);
  for (const [index, status] of created.entries()) {
    t.equal(written.has(index + 1_000), status === 200);
  }
});

t.test('QUERY_TIMEOUT ends whatever waits for a lock, too', async (t) => {
  const cluster = await open(t, { QUERY_TIMEOUT: '2s' });
  const paths = readsOf('locked');
  for (let time = 0; time < 3; time += 1) await send(cluster, paths[0] ?? '');
  const unlock = await lock(cluster);
  const blocked = [
    ...Array.from({ length: 60 }, () => send(cluster, paths[0] ?? '')),
    ...paths.map((path) => send(cluster, path)),
    ...Array.from({ length: 10 }, (_, index) => update(cluster, 'locked', index + 1)),
  ];
  t.strictSame(new Set(await Promise.all(blocked)), new Set([503]), 'while it is locked');
  t.equal(await send(cluster, '/items/other'), 200);
  await unlock();
  t.equal(await send(cluster, paths[0] ?? ''), 200);
  await until(async () => (await waiting(cluster)) === 0, 'nothing is left');
});
