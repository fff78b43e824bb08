/**
 * The memory of an edge that receives a file of 2 GiB, and of a worker that imports it: plain and
 * compressed; of both with a file of 1 GiB that makes its own collection; and of a worker that leaves out
 * a million faulty rows.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import t from 'tap';
import { IMPORT_TABLE, writeImportFile } from '#tests/bench/import/file.ts';
import { growthDuring, MIB, memoryOf } from '#tests/bench/process.ts';
import { type Cluster, startCluster } from '../harness/cluster.ts';
import { until } from '../harness/until.ts';
import { sendFile } from './fixture/send-file.ts';

/** Where the files go; they need 3 GB. */
const FOLDER = process.env.FOLDER ?? '/var/tmp';
const SIZE = Number(process.env.MEBIBYTES ?? 2_048) * MIB;
const BYTES_PER_ROW = 92;
const WARMING_ROWS = 300_000;
const BAD_ROWS = 1_000_000;
const WORKER_BELOW = 256;
/** The same where a million rows are reported. */
const REPORTING_BELOW = 320;
const EDGE_GROWTH_BELOW = 64;

function folderOf(t: { teardown(end: () => void): void }): string {
  const folder = mkdtempSync(join(FOLDER, 'sluice-memory-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function open(t: Parameters<typeof startCluster>[0]): Promise<Cluster> {
  const cluster = await startCluster(t, { workers: 1 });
  await cluster.db.query(IMPORT_TABLE);
  await until(async () => (await cluster.fetch('/items/people')).ok, 'the table is known');
  return cluster;
}

function peakOfWorker({ workers }: Cluster): number {
  return Math.round(memoryOf(workers[0]?.pid ?? 0, 'VmHWM') / MIB);
}

t.test('a large file', async (t) => {
  const folder = folderOf(t);
  const [small, plain, packed] = ['small.csv', 'people.csv', 'people.csv.gz'].map((name) =>
    join(folder, name),
  );
  if (small === undefined || plain === undefined || packed === undefined) return;
  const rows = Math.ceil(SIZE / BYTES_PER_ROW);
  await writeImportFile(small, WARMING_ROWS);
  await writeImportFile(plain, rows);
  await pipeline(createReadStream(plain), createGzip({ level: 1 }), createWriteStream(packed));
  for (const file of [plain, packed]) {
    const size = `${(statSync(file).size / MIB).toFixed(0)} MiB, ${rows} rows`;
    await t.test(`${file === plain ? 'plain' : 'with gzip'}: ${size}`, async (t) => {
      const cluster = await open(t);
      await sendFile(cluster, small);
      await cluster.db.query('TRUNCATE people');
      const edge = cluster.edges[0]?.pid ?? 0;
      let sent: Awaited<ReturnType<typeof sendFile>> | undefined;
      const growth = await growthDuring(edge, async () => {
        sent = await sendFile(cluster, file);
      });
      const peak = peakOfWorker(cluster);
      t.match(sent?.job, { state: 'completed', result: { inserted: rows } });
      const seconds = [sent?.accepted, sent?.ended].map((ms) => ((ms ?? 0) / 1_000).toFixed(1));
      t.comment(`accepted after ${seconds[0]} s, ended after ${seconds[1]} s`);
      t.ok(peak < WORKER_BELOW, `the worker's peak is ${peak} MiB`);
      const grown = Math.round(growth / MIB);
      t.ok(grown < EDGE_GROWTH_BELOW, `the edge grew by ${grown} MiB`);
    });
  }
});

t.test('a large file that makes its own collection', async (t) => {
  const folder = folderOf(t);
  const [small, large] = ['small.csv', 'people.csv'].map((name) => join(folder, name));
  if (small === undefined || large === undefined) return;
  const rows = Math.ceil(SIZE / 2 / BYTES_PER_ROW);
  await writeImportFile(small, WARMING_ROWS);
  // Keys that do not ascend are compared with each other before one can be the primary key.
  const lines = function* () {
    yield 'id,name,email,city,status,score,active,created_on\n';
    for (let row = rows; row > 0; row -= 1) {
      yield `${row},Person ${row},person${row}@example.com,Berlin,active,${row % 1_000},true,2024-01-05T10:00:00Z\n`;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(large));
  const cluster = await startCluster(t, { workers: 1 });
  const create = { query: '&create=true' };
  await sendFile(cluster, small, create);
  const gone = await cluster.fetch('/collections/people', { method: 'DELETE' });
  t.ok(gone.ok, await gone.text());
  await until(async () => !(await cluster.fetch('/items/people')).ok, 'the table is gone');
  const edge = cluster.edges[0]?.pid ?? 0;
  let sent: Awaited<ReturnType<typeof sendFile>> | undefined;
  const growth = await growthDuring(edge, async () => {
    sent = await sendFile(cluster, large, create);
  });
  t.match(sent?.job, { state: 'completed', result: { inserted: rows } });
  t.comment(
    `${(statSync(large).size / MIB).toFixed(0)} MiB: ${((sent?.ended ?? 0) / 1_000).toFixed(1)} s`,
  );
  const peak = peakOfWorker(cluster);
  t.ok(peak < WORKER_BELOW, `the worker's peak is ${peak} MiB`);
  const grown = Math.round(growth / MIB);
  t.ok(grown < EDGE_GROWTH_BELOW, `the edge grew by ${grown} MiB`);
});

t.test('a million faulty rows', async (t) => {
  const cluster = await open(t);
  const file = join(folderOf(t), 'bad.csv');
  const lines = function* () {
    yield 'id,name,email,city,status,score,active,created_on\n';
    for (let row = 1; row <= BAD_ROWS; row += 1) {
      yield `${row},Person ${row},person${row}@example.com,Berlin,active,much,true,2024-01-05T10:00:00Z\n`;
    }
    yield '1,Person,person@example.com,Berlin,active,1,true,2024-01-05T10:00:00Z\n';
  };
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const { job, ended } = await sendFile(cluster, file, { query: '&on_error=skip' });
  t.match(job, { state: 'completed', result: { inserted: 1, failed: BAD_ROWS } });
  const peak = peakOfWorker(cluster);
  t.comment(`ended after ${(ended / 1_000).toFixed(1)} s`);
  t.ok(peak < REPORTING_BELOW, `the worker's peak is ${peak} MiB`);
});
