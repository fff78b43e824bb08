/**
 * Two hosts with an edge, two with a worker, and PostgreSQL, Redis and the storage on hosts of their
 * own. Each is cut off from the others while clients import, and comes back: all rows that were
 * accepted are there once, and everything serves again by itself.
 */
import t, { type Test } from 'tap';
import { ended, fileOf, startImporting, submit } from '#tests/harness/hosts/importing.ts';
import { type SluiceHost, startInstallation } from '#tests/harness/hosts/installation.ts';
import { openNetwork } from '#tests/harness/hosts/open-network.ts';
import { until } from '#tests/harness/until.ts';

/** Median time (ms) in which everything serves again. */
const AGAIN_WITHIN_MS = 15_000;

const network = openNetwork(t);
t.comment(`hosts are ${network.kind}`);
const installation = await startInstallation(t, network);
const { db } = installation;
const servers = [installation.database, installation.redis, installation.files];
await db.query(`
  CREATE TABLE item (id serial PRIMARY KEY, label text NOT NULL, number int NOT NULL);
  CREATE TABLE large (label text NOT NULL, number int PRIMARY KEY);
  CREATE TABLE slow (label text NOT NULL, number int PRIMARY KEY);
  CREATE FUNCTION wait_for_turn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM pg_advisory_xact_lock_shared(7);
    RETURN new;
  END $$;
  CREATE TRIGGER turn BEFORE INSERT ON slow FOR EACH ROW EXECUTE FUNCTION wait_for_turn()`);
const startEdge = (name: string) =>
  installation.start(name, { ...installation.bucket, EDGE_PROCESSES: '1', WORKER_PROCESSES: '0' });
const startWorker = (name: string) =>
  installation.start(name, { ...installation.bucket, EDGE_PROCESSES: '0', WORKER_PROCESSES: '1' });
// The first one creates the system tables.
const first = await startEdge('edge-1');
const [second, ...workers] = await Promise.all([
  startEdge('edge-2'),
  startWorker('worker-1'),
  startWorker('worker-2'),
]);
const edges = [first, second];

/** How many processes each host has when nothing is wrong. */
const processes = () =>
  [...edges, ...workers].map(({ host }) => `${host.name}: ${host.pids().length}`);
const ordinary = processes();

async function statusOf(edge: SluiceHost, path: string): Promise<number> {
  return await edge.ask(path).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => 0,
  );
}

/** The names of the checks that are not well, as an edge tells an administrator. */
async function illChecks(edge: SluiceHost): Promise<string> {
  const answer = await edge.ask('/server/health').catch(() => null);
  if (answer === null) return 'no answer';
  const { checks }: { checks: Record<string, { status: string }[]> } = JSON.parse(
    await answer.text(),
  );
  return Object.entries(checks)
    .filter(([, found]) => found.some(({ status }) => status === 'error'))
    .map(([name]) => name)
    .join(' ');
}

/** Milliseconds that it took after each test until everything served again. */
const times: number[] = [];
let round = 0;
/** Waits until each edge has answered a hundred reads in a row, and an import that it accepted is done. */
async function servesAgain(): Promise<number> {
  const since = performance.now();
  round += 1;
  const name = `again ${round}`;
  await Promise.all(
    edges.map(async (edge) => {
      const good = async () => {
        for (let n = 0; n < 100; n += 1) {
          if ((await statusOf(edge, '/items/item?limit=1')) !== 200) return false;
        }
        return true;
      };
      await until(good, `${edge.host.name} answers`, 60_000);
      const { job } = await submit([edge], `${name} ${edge.host.name}`, { rows: 1 });
      await ended(edge, job);
    }),
  );
  return performance.now() - since;
}

/**
 * Runs a test while clients import at both edges. Afterwards everything serves again, each accepted
 * import has completed, and its rows are there once.
 */
async function whileImporting(t: Test, name: string, cut: () => Promise<void>): Promise<void> {
  const clients = edges.map((edge, index) => {
    const other = edges[1 - index];
    return startImporting(`${name} ${index}`, other === undefined ? [edge] : [edge, other]);
  });
  try {
    await until(() => clients.every(({ submitted }) => submitted.length > 5), 'clients import');
    await cut();
  } catch (error) {
    // The next test begins with hosts that are well.
    for (const { host } of [...edges, ...workers]) host.heal();
    for (const host of servers) host.heal();
    await Promise.all(clients.map((client) => client.stop()));
    throw error;
  }
  const took = await servesAgain();
  times.push(took);
  t.comment(`serves again after ${(took / 1_000).toFixed(1)} s`);
  await Promise.all(clients.map((client) => client.stop()));
  const submitted = clients.flatMap((client) => client.submitted);
  for (const { job } of submitted) {
    const state = await ended(first, job);
    if (state !== 'completed') t.equal(state, 'completed', job);
  }
  const { rows } = await db.query<{ label: string; n: number }>(
    'SELECT label, count(*)::int AS n FROM item WHERE starts_with(label, $1) GROUP BY label',
    [`${name} `],
  );
  const found = new Map(rows.map(({ label, n }) => [label, n]));
  const wrong = submitted.filter(({ label, rows }) => found.get(label) !== rows);
  t.strictSame(wrong, [], `the rows of ${submitted.length} imports are there once`);
  t.equal(found.size, submitted.length, 'and no others');
  t.strictSame(processes(), ordinary, 'no process is left behind or missing');
}

t.test('an import at each edge is done by the workers of other hosts', async (t) => {
  for (const edge of edges) {
    const form = fileOf(`at ${edge.host.name}`, 100);
    const signal = AbortSignal.timeout(60_000);
    const answer = await edge.ask('/utils/import/item', { method: 'POST', body: form, signal });
    t.equal(answer.status, 200, await answer.text());
  }
  t.match(
    first.output(),
    /Files +bucket sluice at http.*\n +Running +1 edge; workers run on other/,
  );
  t.match(workers[0]?.output(), /is ready\n[\s\S]*Running +1 worker; edges run on other hosts/);
  const done = workers.map(({ output }) => output().includes('"outcome":"done"'));
  t.ok(done.includes(true));
  t.notOk(edges.some(({ output }) => output().includes('"role":"worker"')));
});

t.test('a worker that is cut off while it copies a file', async (t) => {
  await whileImporting(t, 'copying', async () => {
    const label = 'a large file';
    const { job } = await submit(edges, label, { rows: 400_000, collection: 'large' });
    const id = job.slice(job.lastIndexOf('/') + 1);
    const busy = await until(
      () => workers.find(({ output }) => output().includes(id)),
      'it begins',
    );
    busy.host.cut();
    t.equal(await ended(first, job), 'completed', 'another one does it');
    const { rows } = await db.query('SELECT count(*)::int AS n FROM large');
    t.strictSame(rows, [{ n: 400_000 }]);
    busy.host.heal();
  });
});

t.test('a worker that is cut off while it merges', async (t) => {
  const holder = await db.connect();
  t.teardown(() => holder.release(true));
  await holder.query('SELECT pg_advisory_lock(7)');
  await whileImporting(t, 'merging', async () => {
    const { job } = await submit(edges, 'slow', { rows: 300, collection: 'slow' });
    const id = job.slice(job.lastIndexOf('/') + 1);
    const busy = await until(
      () => workers.find(({ output }) => output().includes(id)),
      'it begins',
    );
    const isWaiting = async () => {
      const { rowCount } = await holder.query(
        "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7 AND NOT granted",
      );
      return rowCount !== null && rowCount > 0;
    };
    await until(isWaiting, 'it merges');
    busy.host.cut();
    const others = workers.filter((worker) => worker !== busy);
    await until(() => others.some(({ output }) => output().includes(id)), 'another takes it over');
    await holder.query('SELECT pg_advisory_unlock(7)');
    t.equal(await ended(first, job), 'completed');
    busy.host.heal();
    const { rows } = await db.query('SELECT count(*)::int AS n FROM slow');
    t.strictSame(rows, [{ n: 300 }]);
  });
});

t.test('an edge that is cut off while a file arrives', async (t) => {
  await whileImporting(t, 'arriving', async () => {
    let arrived = 0;
    const half = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    const boundary = 'a-boundary';
    async function* body() {
      yield Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n` +
          'Content-Type: text/csv\r\n\r\nlabel,number\n',
      );
      for (; arrived < 10_000; arrived += 1) {
        yield Buffer.from(`cut off,${arrived}\n`);
        if (arrived !== 5_000) continue;
        half.resolve();
        await rest.promise;
      }
    }
    const sending = fetch(`${second.url}/utils/import/item`, {
      method: 'POST',
      body: ReadableStream.from(body()),
      duplex: 'half',
      headers: {
        authorization: 'Bearer an-admin-token-for-tests',
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      signal: AbortSignal.timeout(60_000),
    });
    sending.catch(() => undefined);
    await half.promise;
    second.host.cut();
    if (network.kind === 'namespaces') {
      const isRefused = async () => (await second.askInside('/items/item?limit=1')) === 503;
      await until(isRefused, 'the edge that is cut off says so', 20_000);
    }
    // A change of the schema elsewhere does not wait for it for long.
    const since = performance.now();
    const change = await fetch(`${first.url}/fields/item`, {
      method: 'POST',
      body: JSON.stringify({ field: 'added', type: 'string' }),
      headers: {
        authorization: 'Bearer an-admin-token-for-tests',
        'content-type': 'application/json',
      },
    });
    t.equal(change.status, 200, await change.text());
    t.comment(`a schema change took ${Math.round(performance.now() - since)} ms`);
    second.host.heal();
    rest.resolve();
    await sending.then(
      (answer) => t.not(answer.status, 200, 'a file that did not arrive is not imported'),
      () => undefined,
    );
    const isServed = async () =>
      (await statusOf(second, '/items/item?fields=added&limit=1')) === 200;
    await until(isServed, 'it serves the new field');
    const { rows } = await db.query("SELECT count(*)::int AS n FROM item WHERE label = 'cut off'");
    t.strictSame(rows, [{ n: 0 }]);
  });
});

for (const [name, host, check] of [
  ['Redis', installation.redis, /redis|messages|queue/],
  ['the storage', installation.files, /storage/],
] as const) {
  t.test(`${name} is cut off`, async (t) => {
    await whileImporting(t, name, async () => {
      host.cut();
      await until(async () => check.test(await illChecks(first)), 'health says so');
      const reads = async () => (await statusOf(first, '/items/item?limit=1')) === 200;
      await until(reads, 'reads go on');
      host.heal();
    });
  });
}

t.test('PostgreSQL is cut off', async (t) => {
  await whileImporting(t, 'database', async () => {
    installation.database.cut();
    for (const edge of edges) {
      const isRefused = async () => (await statusOf(edge, '/items/item?limit=1')) === 503;
      await until(isRefused, `${edge.host.name} says so`);
    }
    installation.database.heal();
  });
});

t.test('everything serves again by itself, soon', async (t) => {
  t.equal(times.length, 6, 'a time for each host that was cut off');
  const median = times.toSorted((a, b) => a - b)[3] ?? Number.POSITIVE_INFINITY;
  t.ok(median < AGAIN_WITHIN_MS, `the median is ${(median / 1_000).toFixed(1)} s`);
});
