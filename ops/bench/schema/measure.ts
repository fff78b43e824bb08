/**
 * Measures changes of the schema in a database of a thousand tables: how long one takes, when every
 * process knows of it, what it costs those who answer meanwhile.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#ops/embedded/postgres.ts';
import type { Rig } from '../environment.ts';
import { MIB, memoryOf, type Running, startProcess } from '../process.ts';
import { amount, median, type Row } from '../result-row.ts';
import { measureReaders } from './reader.ts';

const TABLES = 1_000;
/** Until then heaps still grow to the size that this work needs. */
const WARM_UP = 250;
/** Changes over which memory must stay as it is. */
const MANY = 500;
const SETTLE_MS = 60_000;
const QUIET_MS = 1_000;

const CREATE = `DO $$ BEGIN FOR i IN 1..${TABLES} LOOP EXECUTE format(
  'CREATE TABLE wide_%s (id serial PRIMARY KEY, a text, b int, c numeric, d date, e timestamptz,
     f boolean, g jsonb, h uuid, owner int REFERENCES authors)', i);
  END LOOP; END $$`;

/** Starts an edge and a worker beside those of the rig; all four of them. */
async function startProcesses(rig: Rig): Promise<readonly Running[]> {
  const start = async (script: string, env: Record<string, string>) => {
    const running = await startProcess({ script, env: { ...rig.env, ...env } });
    rig.onClose(() => running.stop());
    return running;
  };
  const edge = await start('edge/main.ts', { PORT: String(await freePort()) });
  return [rig.edge, rig.worker, edge, await start('workers/main.ts', {})];
}

async function isCurrent(rig: Rig): Promise<boolean> {
  const { rows } = await rig.pool.query<{ behind: boolean }>(
    `SELECT bool_or(m.catalog < s.version) AS behind FROM system_members m, system_state s
     WHERE s.name = 'catalog'`,
  );
  return rows[0]?.behind === false;
}

/** Waits until the watch has looked at what the change before left behind. */
async function untilSettled(rig: Rig): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    await delay(QUIET_MS);
    const { rows } = await rig.pool.query<{ settled: boolean }>(
      `SELECT value ? 'settled' AS settled FROM system_state WHERE name = 'catalog'`,
    );
    if (rows[0]?.settled === true) return;
    assert(performance.now() < end, 'nobody looks at the database');
  }
}

async function untilKnown(rig: Rig, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${rig.token}` };
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    const { ok } = await fetch(rig.url + path, { headers });
    if (ok && (await isCurrent(rig))) return;
    assert(performance.now() < end, 'the tables are not served');
  }
}

/** Adds a field; milliseconds until the answer, and until every process has the new catalog. */
async function addField(rig: Rig, number: number) {
  rig.stop.throwIfAborted();
  const started = performance.now();
  const response = await fetch(`${rig.url}/fields/wide_${(number % TABLES) + 1}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${rig.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ field: `added_${number}`, type: 'string', schema: {}, meta: {} }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const answered = performance.now() - started;
  while (!(await isCurrent(rig)));
  return { answered, everywhere: performance.now() - started };
}

export async function measureSchema(rig: Rig): Promise<Row[]> {
  rig.say(`schema: ${TABLES} tables`);
  await rig.pool.query(CREATE);
  const all = await startProcesses(rig);
  await untilKnown(rig, `/items/wide_${TABLES}?limit=1`);
  let number = 0;
  for (; number < WARM_UP; number += 1) await addField(rig, number);
  for (const each of all) await each.longestBlock();
  const found = [];
  for (let round = 0; round < rig.options.rounds; round += 1, number += 1) {
    await untilSettled(rig);
    found.push(await addField(rig, number));
  }
  const blocks = await Promise.all(all.map((each) => each.longestBlock()));
  rig.say(`schema: ${MANY} changes`);
  const before = all.map(({ pid }) => memoryOf(pid, 'VmRSS'));
  const inRow = [];
  for (let count = 0; count < MANY; count += 1, number += 1) {
    inRow.push((await addField(rig, number)).answered);
  }
  const growth = all.map(({ pid }, index) => memoryOf(pid, 'VmRSS') - (before[index] ?? 0));
  const answered = found.map((each) => each.answered);
  const everywhere = found.map((each) => each.everywhere);
  return [
    amount(
      { id: 'schema/field', title: `a field more among ${TABLES} tables`, unit: 'ms' },
      median(answered),
      300,
      { answered },
    ),
    amount(
      { id: 'schema/everywhere', title: 'every process has the new catalog', unit: 'ms' },
      median(everywhere),
      1_000,
      { everywhere },
    ),
    amount(
      { id: 'schema/block', title: 'longest block of an event loop meanwhile', unit: 'ms' },
      Math.max(...blocks),
      50,
      { blocks },
    ),
    amount(
      { id: 'schema/memory', title: `growth of a process over ${MANY} changes`, unit: 'MiB' },
      Math.max(...growth) / MIB,
      64,
      { growth: growth.map((bytes) => bytes / MIB), answeredOneAfterAnother: median(inRow) },
    ),
    await measureReaders(rig),
  ];
}
