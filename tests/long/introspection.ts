/**
 * The schema of five hundred tables: how long its first answers take after a change of the catalog,
 * and how long others wait meanwhile because the event loop of the edge is blocked.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const TABLES = 500;
const ROUNDS = 5;
/** Milliseconds: the first answer after a change, and the longest that anybody waits. */
const FIRST = 300;
const BLOCK = 50;
/** The whole schema is 10 MB; graphql-js takes 1.5 to 3 s for it beside the clients of this test. */
const WHOLE = 10_000;

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

t.test('the schema of five hundred tables', async (t) => {
  const cluster = await startCluster(t);
  const { db } = cluster;
  for (let table = 0; table < TABLES; table += 1) {
    const of = table === 0 ? '' : `, of int REFERENCES t${table - 1}`;
    await db.query(
      `CREATE TABLE t${table} (id serial PRIMARY KEY, a text, b int, c date, d numeric, e json${of})`,
    );
  }
  const served = async (table: number) => (await cluster.fetch(`/items/t${table}?limit=0`)).ok;
  await until(async () => await served(TABLES - 1), 'all tables are served');

  /** The longest wait of another client while something is done, beside its usual one. */
  const longestWait = async (work: () => Promise<void>) => {
    const waits: number[] = [];
    let isDone = false;
    const watch = async () => {
      while (!isDone) {
        const started = performance.now();
        await (await cluster.fetch('/server/ping')).text();
        waits.push(performance.now() - started);
        await delay(1);
      }
    };
    const watching = watch();
    await work();
    isDone = true;
    await watching;
    return Math.max(...waits) - median(waits);
  };
  const ask = async (query: string) => {
    const started = performance.now();
    const answer = await cluster.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query }),
    });
    const text = await answer.text();
    t.notMatch(text.slice(0, 100), 'errors');
    return { ms: performance.now() - started, characters: text.length };
  };
  const change = async (round: number) => {
    await db.query(`CREATE TABLE more${round} (id serial PRIMARY KEY)`);
    const isHere = async () => (await cluster.fetch(`/items/more${round}`)).ok;
    await until(isHere, 'the change is served');
  };
  const measured = { read: [] as number[], introspection: [] as number[], blocks: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    await change(round);
    const { ms: read } = await ask(`{ t${round} { id a b } }`);
    let whole = { ms: 0, characters: 0 };
    const block = await longestWait(async () => {
      whole = await ask(getIntrospectionQuery());
    });
    // The first one starts the thread.
    t.comment(
      `read ${read.toFixed()} ms, introspection ${whole.ms.toFixed()} ms of ${whole.characters} characters, longest wait ${block.toFixed()} ms`,
    );
    if (round === 0) continue;
    measured.read.push(read);
    measured.introspection.push(whole.ms);
    measured.blocks.push(block);
  }
  t.ok(median(measured.read) < FIRST, `the first read takes ${median(measured.read)} ms`);
  t.ok(median(measured.blocks) < BLOCK, `others wait ${median(measured.blocks)} ms`);
  t.ok(
    median(measured.introspection) < WHOLE,
    `introspection takes ${median(measured.introspection)} ms`,
  );
});
