/**
 * Measures what readers of a table notice of a change to it that has to wait, because somebody
 * holds the table for long.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Rig } from '../environment.ts';
import { amount, type Row } from '../result-row.ts';

const READERS = 4;
/** Milliseconds between two requests of a reader: some of the rate that an edge could answer. */
const PACE_MS = 10;
const TABLE = 'tags';

/** The time in milliseconds that 99 of 100 reads took at most. */
async function slowest(rig: Rig, milliseconds: number): Promise<number> {
  const headers = { Authorization: `Bearer ${rig.token}` };
  const taken: number[] = [];
  const end = performance.now() + milliseconds;
  const read = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      const response = await fetch(`${rig.url}/items/${TABLE}?limit=10`, { headers });
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

/** Asks for a change and reads while a transaction that reads the table keeps it from being made. */
async function whileWaiting(rig: Rig, milliseconds: number): Promise<number> {
  const holder = await rig.pool.connect();
  try {
    await holder.query(`BEGIN; SELECT count(*) FROM ${TABLE}`);
    const change = fetch(`${rig.url}/fields/${TABLE}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${rig.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ field: `waited_${Date.now()}`, type: 'string', schema: {}, meta: {} }),
    });
    const found = await slowest(rig, milliseconds);
    await holder.query('COMMIT');
    await (await change).text();
    return found;
  } finally {
    holder.release();
  }
}

export async function measureReaders(rig: Rig): Promise<Row> {
  rig.say('schema: readers beside a change that waits');
  const length = rig.options.seconds * 1_000;
  await slowest(rig, length);
  const idle: number[] = [];
  const waiting: number[] = [];
  for (let round = 0; round < rig.options.rounds; round += 1) {
    idle.push(await slowest(rig, length));
    waiting.push(await whileWaiting(rig, length));
  }
  const ratios = waiting.map((time, round) => time / (idle[round] ?? Number.NaN));
  const ratio = ratios.toSorted((a, b) => a - b)[ratios.length >> 1] ?? Number.NaN;
  const title = 'p99 of reads beside a change that waits, to idle';
  return amount({ id: 'schema/readers', title, unit: 'times' }, ratio, 3, { idle, waiting });
}
