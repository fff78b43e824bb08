/**
 * Measures schema changes in a database with a thousand tables: how long one takes, when every
 * process has applied it, and how it delays other requests.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#ops/run/embedded/postgres.ts';
import type { Environment } from '../environment.ts';
import { MIB, memoryOf, type Running, startProcess } from '../process.ts';
import { amount, median, type Row } from '../result-row.ts';
import { measureReaders } from './reader.ts';

const TABLES = 1_000;
/** Before that number of changes heaps still grow to the size that this work needs. */
const WARM_UP = 250;
/** Number of changes during which memory must not grow. */
const MANY = 500;
const SETTLE_MS = 60_000;
const QUIET_MS = 1_000;

const CREATE = `DO $$ BEGIN FOR i IN 1..${TABLES} LOOP EXECUTE format(
  'CREATE TABLE wide_%s (id serial PRIMARY KEY, a text, b int, c numeric, d date, e timestamptz,
     f boolean, g jsonb, h uuid, owner int REFERENCES authors)', i);
  END LOOP; END $$`;

/** Starts another edge and worker; returns all four processes. */
async function startProcesses(environment: Environment): Promise<readonly Running[]> {
  const start = async (script: string, env: Record<string, string>) => {
    const running = await startProcess({ script, env: { ...environment.env, ...env } });
    environment.onClose(() => running.stop());
    return running;
  };
  const edge = await start('edge/main.ts', { PORT: String(await freePort()) });
  return [environment.edge, environment.worker, edge, await start('workers/main.ts', {})];
}

async function isCurrent(environment: Environment): Promise<boolean> {
  const { rows } = await environment.pool.query<{ behind: boolean }>(
    `SELECT bool_or(m.catalog < s.version) AS behind FROM system_members m, system_state s
     WHERE s.name = 'catalog'`,
  );
  return rows[0]?.behind === false;
}

/** Waits until the watch of the database has checked after the previous change. */
async function untilSettled(environment: Environment): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    await delay(QUIET_MS);
    const { rows } = await environment.pool.query<{ settled: boolean }>(
      `SELECT value ? 'settled' AS settled FROM system_state WHERE name = 'catalog'`,
    );
    if (rows[0]?.settled === true) return;
    assert(performance.now() < end, 'no process watches the database');
  }
}

async function untilKnown(environment: Environment, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${environment.token}` };
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    const { ok } = await fetch(environment.url + path, { headers });
    if (ok && (await isCurrent(environment))) return;
    assert(performance.now() < end, 'the tables are not served');
  }
}

/** Adds a field; milliseconds until the answer, and until every process has the new catalog. */
async function addField(environment: Environment, number: number) {
  environment.stop.throwIfAborted();
  const started = performance.now();
  const response = await fetch(`${environment.url}/fields/wide_${(number % TABLES) + 1}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${environment.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ field: `added_${number}`, type: 'string', schema: {}, meta: {} }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  const answered = performance.now() - started;
  while (!(await isCurrent(environment)));
  return { answered, everywhere: performance.now() - started };
}

export async function measureSchema(environment: Environment): Promise<Row[]> {
  environment.say(`schema: ${TABLES} tables`);
  await environment.pool.query(CREATE);
  const all = await startProcesses(environment);
  await untilKnown(environment, `/items/wide_${TABLES}?limit=1`);
  let number = 0;
  for (; number < WARM_UP; number += 1) await addField(environment, number);
  for (const each of all) await each.longestBlock();
  const found = [];
  for (let round = 0; round < environment.options.rounds; round += 1, number += 1) {
    await untilSettled(environment);
    found.push(await addField(environment, number));
  }
  const blocks = await Promise.all(all.map((each) => each.longestBlock()));
  environment.say(`schema: ${MANY} changes`);
  const before = all.map(({ pid }) => memoryOf(pid, 'VmRSS'));
  const inRow = [];
  for (let count = 0; count < MANY; count += 1, number += 1) {
    inRow.push((await addField(environment, number)).answered);
  }
  const growth = all.map(({ pid }, index) => memoryOf(pid, 'VmRSS') - (before[index] ?? 0));
  const answered = found.map((each) => each.answered);
  const everywhere = found.map((each) => each.everywhere);
  return [
    amount(
      { id: 'schema/field', title: `one more field among ${TABLES} tables`, unit: 'ms' },
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
    await measureReaders(environment),
  ];
}
