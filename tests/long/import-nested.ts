/**
 * Files with related items: how fast they are beside POST of the same rows in lists of 500, and the
 * memory of the worker with a large one.
 */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import t from 'tap';
import { MIB, memoryOf } from '#tests/bench/process.ts';
import { median } from '#tests/bench/result-row.ts';
import { startCluster } from '../harness/cluster.ts';
import { until } from '../harness/until.ts';
import { sendFile } from './fixture/send-file.ts';

const FOLDER = process.env.FOLDER ?? '/var/tmp';
const ROWS = Number(process.env.ROWS ?? 5_000);
const LARGE_ROWS = Number(process.env.LARGE_ROWS ?? 200_000);
const ROUNDS = Number(process.env.ROUNDS ?? 3);
const LIST = 500;
const WORKER_BELOW = 256;

/** A row with an item that it refers to, and two that refer to it. */
function item(row: number) {
  return {
    name: `Person ${row}`,
    city: { name: `City ${row}`, country: 'de' },
    notes: [{ text: `first of ${row}` }, { text: `second of ${row}` }],
  };
}

function* jsonLines(rows: number): Generator<string> {
  for (let row = 1; row <= rows; row += 1) yield `${JSON.stringify(item(row))}\n`;
}

function* csvLines(rows: number): Generator<string> {
  yield 'name,city.name,city.country,notes\n';
  for (let row = 1; row <= rows; row += 1) {
    const { name, city, notes } = item(row);
    const cell = JSON.stringify(notes).replaceAll('"', '""');
    yield `${name},${city.name},${city.country},"${cell}"\n`;
  }
}

t.test('files with related items', async (t) => {
  const folder = mkdtempSync(join(FOLDER, 'sluice-nested-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(`
    CREATE TABLE cities (id serial PRIMARY KEY, name text, country text);
    CREATE TABLE people (id serial PRIMARY KEY, name text, city int REFERENCES cities);
    CREATE TABLE notes (id serial PRIMARY KEY, text text, person int REFERENCES people);
    INSERT INTO system_relations (many_collection, many_field, one_collection, one_field)
      VALUES ('notes', 'person', 'people', 'notes')`);
  await until(async () => (await cluster.fetch('/items/people?fields=notes')).ok, 'the relation');
  const posted = async () => {
    const started = performance.now();
    for (let row = 1; row <= ROWS; row += LIST) {
      const list = Array.from({ length: Math.min(LIST, ROWS - row + 1) }, (_, n) => item(row + n));
      const body = JSON.stringify(list);
      const answer = await cluster.fetch('/items/people?fields=id', { method: 'POST', body });
      t.equal(answer.status, 200);
      await answer.text();
    }
    return performance.now() - started;
  };
  const write = async (name: string, lines: Iterable<string>) => {
    const file = join(folder, name);
    await pipeline(Readable.from(lines), createWriteStream(file));
    return file;
  };
  const files = {
    csv: await write('people.csv', csvLines(ROWS)),
    ndjson: await write('people.ndjson', jsonLines(ROWS)),
  };
  const ratios: Record<string, number[]> = { csv: [], ndjson: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const took = await posted();
    t.comment(`POST: ${Math.round((ROWS / took) * 1_000)} rows a second`);
    for (const [name, file] of Object.entries(files)) {
      const { job, ended } = await sendFile(cluster, file);
      t.match(job, { state: 'completed', result: { inserted: ROWS } });
      t.comment(`${name}: ${Math.round((ROWS / ended) * 1_000)} rows a second`);
      // The first round warms up.
      if (round > 0) ratios[name]?.push(took / ended);
    }
  }
  for (const [name, list] of Object.entries(ratios)) {
    t.ok(median(list) > 0.7, `${name}: ${median(list).toFixed(2)} x POST`);
  }
  const large = await write('large.csv', csvLines(LARGE_ROWS));
  const { job, ended } = await sendFile(cluster, large);
  t.match(job, { state: 'completed', result: { inserted: LARGE_ROWS } });
  const size = `${(statSync(large).size / MIB).toFixed(0)} MiB, ${LARGE_ROWS} rows`;
  t.comment(`${size}: ${(ended / 1_000).toFixed(1)} s`);
  const peak = Math.round(memoryOf(cluster.workers[0]?.pid ?? 0, 'VmHWM') / MIB);
  t.ok(peak < WORKER_BELOW, `the worker's peak is ${peak} MiB`);
});
