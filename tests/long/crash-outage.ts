/**
 * PostgreSQL dies hard while files are imported: how long after it accepts connections again reads, writes
 * and imports are done, at every edge. What PostgreSQL takes to recover is told beside it. ROUNDS says how
 * often each kind is tried.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import t, { type Test } from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type JobBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { type OwnPostgres, startOwnPostgres } from './fixture/own-servers.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
/** After PostgreSQL accepts connections. */
const OURS_MS = 3_000;
const LIMIT_MS = 180_000;
const ANSWER_WITHIN_MS = 20_000;
const TABLES = 4;
/** Five attempts count, and PostgreSQL may not get to tell anybody of a crash. */
const MOST_CRASHES = 10;
const ROWS = Number(process.env.ROWS ?? 200_000);
const FILE = `word\n${Array.from({ length: ROWS }, (_, row) => `word ${row}`).join('\n')}\n`;

const KINDS: Readonly<Record<string, (postgres: OwnPostgres) => Promise<void>>> = {
  'a backend is killed': (postgres) => postgres.kill('backend'),
  'the server is killed': (postgres) => postgres.kill('server'),
};

/** Interrupted jobs that a worker has taken again. */
const AGAIN = `SELECT FROM system_jobs WHERE id = ANY($1) AND attempt > 1`;

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

/** Resolves once a new connection can write. */
async function accepts(url: string): Promise<void> {
  const isThere = async () => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('INSERT INTO probed DEFAULT VALUES');
      return true;
    } catch {
      return false;
    } finally {
      client.end().catch(() => undefined);
    }
  };
  await until(isThere, 'PostgreSQL', LIMIT_MS);
}

for (const backend of backends) {
  t.test(`PostgreSQL dies with the queue on ${backend.name}`, async (t: Test) => {
    const postgres = await startOwnPostgres(t);
    const cluster = await startCluster(t, {
      ...{ edges: 2, workers: 2, databaseUrl: postgres.url },
      env: { ...backend.env, DATABASE_POOL_WAIT: '5s' },
    });
    const { db, urls } = cluster;
    await db.query('CREATE TABLE probed (id serial PRIMARY KEY)');
    const tables = Array.from({ length: TABLES }, (_, index) => `words_${index}`);
    for (const name of tables) {
      await db.query(`CREATE TABLE ${name} (id serial PRIMARY KEY, word text)`);
    }
    for (const name of [...tables, 'probed']) await cluster.served(`/items/${name}`);
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
    const ask = (url: string, init: RequestInit = {}) => {
      const type = typeof init.body === 'string' ? { 'content-type': 'application/json' } : {};
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      return fetch(url, { ...init, headers: { ...headers, ...type }, signal }).catch(() => null);
    };
    const submit = (table: string, content: string) =>
      until(
        async () => {
          const form = new FormData();
          form.set('file', new File([content], 'a.csv', { type: 'text/csv' }));
          const path = `${urls[0]}/utils/import/${table}?background`;
          const answer = await ask(path, { method: 'POST', body: form });
          return answer?.status === 202 ? (await bodyOf<JobBody>(answer)).data.id : null;
        },
        'a file is accepted',
        LIMIT_MS,
      );
    const ended = (id: string) =>
      until(
        async () => {
          const answer = await ask(`${urls[0]}/jobs/${id}`);
          if (answer?.ok !== true) return null;
          const { data } = await bodyOf<JobBody>(answer);
          return data.finished_on === null ? null : data;
        },
        'an import ends',
        LIMIT_MS,
      );
    for (const [kind, kill] of Object.entries(KINDS)) {
      await t.test(kind, async (t) => {
        const times: Record<string, number[]> = {};
        const add = (what: string, ms: number) => {
          times[what] = [...(times[what] ?? []), Math.round(ms)];
        };
        for (let round = 0; round < ROUNDS; round += 1) {
          const begun = performance.now();
          const undisturbed = await ended(await submit('words_0', FILE));
          const usual = performance.now() - begun;
          t.equal(undisturbed.state, 'completed');
          const jobs = await Promise.all(tables.map((name) => submit(name, FILE)));
          await until(
            async () =>
              (await db.query("SELECT FROM system_jobs WHERE state = 'running'")).rowCount,
            'an import runs',
          );
          await delay(300);
          const killed = performance.now();
          await kill(postgres);
          await accepts(postgres.url);
          const back = performance.now();
          add('PostgreSQL itself', back - killed);
          const since = (what: string) => add(what, performance.now() - back);
          await Promise.all([
            ...urls.map((url) =>
              until(
                async () => (await ask(`${url}/items/probed?limit=1`))?.ok,
                'a read',
                LIMIT_MS,
              ).then(() => since('a read')),
            ),
            ...urls.map((url) =>
              until(
                async () => (await ask(`${url}/items/probed`, { method: 'POST', body: '{}' }))?.ok,
                'a write',
                LIMIT_MS,
              ).then(() => since('a write')),
            ),
            until(
              async () => (await db.query(AGAIN, [jobs]).catch(() => null))?.rowCount,
              'a claim',
              LIMIT_MS,
            ).then(() => since('an import goes on')),
            ...jobs.map(async (id) => {
              const job = await ended(id);
              since('an interrupted import is done');
              t.equal(job.state, 'completed', JSON.stringify(job.failures));
            }),
            submit('probed', 'id\n').then(async () => since('an import is accepted')),
          ]);
          t.comment(`an import takes ${Math.round(usual)} ms`);
        }
        for (const [what, all] of Object.entries(times)) {
          t.comment(`${what}: ${median(all)} ms (${all.toSorted((a, b) => a - b).join(', ')})`);
        }
        for (const what of ['a read', 'a write', 'an import goes on', 'an import is accepted']) {
          t.ok(median(times[what] ?? []) <= OURS_MS, `${what} within ${OURS_MS} ms`);
        }
      });
    }

    await t.test('a file that crashes the server each time is given up', async (t) => {
      await db.query(`CREATE TABLE poison (id serial PRIMARY KEY, word text);
        CREATE FUNCTION crash() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN COPY (SELECT 1) TO PROGRAM 'kill -9 $PPID'; RETURN new; END $$;
        CREATE TRIGGER crash BEFORE INSERT ON poison FOR EACH ROW EXECUTE FUNCTION crash()`);
      await cluster.served('/items/poison');
      const job = await ended(await submit('poison', 'word\nx\n'));
      t.equal(job.state, 'failed');
      const counted = job.failures.filter(({ outage }) => outage !== true);
      t.comment(`${job.attempts} attempts, ${counted.length} of them counted`);
      t.ok(job.attempts < MOST_CRASHES, 'it crashed the server a few times only');
    });
  });
}
