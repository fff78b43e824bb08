// @newest
/**
 * Calls each operation of the document with random input that its schemas allow, and finds only
 * statuses and bodies that it describes. A part of the operations by day; in long runs all, several
 * times.
 */
import { sample } from 'fast-check';
import t from 'tap';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { AnswerJudge } from './fixture/answer-judge.ts';
import { SchemaArbitraries } from './fixture/arbitrary.ts';
import { Caller } from './fixture/caller.ts';
import { documentOf, operationsOf, type Placed } from './fixture/document.ts';
import { createLibrary } from './fixture/library.ts';

const WHOLE = process.env.OPENAPI_CALLS === 'whole';
const SEED = Number(process.env.OPENAPI_SEED ?? (WHOLE ? Date.now() % 1_000_000 : 7));
/** Times that each operation is called. */
const ROUNDS = Number(process.env.OPENAPI_ROUNDS ?? (WHOLE ? 12 : 2));

/** What a daily run has no time for: jobs, mails, slow hashes, and what ends streams. */
const SLOW =
  /^\/(?:collections|fields|relations|schema|queues|utils|jobs|auth|users\/(?:invite|register|me)|files|assets)/;
const SAFE = ['get', 'head', 'SEARCH'];

function isCalled({ method, path }: Placed): boolean {
  // A WebSocket is opened by other means.
  if (path === '/websocket') return false;
  return WHOLE || SAFE.includes(method) || !SLOW.test(path);
}

/** Reads first, then what changes items, then what takes the schema or the callers away. */
function stage({ method, path }: Placed): number {
  if (SAFE.includes(method)) return 0;
  if (path.startsWith('/items')) return method === 'delete' ? 2 : 1;
  return method === 'delete' ? 4 : 3;
}

/** Nothing that may be left out, and a key that exists. */
const PLAIN = { parameters: {}, body: undefined };

t.comment(`OPENAPI_SEED=${SEED}`);

t.test('operations answer as the document describes', async (t) => {
  const cluster: Cluster = await startCluster(t, {
    workers: 1,
    env: { JOB_WAIT_LIMIT: '5s', LOGIN_STALL_TIME: '1ms', REGISTER_STALL_TIME: '1ms' },
  });
  await createLibrary(cluster);
  const document = await documentOf(cluster);
  const judge = new AnswerJudge(document);
  const caller = new Caller(cluster, document, new SchemaArbitraries(document));
  const called = operationsOf(document)
    .filter(isCalled)
    .sort((a, b) => stage(a) - stage(b));
  const met = new Set<string>();
  const faults: string[] = [];
  for (const [index, placed] of called.entries()) {
    const { method, path, operation } = placed;
    const name = `${method} ${path}`;
    const inputs = sample(caller.inputOf(placed), { numRuns: ROUNDS, seed: SEED + index });
    const first = SAFE.includes(method) ? [PLAIN] : [];
    for (const input of [...first, ...inputs]) {
      const answer = await caller.send(placed, input);
      if (answer.status < 300) met.add(name);
      const fault = judge.faultOf(operation, answer);
      if (fault !== null) {
        faults.push(
          `${name}: ${fault}\nfor ${JSON.stringify(input).slice(0, 1_500)}\n${answer.text.slice(0, 1_000)}`,
        );
      }
    }
    await caller.recover();
  }
  t.strictSame(faults, []);
  const unmet = called
    .filter(({ method, path }) => SAFE.includes(method) && path.startsWith('/items'))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !met.has(name));
  t.strictSame(unmet, [], 'reads of items succeed');
  t.comment(`${called.length} operations, ${met.size} with success`);
  if (WHOLE) {
    const never = called
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !met.has(name));
    t.comment(`without success: ${never.join(', ')}`);
  }
});
