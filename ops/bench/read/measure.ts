/** Measures the reads of Sluice against those of the baseline, taking turns. */
import assert from 'node:assert/strict';
import { freePort } from '#ops/embedded/postgres.ts';
import { boundsOf, loadCatalog } from '../catalog.ts';
import { chooseGenerator, type Load, loadOf, type Target } from '../load/load.ts';
import { startProcess } from '../process.ts';
import type { Rig } from '../rig.ts';
import { comparison, type Row } from '../row.ts';
import type { BaselineSettings } from './baseline.ts';
import { type CapturedRead, capture } from './capture.ts';
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

interface Baseline {
  readonly description: string;
  readonly url: string;
}

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
  };
}

async function textOf({ url, paths, token }: Target): Promise<string> {
  const response = await fetch(url + paths[0], { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200, `${url}${paths[0]} was answered with ${response.status}`);
  return response.text();
}

/** Measures one request on both sides. */
async function measure(
  rig: Rig,
  request: ReadRequest,
  baselines: readonly Baseline[],
  load: Load,
): Promise<Row> {
  const { options, url, token, stop, say } = rig;
  const { name, title, keys } = request;
  say(`read: ${title}`);
  const sluice: Target = { url, token, paths: pathsOf(request) };
  const targets = baselines.map((baseline) => ({
    description: baseline.description,
    url: baseline.url,
    token,
    paths: keys === null ? [`/${name}`] : keys.map((key) => `/${name}/${key}`),
  }));
  const run = (target: Target) =>
    load(target, { connections: CONNECTIONS, seconds: options.seconds, signal: stop });
  await run(sluice);
  const text = await textOf(sluice);
  let best = targets[0];
  let bestRate = 0;
  const warm: Record<string, number> = {};
  for (const target of targets) {
    assert.equal(await textOf(target), text, 'both sides answer the same');
    const rate = await run(target);
    warm[target.description] = rate;
    if (rate > bestRate) [best, bestRate] = [target, rate];
  }
  assert(best !== undefined);
  const duel = { sluice: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < options.rounds; round += 1) {
    duel.sluice.push(await run(sluice));
    duel.baseline.push(await run(best));
  }
  return comparison({ id: `read/${name}`, title, unit: 'requests/s' }, duel, GOAL, {
    baselineIs: best.description,
    baselinesWarm: warm,
    bytes: Buffer.byteLength(text),
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
