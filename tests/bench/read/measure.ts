/** Measures the reads of Sluice and of the baseline in alternation. */
import assert from 'node:assert/strict';
import { freePort } from '#ops/run/embedded/postgres.ts';
import { boundsOf, loadCatalog } from '../catalog.ts';
import type { Environment } from '../environment.ts';
import { chooseGenerator, type Load, loadOf } from '../load/load.ts';
import { isAsked } from '../options.ts';
import { startProcess } from '../process.ts';
import type { Row } from '../result-row.ts';
import type { BaselineSettings } from './baseline.ts';
import { type CapturedRead, capture } from './capture-sql.ts';
import { alternate, CONNECTIONS, duelRow, run, type Side, textOf } from './duel.ts';
import { measureAgainstPostgraphile, measureAgainstRest, measureTenFields } from './graphql.ts';
import { pathsOf, type ReadRequest, readRequests } from './request.ts';

/** All processes are new when the first read is measured; each side is warmed up for so long (s). */
const FIRST_WARM_UP = 5;

/** Variants of the baseline. The goals are about the first one, the usual handler. */
const MODES = [
  { mode: 'pool', connections: (max: number) => max },
  { mode: 'pipeline', connections: (max: number) => max },
  // As few as Sluice has.
  { mode: 'pipeline', connections: () => 4 },
] as const;

type Baseline = Pick<Side, 'description' | 'url' | 'pid'>;

async function startBaseline(
  environment: Environment,
  settings: Pick<BaselineSettings, 'mode' | 'connections' | 'reads'>,
): Promise<Baseline> {
  const port = await freePort();
  const { databaseUrl, token } = environment;
  const BASELINE = JSON.stringify({ ...settings, port, databaseUrl, token });
  const running = await startProcess({ script: 'tests/bench/read/baseline.ts', env: { BASELINE } });
  environment.onClose(() => running.stop());
  return {
    description: `${settings.mode}, ${settings.connections} connections`,
    url: `http://127.0.0.1:${port}`,
    pid: running.pid,
  };
}

/** Measures one request on Sluice, the handler with a pool and the fastest baseline. */
async function measure(
  environment: Environment,
  request: ReadRequest,
  baselines: readonly Baseline[],
  load: Load,
  warmUp: number,
): Promise<Row[]> {
  const { url, token, edge, say } = environment;
  const { name, title, keys, goal } = request;
  say(`read: ${title}`);
  const sluice = { description: 'Sluice', url, token, pid: edge.pid, paths: pathsOf(request) };
  const paths = keys === null ? [`/${name}`] : keys.map((key) => `/${name}/${key}`);
  const others = baselines.map((baseline) => ({ ...baseline, token, paths }));
  const text = await textOf(sluice);
  for (const other of others) {
    assert.equal(await textOf(other), text, 'both sides give the same answer');
  }
  await run(environment, sluice, load, { seconds: warmUp });
  const warm: [Side, number][] = [];
  for (const side of others) {
    warm.push([side, (await run(environment, side, load, { seconds: warmUp })).rate]);
  }
  const [handler] = others;
  const best = warm.toSorted(([, a], [, b]) => b - a)[0]?.[0];
  assert(handler !== undefined && best !== undefined);
  const { handwritten } = request;
  const hand = { ...handler, description: 'a statement written by hand', paths: [`/${name}-hand`] };
  const sides = handwritten === undefined ? [sluice, handler, best] : [sluice, handler, best, hand];
  const runs = await alternate(environment, sides, load);
  const details = {
    baselinesWarm: Object.fromEntries(warm.map(([{ description }, rate]) => [description, rate])),
    bytes: Buffer.byteLength(text),
  };
  return [
    duelRow({ id: `read/${name}`, title }, runs, [sluice, handler], goal, details),
    duelRow(
      { id: `read/${name}-fastest`, title: `  against the fastest: ${best.description}` },
      runs,
      [sluice, best],
      null,
      details,
    ),
    ...(handwritten === undefined
      ? []
      : [
          duelRow(
            { id: `read/${name}-hand`, title: `  against ${hand.description}` },
            runs,
            [sluice, hand],
            handwritten.goal,
            details,
          ),
        ]),
  ];
}

/** Measures all reads. */
export async function measureReads(environment: Environment): Promise<Row[]> {
  const generator = chooseGenerator(environment.options.generator);
  const all = readRequests(environment.sizes);
  const requests = all.filter(({ name: id }) => isAsked(environment.options, { id }));
  const catalog = await loadCatalog(environment);
  const captured: CapturedRead[] = requests.map((request) =>
    capture(request, catalog, boundsOf(environment)),
  );
  const written: CapturedRead[] = requests.flatMap(({ name, handwritten }) =>
    handwritten === undefined ? [] : [{ ...handwritten, name: `${name}-hand`, keyAt: null }],
  );
  const reads = [...captured, ...written];
  const baselines: Baseline[] = [];
  for (const { mode, connections } of MODES) {
    const count = connections(environment.config.DATABASE_POOL_MAX);
    baselines.push(await startBaseline(environment, { mode, connections: count, reads }));
  }
  environment.say(`read: ${generator}, ${CONNECTIONS} connections`);
  environment.say(
    'read: goals are about a handler with a pool of as many connections as Sluice has',
  );
  const rows: Row[] = [];
  for (const request of requests) {
    const { seconds } = environment.options;
    const warmUp = rows.length === 0 ? Math.max(seconds, FIRST_WARM_UP) : seconds;
    const load = loadOf(generator);
    rows.push(...(await measure(environment, request, baselines, load, warmUp)));
    const { document } = request;
    if (document === undefined) continue;
    const asked = { ...request, document };
    rows.push(await measureAgainstRest(environment, asked, load));
    rows.push(await measureTenFields(environment, asked, catalog, load));
    rows.push(...(await measureAgainstPostgraphile(environment, asked, load)));
  }
  return rows;
}
