/**
 * What one user's new statements, and lists of many values, cost the reads of another one: the 99th
 * percentile beside each of them, and without them. Counted from the time at which each read was due.
 */
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { median } from '#tests/bench/result-row.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';
import { percentile, startSteadyReads } from './fixture/steady-reads.ts';

const ROUNDS = Number(process.env.ROUNDS ?? 3);
const MEASURED_MS = 5_000;
const RATE = 100;
const ITEMS = 100_000;
/** Requests of the greedy user at a time, and the number of root fields and of values in one. */
const AT_ONCE = 8;
const ROOT_FIELDS = 28;
const VALUES = 49_000;
/** The bound on the median p99 beside it: times that without it, and in milliseconds. */
const TIMES = 3;
const ALWAYS_MS = 100;
const READ = { collection: 'things', action: 'read' } as const;

let made = 0;

/** A document whose root fields were all never asked before. */
function newDocument(): string {
  const fields = Array.from({ length: ROOT_FIELDS }, () => {
    made += 1;
    const more = '{n: {_gt: 1}}, '.repeat(1 + (made % 20));
    const filter = `{_or: [{n: {_eq: 1}}, {name: {_eq: "x"}}], _and: [${more}]}`;
    return `a${made}: things(limit: 3, filter: ${filter}) { id n b${made}: name }`;
  });
  return JSON.stringify({ query: `{ ${fields.join(' ')} }` });
}

function longList(field: string, value: (index: number) => number | string): string {
  const list = Array.from({ length: VALUES }, (_, index) => value(index));
  return JSON.stringify({ query: { limit: 3, filter: { [field]: { _in: list } } } });
}

const DECIMALS = longList('price', (index) => `${index}7.25`);
const NUMBERS = longList('n', (index) => index + ITEMS);

/** Path, method and body of what the greedy user sends. */
const ATTACKS: Readonly<Record<string, readonly [string, string, () => string]>> = {
  'new root fields': ['POST', '/graphql', newDocument],
  decimals: ['SEARCH', '/items/things', () => DECIMALS],
  'whole numbers': ['SEARCH', '/items/things', () => NUMBERS],
};

t.test('new statements and long lists of one user do not hold up another one', async (t) => {
  const { url, db, ...cluster } = await startCluster(t, { env: { RATE_LIMIT_ENABLED: 'false' } });
  await db.query(`
    CREATE TABLE things (id int PRIMARY KEY, n int, price numeric(12, 2), name text);
    INSERT INTO things SELECT i, i % 60000, i / 100.0, 'thing ' || i FROM generate_series(1, ${ITEMS}) i;
    ANALYZE things`);
  await until(async () => (await cluster.fetch('/items/things?limit=1')).ok, 'the table is served');
  const { token } = await createMember({ url, db, ...cluster }, [READ]);
  const greedy = await createMember({ url, db, ...cluster }, [READ]);
  const pathOf = (n: number) => `/items/things/${1 + ((n * 7919) % ITEMS)}`;
  const measured = async () => {
    const reads = startSteadyReads({ url, token, rate: RATE, pathOf });
    await delay(MEASURED_MS);
    return await reads.stop();
  };
  await measured();
  for (const [name, [method, path, bodyOf]] of Object.entries(ATTACKS)) {
    const bodies = Array.from({ length: 400 }, bodyOf);
    const headers = {
      authorization: `Bearer ${greedy.token}`,
      'content-type': 'application/json',
    };
    const statuses = new Map<number, number>();
    let refused = 0;
    const attack = async (over: AbortSignal) => {
      while (!over.aborted) {
        const answer = await fetch(`${url}${path}`, {
          method,
          headers,
          body: bodies.pop() ?? bodyOf(),
        });
        const text = await answer.text();
        if (text.startsWith(`{"errors"`)) refused += 1;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    };
    const rounds: { idle: number; beside: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const idle = percentile(await measured(), 99);
      const over = new AbortController();
      const attacks = Array.from({ length: AT_ONCE }, () => attack(over.signal));
      const all = await measured();
      over.abort();
      await Promise.all(attacks);
      const beside = percentile(all, 99);
      const [half, most] = [percentile(all, 50).toFixed(1), percentile(all, 100).toFixed(1)];
      t.comment(
        `${name}: idle p99 ${idle.toFixed(1)}; p50 ${half}, p99 ${beside.toFixed(1)}, ${most} ms`,
      );
      rounds.push({ idle, beside });
    }
    t.comment(`${name}: answers ${JSON.stringify(Object.fromEntries(statuses))}`);
    const idle = median(rounds.map((one) => one.idle));
    const beside = median(rounds.map((one) => one.beside));
    t.ok(beside <= Math.max(TIMES * idle, ALWAYS_MS), `${name}: ${beside.toFixed(1)} ms`);
    t.notOk(statuses.has(500), 'no answer is a fault');
    t.equal(refused, 0, 'the questions are answered');
  }
});
