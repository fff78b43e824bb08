/** Measures the reads of Sluice and of the baseline in alternation. */
import assert from 'node:assert/strict';
import { freePort } from '#ops/embedded/postgres.ts';
import { boundsOf, loadCatalog } from '../catalog.ts';
import type { Environment } from '../environment.ts';
import { chooseGenerator, type Load, loadOf, type Target } from '../load/load.ts';
import { processorTimeOf, startProcess } from '../process.ts';
import { comparison, median, type Row } from '../result-row.ts';
import type { BaselineSettings } from './baseline.ts';
import { type CapturedRead, capture } from './capture-sql.ts';
import { pathsOf, type ReadRequest, readRequests } from './request.ts';

/** Connections of the load generator, each with one request at a time. */
const CONNECTIONS = 32;
const GOAL = 0.95;

/** Variants of the baseline; for each read the faster one counts. */
const MODES = [
  { mode: 'pool', connections: (max: number) => max },
  { mode: 'pipeline', connections: (max: number) => max },
  // As few as Sluice has.
  { mode: 'pipeline', connections: () => 4 },
] as const;

/** One side of a comparison. */
interface Side extends Target {
  readonly description: string;
  readonly pid: number;
}

/** The result of one run. */
interface Run {
  /** Requests per second. */
  readonly rate: number;
  /** Microseconds of processor time per request, on any core. */
  readonly processor: number;
}

type Baseline = Pick<Side, 'description' | 'url' | 'pid'>;

async function startBaseline(
  environment: Environment,
  settings: Pick<BaselineSettings, 'mode' | 'connections' | 'reads'>,
): Promise<Baseline> {
  const port = await freePort();
  const { databaseUrl, token } = environment;
  const BASELINE = JSON.stringify({ ...settings, port, databaseUrl, token });
  const running = await startProcess({ script: 'ops/bench/read/baseline.ts', env: { BASELINE } });
  environment.onClose(() => running.stop());
  return {
    description: `${settings.mode}, ${settings.connections} connections`,
    url: `http://127.0.0.1:${port}`,
    pid: running.pid,
  };
}

async function textOf({ url, paths, token }: Target): Promise<string> {
  const response = await fetch(url + paths[0], { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200, `${url}${paths[0]} was answered with ${response.status}`);
  return response.text();
}

async function run(environment: Environment, side: Side, load: Load): Promise<Run> {
  const { seconds } = environment.options;
  const before = processorTimeOf(side.pid);
  const rate = await load(side, { connections: CONNECTIONS, seconds, signal: environment.stop });
  const processor = ((processorTimeOf(side.pid) - before) * 1_000) / (rate * seconds);
  return { rate, processor };
}

/** Warms up all baselines and finds the fastest. */
async function fastest(environment: Environment, sides: readonly Side[], load: Load) {
  const rates: Record<string, number> = {};
  let best = sides[0];
  for (const side of sides) {
    const { rate } = await run(environment, side, load);
    rates[side.description] = rate;
    if (best === undefined || rate > (rates[best.description] ?? 0)) best = side;
  }
  assert(best !== undefined);
  return { best, rates };
}

/** Measures one request on both sides. */
async function measure(
  environment: Environment,
  request: ReadRequest,
  baselines: readonly Baseline[],
  load: Load,
): Promise<Row> {
  const { url, token, edge, options, say } = environment;
  const { name, title, keys } = request;
  say(`read: ${title}`);
  const sluice = { description: 'Sluice', url, token, pid: edge.pid, paths: pathsOf(request) };
  const paths = keys === null ? [`/${name}`] : keys.map((key) => `/${name}/${key}`);
  const others = baselines.map((baseline) => ({ ...baseline, token, paths }));
  const text = await textOf(sluice);
  for (const other of others) {
    assert.equal(await textOf(other), text, 'both sides give the same answer');
  }
  await run(environment, sluice, load);
  const { best, rates } = await fastest(environment, others, load);
  const mine: Run[] = [];
  const theirs: Run[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    mine.push(await run(environment, sluice, load));
    theirs.push(await run(environment, best, load));
  }
  const ratesOf = (runs: readonly Run[]) => runs.map(({ rate }) => rate);
  const costOf = (runs: readonly Run[]) => median(runs.map(({ processor }) => processor));
  const duel = { sluice: ratesOf(mine), baseline: ratesOf(theirs) };
  return comparison({ id: `read/${name}`, title, unit: 'requests/s' }, duel, GOAL, {
    baselineIs: best.description,
    baselinesWarm: rates,
    bytes: Buffer.byteLength(text),
    processorMicroseconds: { sluice: costOf(mine), baseline: costOf(theirs) },
  });
}

/** Measures all reads. */
export async function measureReads(environment: Environment): Promise<Row[]> {
  const generator = chooseGenerator(environment.options.generator);
  const requests = readRequests(environment.sizes);
  const catalog = await loadCatalog(environment);
  const reads: CapturedRead[] = requests.map((request) =>
    capture(request, catalog, boundsOf(environment)),
  );
  const baselines: Baseline[] = [];
  for (const { mode, connections } of MODES) {
    const count = connections(environment.config.DATABASE_POOL_MAX);
    baselines.push(await startBaseline(environment, { mode, connections: count, reads }));
  }
  environment.say(`read: ${generator}, ${CONNECTIONS} connections`);
  const rows: Row[] = [];
  for (const request of requests) {
    rows.push(await measure(environment, request, baselines, loadOf(generator)));
  }
  return rows;
}
