/** Ten times the rows take at most twelve times as long, over HTTP: into an empty table, and merged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { FILL_FOR_MERGE, IMPORT_TABLE, writeImportFile } from '#tests/bench/import/file.ts';
import { median } from '#tests/bench/result-row.ts';
import { startCluster } from '../harness/cluster.ts';
import { until } from '../harness/until.ts';
import { sendFile } from './fixture/send-file.ts';

const ROWS = Number(process.env.ROWS ?? 200_000);
const ROUNDS = 3;
const GROWTH_MAX = 12;

t.test('the time of an import grows with its rows', async (t) => {
  const cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(IMPORT_TABLE);
  await until(async () => (await cluster.fetch('/items/people')).ok, 'the table is known');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-growth-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const measure = async (rows: number, isMerge: boolean) => {
    await cluster.db.query('TRUNCATE people');
    if (isMerge) await cluster.db.query(FILL_FOR_MERGE, [rows]);
    await cluster.db.query('VACUUM ANALYZE people');
    await cluster.db.query('CHECKPOINT');
    const { job, ended } = await sendFile(cluster, join(folder, `${rows}.csv`));
    const half = isMerge ? rows / 2 : 0;
    t.match(job, { state: 'completed', result: { inserted: rows - half, updated: half } });
    return ended;
  };
  for (const rows of [ROWS, ROWS * 10]) await writeImportFile(join(folder, `${rows}.csv`), rows);
  for (const isMerge of [false, true]) {
    const name = isMerge ? 'merged, half new and half changed' : 'into an empty table';
    // The first one warms up.
    await measure(ROWS, isMerge);
    const few: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) few.push(await measure(ROWS, isMerge));
    const many = await measure(ROWS * 10, isMerge);
    const growth = many / median(few);
    const times = [...few, many].map((ms) => `${(ms / 1_000).toFixed(2)} s`).join(', ');
    t.ok(growth <= GROWTH_MAX, `${name}: ${times}; ${growth.toFixed(1)} times as long`);
  }
});
