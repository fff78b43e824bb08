/**
 * Questions that made PostgreSQL or an edge take gigabytes: many aliases of a large value, lists to
 * and fro, pages of large rows that nobody reads. No process takes more than half a gibibyte.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '../harness/cluster.ts';
import { until } from '../harness/until.ts';

const MOST_MIB = 512;
const TABLES = `
CREATE TABLE docs (id int PRIMARY KEY, body text);
ALTER TABLE docs ALTER body SET STORAGE EXTERNAL;
INSERT INTO docs VALUES (1, repeat('x', 10000000));
CREATE TABLE parents (id int PRIMARY KEY, name text);
CREATE TABLE kids (id int PRIMARY KEY, par int REFERENCES parents, body text);
CREATE INDEX ON kids (par);
INSERT INTO parents VALUES (1, 'p');
INSERT INTO kids SELECT i, 1, repeat('y', 7000) FROM generate_series(1, 100) i;
CREATE TABLE wide (id int PRIMARY KEY, filler text);
ALTER TABLE wide ALTER filler SET STORAGE EXTERNAL;
INSERT INTO wide SELECT i, repeat('z', 96000) FROM generate_series(1, 3000) i;
INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
  VALUES ('kids', 'par', 'parents', 'kids');
`;

/** Memory of a process of its own, in MiB: shared buffers are not counted. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** Follows the memory of all edges and backends; resolves with the most that each kind took. */
function watch({ edges, db }: Cluster) {
  const most = { edge: 0, backend: 0 };
  const end = new AbortController();
  const watching = (async () => {
    let backends: readonly number[] = [];
    for (let turn = 0; !end.signal.aborted; turn += 1) {
      if (turn % 10 === 0) {
        const { rows } = await db.query<{ pid: number }>('SELECT pid FROM pg_stat_activity');
        backends = rows.map(({ pid }) => pid);
      }
      for (const { pid } of edges) most.edge = Math.max(most.edge, memoryOf(pid));
      for (const pid of backends) most.backend = Math.max(most.backend, memoryOf(pid));
      await delay(20);
    }
  })();
  return async () => {
    end.abort();
    await watching;
    return most;
  };
}

async function within(t: Test, cluster: Cluster, attack: () => Promise<void>): Promise<void> {
  const stop = watch(cluster);
  await attack();
  const { edge, backend } = await stop();
  t.comment(`edge ${edge.toFixed(0)} MiB, backend ${backend.toFixed(0)} MiB`);
  t.ok(edge < MOST_MIB, 'no edge takes more');
  t.ok(backend < MOST_MIB, 'no backend takes more');
}

/** What the answer is: its status, and its length or the variable that it names. */
async function ask(cluster: Cluster, path: string): Promise<readonly [number, unknown]> {
  const response = await cluster.fetch(path);
  let length = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (text.length < 2_000) text += Buffer.from(chunk).toString();
  }
  const variable = /"variable":"(\w+)"/.exec(text)?.[1];
  return [response.status, response.ok ? length : variable];
}

t.test('what took gigabytes', async (t) => {
  const cluster = await startCluster(t, { env: { STREAM_MAX_PER_USER: '4', COMPRESSION: 'off' } });
  await cluster.db.query(TABLES);
  await until(async () => (await cluster.fetch('/items/docs?limit=0')).ok, 'tables are known');

  await t.test('sixty aliases of a value of 10 MB', (t) =>
    within(t, cluster, async () => {
      const alias = Array.from({ length: 60 }, (_, index) => `alias[a${index}]=body`).join('&');
      for (const path of ['/items/docs', '/items/docs/1']) {
        for (const limit of ['', '&limit=-1']) {
          const found = await ask(cluster, `${path}?${alias}&fields=*${limit}`);
          t.strictSame(found, [400, 'ANSWER_MAX_SIZE'], path + limit);
        }
      }
    }),
  );

  await t.test('lists to and fro', (t) =>
    within(t, cluster, async () => {
      const path = '/items/parents?fields=kids.par.kids.par.kids.';
      t.match(await ask(cluster, `${path}body`), [
        400,
        /^(ANSWER_MAX_SIZE|QUERY_MAX_NESTED_ITEMS)$/,
      ]);
      t.strictSame(await ask(cluster, `${path}id`), [400, 'QUERY_MAX_NESTED_ITEMS']);
    }),
  );

  await t.test('a page of 240 MB is streamed', (t) =>
    within(t, cluster, async () => {
      const [status, length] = await ask(cluster, '/items/wide?limit=2500');
      t.equal(status, 200);
      t.ok(Number(length) > 240_000_000, `${length} bytes`);
    }),
  );

  await t.test('ten of them at once, of which nobody reads', (t) =>
    within(t, cluster, async () => {
      const port = Number(new URL(cluster.url).port);
      const headers = `Host: x\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\n\r\n`;
      const sockets = Array.from({ length: 10 }, (_, index) => {
        const socket = connect({ port, host: '127.0.0.1' });
        socket.on('error', () => undefined).pause();
        socket.write(`GET /items/wide?limit=2500&offset=${index} HTTP/1.1\r\n${headers}`);
        return socket;
      });
      await delay(15_000);
      t.strictSame(await ask(cluster, '/items/wide/1?fields=id'), [200, 17], 'others are served');
      for (const socket of sockets) socket.destroy();
    }),
  );
});
