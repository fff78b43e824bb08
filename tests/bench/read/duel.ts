/** Runs the sides of a comparison in turn. */
import assert from 'node:assert/strict';
import type { Environment } from '../environment.ts';
import type { Load, Target } from '../load/load.ts';
import { processorTimeOf } from '../process.ts';
import { comparison, median, type Row } from '../result-row.ts';

/** Connections of the load generator, each with one request at a time. */
export const CONNECTIONS = 32;

/** One side of a comparison. */
export interface Side extends Target {
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

/** The results of each side. */
export type Runs = ReadonlyMap<Side, readonly Run[]>;

/** The text of a side's first answer. */
export async function textOf({ url, paths, token, method, body }: Target): Promise<string> {
  const headers = {
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const init = { method: method ?? 'GET', headers, ...(body === undefined ? {} : { body }) };
  const response = await fetch(url + paths[0], init);
  assert.equal(response.status, 200, `${url}${paths[0]} was answered with ${response.status}`);
  return response.text();
}

/** One run of one side, of as many seconds as the options say. */
export async function run(
  { stop: signal, options }: Environment,
  side: Side,
  load: Load,
  { seconds = options.seconds, connections = CONNECTIONS } = {},
): Promise<Run> {
  const before = processorTimeOf(side.pid);
  const rate = await load(side, { connections, seconds, signal });
  const processor = ((processorTimeOf(side.pid) - before) * 1_000) / (rate * seconds);
  return { rate, processor };
}

/** Runs all sides in turn, so often as the options say. */
export async function alternate(
  environment: Environment,
  sides: readonly Side[],
  load: Load,
): Promise<Runs> {
  const runs = new Map<Side, Run[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < environment.options.rounds; round += 1) {
    for (const [side, list] of runs) list.push(await run(environment, side, load));
  }
  return runs;
}

/** The row of a comparison of requests a second. */
export function duelRow(
  { id, title }: Pick<Row, 'id' | 'title'>,
  runs: Runs,
  [sluice, baseline]: readonly [Side, Side],
  atLeast: number | null,
  details: Row['details'] = {},
): Row {
  const ratesOf = (side: Side) => (runs.get(side) ?? []).map(({ rate }) => rate);
  const costOf = (side: Side) => median((runs.get(side) ?? []).map(({ processor }) => processor));
  return comparison(
    { id, title, unit: 'requests/s' },
    { sluice: ratesOf(sluice), baseline: ratesOf(baseline) },
    atLeast,
    {
      ...{ baselineIs: baseline.description, ...details },
      processorMicroseconds: { sluice: costOf(sluice), baseline: costOf(baseline) },
    },
  );
}
