/**
 * A thousand small imports by two users into ten collections, with every queue: all end, neither
 * user waits for all of the other's, and the rate is as documented.
 */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { processorTimes, spentEach } from './fixture/processor-time.ts';

const IMPORTS_EACH = 500;
const COLLECTIONS = 10;
const AT_ONCE = 8;
/** Imports a second. */
const RATE = { redis: 100, postgres: 40 } as const;

function form(n: number): FormData {
  const body = new FormData();
  body.set('file', new Blob([`id,name\n${n},name ${n}\n`], { type: 'text/csv' }), `file ${n}.csv`);
  return body;
}

for (const backend of backends) {
  t.test(`many imports with the queue on ${backend.name}`, async (t) => {
    const env = { ...backend.env, WORKER_CONCURRENCY: '4', JOB_LOCK_DURATION: '60s' };
    const cluster = await startCluster(t, { workers: 1, env });
    const tables = Array.from({ length: COLLECTIONS }, (_, n) => `things_${n}`);
    for (const table of tables) {
      await cluster.db.query(`CREATE TABLE ${table} (id int PRIMARY KEY, name text)`);
    }
    for (const table of tables) {
      await until(async () => (await cluster.fetch(`/items/${table}`)).ok, 'the table is known');
    }
    const users = [
      await createMember(cluster, [], { admin: true }),
      await createMember(cluster, [], { admin: true }),
    ];
    const { REDIS_URL } = backend.env;
    const unused = await processorTimes(cluster, REDIS_URL);
    const started = performance.now();
    for (const [index, user] of users.entries()) {
      let next = 0;
      const uploader = async () => {
        for (let n = next++; n < IMPORTS_EACH; n = next++) {
          const key = index * IMPORTS_EACH + n;
          const table = tables[n % COLLECTIONS];
          const answer = await user.upload(`/utils/import/${table}?background`, form(key));
          if (answer.status !== 202) t.fail(JSON.stringify(answer.body));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, uploader));
      t.comment(`uploaded after ${Math.round(performance.now() - started)} ms`);
    }
    const ended = async () => {
      const { rows } = await cluster.db.query<{ user: string; state: string; place: number }>(
        `SELECT "user", state, rank() OVER (ORDER BY finished_on)::int AS place
         FROM system_jobs WHERE kind = 'import' AND finished_on IS NOT NULL`,
      );
      return rows;
    };
    const total = IMPORTS_EACH * users.length;
    // Little work for the database, which is to do others.
    const open = `SELECT FROM system_jobs WHERE state IN ('waiting', 'running') LIMIT 1`;
    const isDone = async () => (await cluster.db.query(open)).rowCount === 0;
    await until(isDone, 'all imports end', 300_000);
    const seconds = (performance.now() - started) / 1_000;
    t.comment(`${(total / seconds).toFixed(0)} imports a second`);
    const used = await processorTimes(cluster, REDIS_URL);
    t.comment(`processor time of each: ${spentEach(unused, used, total)}`);
    const rows = await ended();
    t.ok(rows.every(({ state }) => state === 'completed'));
    const places = users.map(({ id }) =>
      rows.filter(({ user }) => user === id).map(({ place }) => place),
    );
    const [first = [], second = []] = places;
    t.comment(`the second user's first is number ${Math.min(...second)}`);
    t.ok(Math.min(...second) < Math.max(...first), 'they are worked on by turns');
    t.ok(total / seconds >= RATE[backend.name], `${RATE[backend.name]} a second`);
  });
}
