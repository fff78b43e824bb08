/** Lets hostile clients at a real edge for a while, then looks at what is left of it. */
import { readdirSync } from 'node:fs';
import type { Test } from 'tap';
import * as v from 'valibot';
import { type Cluster, type Member, startCluster } from '#tests/harness/cluster.ts';
import { Dice } from '#tests/harness/dice.ts';
import { storedFiles } from '#tests/harness/stored-files.ts';
import { until } from '#tests/harness/until.ts';
import { attack } from './attack.ts';

const ATTACKERS = 16;

const TABLES = `
CREATE TABLE words (id int PRIMARY KEY, word text);
INSERT INTO words SELECT i, 'word ' || i FROM generate_series(1, 100) i;
CREATE TABLE wide (id int PRIMARY KEY, filler text);
INSERT INTO wide SELECT i, repeat('x', 2000) FROM generate_series(1, 15000) i;
CREATE VIEW broken AS SELECT id, filler, 1 / (1000 - id) AS quotient FROM wide;
CREATE VIEW endless AS SELECT count(*) AS pairs
  FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a + b > 0;
`;

/** An edge and what it held before anybody attacked it. */
export interface Fortress {
  readonly cluster: Cluster;
  readonly edge: Member;
  readonly descriptors: number;
}

/** Open descriptors of the edge, those of its sessions with PostgreSQL not counted. */
async function descriptorsOf(cluster: Cluster, edge: Member): Promise<number> {
  const { rows } = await cluster.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND application_name LIKE 'sluice%'`,
  );
  return readdirSync(`/proc/${edge.pid}/fd`).length - (rows[0]?.n ?? 0);
}

/** Starts an edge with a small pool, the sooner to be empty when something is lost. */
export async function build(t: Test): Promise<Fortress> {
  const env = { DATABASE_POOL_MAX: '4', QUERY_TIMEOUT: '10s' };
  const cluster = await startCluster(t, { env });
  await cluster.db.query(TABLES);
  await until(async () => (await cluster.fetch('/items/endless?limit=0')).ok, 'views are known');
  const [edge] = cluster.edges;
  if (edge === undefined) throw new Error('the cluster has an edge');
  await ordinary(cluster, 100);
  // The connections of these requests are kept open by this side.
  const kept = await descriptorsOf(cluster, edge);
  return { cluster, edge, descriptors: kept };
}

/** Attacks for so many milliseconds; returns the number of attacks. */
export async function besiege({ cluster, edge }: Fortress, seed: number, duration: number) {
  const port = Number(new URL(cluster.url).port);
  const end = performance.now() + duration;
  let attacks = 0;
  await Promise.all(
    Array.from({ length: ATTACKERS }, async (_, number) => {
      const dice = new Dice(seed + number);
      for (; performance.now() < end && edge.process.exitCode === null; attacks += 1) {
        await attack(dice, port);
      }
    }),
  );
  return attacks;
}

const REFUSED: readonly ((cluster: Cluster) => Promise<Response>)[] = [
  (cluster) => cluster.fetch('/items/none?limit=-1'),
  (cluster) => cluster.fetch('/items/wide?limit=-1&fields=nothing'),
  (cluster) => cluster.fetch('/items/wide?limit=-1&export=pdf'),
  (cluster) => cluster.fetch('/items/wide?limit=-1&filter[id][_eq]=x&export=csv'),
  (cluster) => cluster.fetch('/items/broken?limit=-1&filter[id][_eq]=1000'),
  (cluster) => cluster.fetch('/items/words', { method: 'POST', body: '{"word":' }),
  (cluster) => cluster.fetch('/items/words/x', { method: 'PATCH', body: '{"word":"x"}' }),
  (cluster) => cluster.fetch('/none'),
  (cluster) => upload(cluster, '/utils/import/none', 'text/csv'),
  (cluster) => upload(cluster, '/utils/import/words', 'image/png'),
];

function upload(cluster: Cluster, path: string, type: string): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob(['id,word\n'.repeat(5_000)], { type }), 'file');
  return cluster.fetch(path, { method: 'POST', body: form });
}

/** Sends requests that are refused, several at a time; returns what was answered otherwise. */
export async function annoy({ cluster }: Fortress, count: number): Promise<readonly string[]> {
  let sent = 0;
  const others: string[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      while (sent < count) {
        const kind = sent % REFUSED.length;
        sent += 1;
        const answer = await REFUSED[kind]?.(cluster);
        const text = await answer?.text();
        if (answer && answer.status >= 400 && answer.status < 500) continue;
        others.push(`${kind}: ${answer?.status} ${text}`);
      }
    }),
  );
  return others;
}

/** Sends requests as anybody would, ten at a time; returns how many were answered rightly. */
async function ordinary(cluster: Cluster, count: number): Promise<number> {
  let right = 0;
  await Promise.all(
    Array.from({ length: 10 }, async (_, client) => {
      for (let n = client; n < count; n += 10) {
        const id = 1 + (n % 100);
        const answer = await cluster.fetch(
          n % 2 ? `/items/words/${id}` : `/items/wide?limit=${id}`,
        );
        const text = await answer.text();
        if (answer.ok && (n % 2 ? text.includes(`word ${id}"`) : text.endsWith(']}'))) right += 1;
      }
    }),
  );
  return right;
}

/** The checks of what is not there in this test. */
const OF_WORKERS = /^(?:workers|queue|jobs):/;
const check = v.object({ status: v.string(), observedValue: v.optional(v.unknown()) });
const health = v.object({ checks: v.record(v.string(), v.array(check)) });

/** Tests that the edge is as it was. */
export async function inspect(t: Test, fortress: Fortress): Promise<void> {
  const { cluster, edge, descriptors } = fortress;
  t.strictSame([edge.process.exitCode, edge.process.signalCode], [null, null], 'it lives');
  t.equal(await ordinary(cluster, 1_000), 1_000, 'it answers as ever');
  await until(async () => {
    const answer = await cluster.fetch('/server/health');
    const { checks } = v.parse(health, await answer.json());
    const ill = Object.entries(checks).filter(
      ([name, found]) => !OF_WORKERS.test(name) && found.some(({ status }) => status !== 'ok'),
    );
    return ill.length === 0 && checks['pg:connectionsUsed']?.[0]?.observedValue === 0;
  }, 'it is well and holds no connection of its pool');
  await until(async () => {
    const { rows } = await cluster.db.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database()
         AND application_name LIKE 'sluice edge%' AND state <> 'idle'`,
    );
    return rows.length === 0;
  }, 'PostgreSQL does nothing for it');
  await until(
    async () => (await descriptorsOf(cluster, edge)) <= descriptors,
    'it has no more open descriptors than before',
  );
  await until(() => storedFiles(cluster).length === 0, 'no upload is left').catch(() => undefined);
  t.strictSame(storedFiles(cluster), [], 'no upload is left');
}
