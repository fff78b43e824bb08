/** Measures the reads of Sluice against those of the baseline, taking turns. */
import assert from 'node:assert/strict';
import { freePort } from '#ops/embedded/postgres.ts';
import { boundsOf, loadCatalog } from '../catalog.ts';
import type { Rig } from '../environment.ts';
import { chooseGenerator, type Load, loadOf, type Target } from '../load/load.ts';
import { processorTimeOf, startProcess } from '../process.ts';
import { comparison, median, type Row } from '../result-row.ts';
import type { BaselineSettings } from './baseline.ts';
import { type CapturedRead, capture } from './capture-sql.ts';
import { pathsOf, type ReadRequest, readRequests } from './request.ts';

/** Connections of the load generator, each with one request under way. */
const CONNECTIONS = 32;
const GOAL = 0.95;

/** Ways to write the baseline; for each read the faster one counts. */
const MODES = [
  { mode: 'pool', connections: (max: number) => max },
  { mode: 'pipeline', connections: (max: number) => max },
  // As few as Sluice's own.
  { mode: 'pipeline', connections: () => 4 },
] as const;

/** One side of a comparison. */
interface Side extends Target {
  readonly description: string;
  readonly pid: number;
}

/** What one run found. */
interface Run {
  /** Requests a second. */
  readonly rate: number;
  /** Microseconds of processor time that the process took for a request, on any core. */
  readonly processor: number;
}

type Baseline = Pick<Side, 'description' | 'url' | 'pid'>;

async function startBaseline(
  rig: Rig,
  settings: Pick<BaselineSettings, 'mode' | 'connections' | 'reads'>,
): Promise<Baseline> {
  const port = await freePort();
  const { databaseUrl, token } = rig;
  const BASELINE = JSON.stringify({ ...settings, port, databaseUrl, token });
  const running = await startProcess({ script: 'ops/bench/read/baseline.ts', env: { BASELINE } });
  rig.onClose(() => running.stop());
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

async function run(rig: Rig, side: Side, load: Load): Promise<Run> {
  const { seconds } = rig.options;
  const before = processorTimeOf(side.pid);
  const rate = await load(side, { connections: CONNECTIONS, seconds, signal: rig.stop });
  const processor = ((processorTimeOf(side.pid) - before) * 1_000) / (rate * seconds);
  return { rate, processor };
}

/** Warms all baselines up and finds the fastest. */
async function fastest(rig: Rig, sides: readonly Side[], load: Load) {
  const rates: Record<string, number> = {};
  let best = sides[0];
  for (const side of sides) {
    const { rate } = await run(rig, side, load);
    rates[side.description] = rate;
    if (best === undefined || rate > (rates[best.description] ?? 0)) best = side;
  }
  assert(best !== undefined);
  return { best, rates };
}

/** Measures one request on both sides. */
async function measure(
  rig: Rig,
  request: ReadRequest,
  baselines: readonly Baseline[],
  load: Load,
): Promise<Row> {
  const { url, token, edge, options, say } = rig;
  const { name, title, keys } = request;
  say(`read: ${title}`);
  const sluice = { description: 'Sluice', url, token, pid: edge.pid, paths: pathsOf(request) };
  const paths = keys === null ? [`/${name}`] : keys.map((key) => `/${name}/${key}`);
  const others = baselines.map((baseline) => ({ ...baseline, token, paths }));
  const text = await textOf(sluice);
  for (const other of others) {
    assert.equal(await textOf(other), text, 'both sides answer the same');
  }
  await run(rig, sluice, load);
  const { best, rates } = await fastest(rig, others, load);
  const mine: Run[] = [];
  const theirs: Run[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    mine.push(await run(rig, sluice, load));
    theirs.push(await run(rig, best, load));
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
export async function measureReads(rig: Rig): Promise<Row[]> {
  const generator = chooseGenerator(rig.options.generator);
  const requests = readRequests(rig.sizes);
  const catalog = await loadCatalog(rig);
  const reads: CapturedRead[] = requests.map((request) => capture(request, catalog, boundsOf(rig)));
  const baselines: Baseline[] = [];
  for (const { mode, connections } of MODES) {
    const count = connections(rig.config.DATABASE_POOL_MAX);
    baselines.push(await startBaseline(rig, { mode, connections: count, reads }));
  }
  rig.say(`read: ${generator}, ${CONNECTIONS} connections`);
  const rows: Row[] = [];
  for (const request of requests) {
    rows.push(await measure(rig, request, baselines, loadOf(generator)));
  }
  return rows;
}
