/**
 * Reads of items at a tenth of the rate that the edge can take, beside an import of a million rows by a
 * worker: how much later than on an idle server they are answered. Counted from the time at which each
 * read was due.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { IMPORT_TABLE, writeImportFile } from '#tests/bench/import/file.ts';
import { chooseGenerator, loadOf } from '#tests/bench/load/load.ts';
import { median } from '#tests/bench/result-row.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { sendInThread } from './fixture/send-in-thread.ts';
import { percentile, startSteadyReads } from './fixture/steady-reads.ts';

const ROWS = Number(process.env.ROWS ?? 1_000_000);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** As in an installation. */
const NICE = { WORKER_NICENESS: '10' };
const ITEMS = 10_000;
const IDLE_MS = 4_000;
const PEAK = { connections: 16, seconds: 3 };
/** Of the peak. */
const PART = 0.1;
/** Most of the median p99 beside an import: times that of the idle server, and milliseconds. */
const TIMES = 3;
const WITHIN_MS = 50;

t.test('reads beside an import', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reads-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'people.csv');
  await writeImportFile(file, ROWS);
  const { url, db, fetch } = await startCluster(t, { workers: 1, env: NICE });
  await db.query(IMPORT_TABLE);
  await db.query(`CREATE TABLE things (id int PRIMARY KEY, name text, made timestamptz);
    INSERT INTO things SELECT n, 'thing ' || n, now() FROM generate_series(1, ${ITEMS}) n;
    ANALYZE things`);
  for (const table of ['people', 'things']) {
    await until(async () => (await fetch(`/items/${table}?limit=1`)).ok, 'the table is known');
  }
  const pathOf = (n: number) => `/items/things/${1 + ((n * 7919) % ITEMS)}`;
  const paths = Array.from({ length: ITEMS }, (_, n) => pathOf(n));
  const load = loadOf(chooseGenerator(undefined));
  const { signal } = new AbortController();
  const peak = await load({ url, paths, token: ADMIN_TOKEN }, { ...PEAK, signal });
  const rate = Math.round(peak * PART);
  t.comment(`${Math.round(peak)} reads a second at most, ${rate} in the test`);
  const reads = () => startSteadyReads({ url, token: ADMIN_TOKEN, rate, pathOf });
  const rounds: { idle: number; beside: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    await db.query('TRUNCATE people');
    await db.query('CHECKPOINT');
    const before = reads();
    await delay(IDLE_MS);
    const idle = await before.stop();
    const during = reads();
    const started = performance.now();
    const sending = { url: `${url}/utils/import/people?background`, token: ADMIN_TOKEN, file };
    await sendInThread(sending);
    const accepted = performance.now() - started;
    const open = `SELECT FROM system_jobs WHERE state IN ('waiting', 'running')`;
    await until(async () => (await db.query(open)).rowCount === 0, 'the import ends', 120_000);
    const ended = performance.now() - started;
    const beside = await during.stop();
    const { rows } = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM people');
    t.equal(rows[0]?.n, ROWS, 'all is imported');
    const shown = (all: readonly number[]) =>
      [50, 99, 100].map((part) => percentile(all, part).toFixed(1)).join(', ');
    t.comment(`p50, p99, most (ms): idle ${shown(idle)}; beside ${shown(beside)};
      accepted after ${Math.round(accepted)} ms, ended after ${Math.round(ended)} ms`);
    // The first round warms up.
    if (round > 0) rounds.push({ idle: percentile(idle, 99), beside: percentile(beside, 99) });
  }
  const idle = median(rounds.map((one) => one.idle));
  const beside = median(rounds.map((one) => one.beside));
  t.comment(`medians of p99: idle ${idle.toFixed(1)} ms, beside ${beside.toFixed(1)} ms`);
  t.ok(beside <= idle * TIMES, `at most ${TIMES} times that of an idle server`);
  t.ok(beside <= WITHIN_MS, `at most ${WITHIN_MS} ms`);
});
