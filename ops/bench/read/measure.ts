/** Measures the reads of Sluice and of the baseline in alternation. */
import assert from 'node:assert/strict';
import { freePort } from '#ops/embedded/postgres.ts';
import { boundsOf, loadCatalog } from '../catalog.ts';
import type { Environment } from '../environment.ts';
import { chooseGenerator, type Load, loadOf, type Target } from '../load/load.ts';
import { isAsked } from '../options.ts';
import { processorTimeOf, startProcess } from '../process.ts';
import { comparison, median, type Row } from '../result-row.ts';
import type { BaselineSettings } from './baseline.ts';
import { type CapturedRead, capture } from './capture-sql.ts';
import { pathsOf, type ReadRequest, readRequests } from './request.ts';

/** Connections of the load generator, each with one request at a time. */
const CONNECTIONS = 32;
/** All processes are new when the first read is measured; each side is warmed up for so long (s). */
const FIRST_WARM_UP = 5;

/** Variants of the baseline. The goals are about the first one, the usual handler. */
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

async function run(
  environment: Environment,
  side: Side,
  load: Load,
  seconds = environment.options.seconds,
): Promise<Run> {
  const before = processorTimeOf(side.pid);
  const rate = await load(side, { connections: CONNECTIONS, seconds, signal: environment.stop });
  const processor = ((processorTimeOf(side.pid) - before) * 1_000) / (rate * seconds);
  return { rate, processor };
}

/** Runs all sides in turn, so often. */
async function alternate(
  environment: Environment,
  sides: readonly Side[],
  load: Load,
): Promise<Map<Side, Run[]>> {
  const runs = new Map<Side, Run[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < environment.options.rounds; round += 1) {
    for (const [side, list] of runs) list.push(await run(environment, side, load));
  }
  return runs;
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
  await run(environment, sluice, load, warmUp);
  const warm: [Side, number][] = [];
  for (const side of others) warm.push([side, (await run(environment, side, load, warmUp)).rate]);
  const [handler] = others;
  const best = warm.toSorted(([, a], [, b]) => b - a)[0]?.[0];
  assert(handler !== undefined && best !== undefined);
  const runs = await alternate(environment, [sluice, handler, best], load);
  const row = (id: string, of: string, other: Side, atLeast: number | null): Row => {
    const [mine, theirs] = [runs.get(sluice) ?? [], runs.get(other) ?? []];
    const ratesOf = (list: readonly Run[]) => list.map(({ rate }) => rate);
    const costOf = (list: readonly Run[]) => median(list.map(({ processor }) => processor));
    const duel = { sluice: ratesOf(mine), baseline: ratesOf(theirs) };
    return comparison({ id: `read/${id}`, title: of, unit: 'requests/s' }, duel, atLeast, {
      baselineIs: other.description,
      baselinesWarm: Object.fromEntries(warm.map(([{ description }, rate]) => [description, rate])),
      bytes: Buffer.byteLength(text),
      processorMicroseconds: { sluice: costOf(mine), baseline: costOf(theirs) },
    });
  };
  return [
    row(name, title, handler, goal),
    row(`${name}-fastest`, `  against the fastest: ${best.description}`, best, null),
  ];
}

/** Of the rate of REST, what the same through GraphQL has to reach. */
const GRAPHQL_GOAL = 0.9;

/** Measures a read through GraphQL against the same through REST. */
async function measureGraphql(
  environment: Environment,
  request: ReadRequest,
  document: string,
  load: Load,
): Promise<Row> {
  const { url, token, edge } = environment;
  const facts = { url, token, pid: edge.pid };
  const rest = { ...facts, description: 'REST', paths: pathsOf(request) };
  const path = `/graphql?query=${encodeURIComponent(document)}`;
  const graphql = { ...facts, description: 'GraphQL', paths: [path] };
  const [inRest, inGraphql] = [JSON.parse(await textOf(rest)), JSON.parse(await textOf(graphql))];
  assert.equal(inGraphql.data?.[request.collection]?.length, inRest.data.length);
  for (const side of [rest, graphql]) await run(environment, side, load);
  const runs = await alternate(environment, [graphql, rest], load);
  const ratesOf = (side: Side) => (runs.get(side) ?? []).map(({ rate }) => rate);
  const costOf = (side: Side) => median((runs.get(side) ?? []).map(({ processor }) => processor));
  const title = '  the same through GraphQL, against REST';
  return comparison(
    { id: `read/${request.name}-graphql`, title, unit: 'requests/s' },
    { sluice: ratesOf(graphql), baseline: ratesOf(rest) },
    GRAPHQL_GOAL,
    { processorMicroseconds: { sluice: costOf(graphql), baseline: costOf(rest) } },
  );
}

/** Measures all reads. */
export async function measureReads(environment: Environment): Promise<Row[]> {
  const generator = chooseGenerator(environment.options.generator);
  const all = readRequests(environment.sizes);
  const requests = all.filter(({ name: id }) => isAsked(environment.options, { id }));
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
  environment.say(
    'read: goals are about a handler with a pool of as many connections as Sluice has',
  );
  const rows: Row[] = [];
  for (const request of requests) {
    const { seconds } = environment.options;
    const warmUp = rows.length === 0 ? Math.max(seconds, FIRST_WARM_UP) : seconds;
    const load = loadOf(generator);
    rows.push(...(await measure(environment, request, baselines, load, warmUp)));
    if (request.document !== undefined) {
      rows.push(await measureGraphql(environment, request, request.document, load));
    }
  }
  return rows;
}
