/**
 * Measures how a schema change that has to wait for a long transaction delays readers of its table.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { amount, type Row } from '../result-row.ts';

const READERS = 4;
/** Milliseconds between two requests of a reader: a part of what an edge could answer. */
const PACE_MS = 10;
const TABLE = 'tags';

/** The 99th percentile of the times of reads, in milliseconds. */
async function slowest(environment: Environment, milliseconds: number): Promise<number> {
  const headers = { Authorization: `Bearer ${environment.token}` };
  const taken: number[] = [];
  const end = performance.now() + milliseconds;
  const read = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      const response = await fetch(`${environment.url}/items/${TABLE}?limit=10`, { headers });
      await response.text();
      assert.equal(response.status, 200);
      taken.push(performance.now() - started);
      await delay(PACE_MS);
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  const sorted = taken.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

/** Requests a change, and reads while a transaction that reads the table blocks it. */
async function whileWaiting(environment: Environment, milliseconds: number): Promise<number> {
  const holder = await environment.pool.connect();
  try {
    await holder.query(`BEGIN; SELECT count(*) FROM ${TABLE}`);
    const change = fetch(`${environment.url}/fields/${TABLE}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${environment.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ field: `waited_${Date.now()}`, type: 'string', schema: {}, meta: {} }),
    });
    const found = await slowest(environment, milliseconds);
    await holder.query('COMMIT');
    await (await change).text();
    return found;
  } finally {
    holder.release();
  }
}

export async function measureReaders(environment: Environment): Promise<Row> {
  environment.say('schema: readers beside a waiting change');
  const length = environment.options.seconds * 1_000;
  await slowest(environment, length);
  const idle: number[] = [];
  const waiting: number[] = [];
  for (let round = 0; round < environment.options.rounds; round += 1) {
    idle.push(await slowest(environment, length));
    waiting.push(await whileWaiting(environment, length));
  }
  const ratios = waiting.map((time, round) => time / (idle[round] ?? Number.NaN));
  const ratio = ratios.toSorted((a, b) => a - b)[ratios.length >> 1] ?? Number.NaN;
  const title = 'p99 of reads beside a waiting change, compared with idle';
  return amount({ id: 'schema/readers', title, unit: 'times' }, ratio, 3, { idle, waiting });
}
