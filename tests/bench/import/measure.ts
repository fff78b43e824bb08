/**
 * Measures imports through the public endpoint and the worker, compared with COPY FROM STDIN of the
 * same file into the same empty table, and their memory.
 */
import assert from 'node:assert/strict';
import { createReadStream, openAsBlob, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import * as v from 'valibot';
import type { Environment } from '../environment.ts';
import { growthDuring, MIB, memoryOf } from '../process.ts';
import { amount, comparison, type Row } from '../result-row.ts';
import { FILL_FOR_MERGE, rowsAt, writeImportFile } from './file.ts';

const DIRECT_GOAL = 0.8;
const MERGE_GOAL = 0.38;
const WORKER_BELOW_MIB = 256;
const EDGE_BELOW_MIB = 64;

const count = v.number();
const answer = v.object({
  data: v.object({
    result: v.object({ inserted: count, updated: count, unchanged: count }),
  }),
});
type Counts = v.InferOutput<typeof answer>['data']['result'];

/** Files in other forms than RFC 4180: their goals, types and options. */
const FORMS = {
  semicolons: {
    goal: 0.45,
    type: 'text/csv',
    query: '?separator=;',
    title: 'import of CSV with semicolons',
  },
  json: { goal: 0.45, type: 'application/json', query: '', title: 'import of a JSON array' },
  ndjson: { goal: 0.45, type: 'application/x-ndjson', query: '', title: 'import of NDJSON' },
} as const;

type Form = keyof typeof FORMS;
const FORM_NAMES: readonly Form[] = ['semicolons', 'json', 'ndjson'];

interface Material {
  readonly form?: Form;
  readonly file: string;
  readonly rows: number;
}

/** Empties the table, so that the server has nothing of an earlier run to write. */
async function empty({ pool }: Environment): Promise<void> {
  await pool.query('TRUNCATE people');
  await pool.query('CHECKPOINT');
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** Rows per second of COPY. */
async function copy(environment: Environment, { file, rows }: Material): Promise<number> {
  await empty(environment);
  const client = await environment.pool.connect();
  try {
    const took = await seconds(() =>
      pipeline(
        createReadStream(file),
        client.query(copyFrom('COPY people FROM STDIN (FORMAT csv, HEADER true)')),
      ),
    );
    return rows / took;
  } finally {
    client.release();
  }
}

/** Sends the file and waits for the end of the job. */
async function send(environment: Environment, { file, form }: Material): Promise<string> {
  const { type, query } = form === undefined ? { type: 'text/csv', query: '' } : FORMS[form];
  const body = new FormData();
  body.set('file', await openAsBlob(file, { type }), 'people');
  const response = await fetch(`${environment.url}/utils/import/people${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${environment.token}` },
    body,
    signal: environment.stop,
  });
  const text = await response.text();
  assert.equal(response.status, 200, `the import was answered with ${response.status}: ${text}`);
  return response.headers.get('location') ?? '';
}

/**
 * Rows per second of an import, from the first byte sent to the answer; adds the growth of the
 * edge.
 */
async function importFile(
  environment: Environment,
  material: Material,
  expected: Counts,
  growth: number[],
): Promise<number> {
  let location = '';
  let took = 0;
  const grown = await growthDuring(environment.edge.pid, async () => {
    took = await seconds(async () => {
      location = await send(environment, material);
    });
  });
  growth.push(grown / MIB);
  const job = await fetch(environment.url + location, {
    headers: { Authorization: `Bearer ${environment.token}` },
  });
  const { result } = v.parse(answer, await job.json()).data;
  assert.deepEqual(result, expected, 'the import succeeded');
  return material.rows / took;
}

/** Measures imports into an empty table and into a filled one. */
export async function measureImports(environment: Environment): Promise<Row[]> {
  const { options, pool, say, stop } = environment;
  const rows = rowsAt(options.scale);
  const material = { file: join(options.folder, 'people.csv'), rows };
  await writeImportFile(material.file, rows);
  const size = statSync(material.file).size / MIB;
  const half = Math.floor(rows / 2);
  say(`import: ${rows.toLocaleString('en')} rows of 8 columns, ${size.toFixed(1)} MiB`);
  const figures = { copy: [] as number[], direct: [] as number[], merge: [] as number[] };
  const byForm = new Map(FORM_NAMES.map((form) => [form, [] as number[]]));
  for (const form of FORM_NAMES) {
    await writeImportFile(join(options.folder, `people.${form}`), rows, form);
  }
  const growth: number[] = [];
  const all = { inserted: rows, updated: 0, unchanged: 0 };
  const some = { inserted: half, updated: rows - half, unchanged: 0 };
  // The first round warms up.
  for (let round = 0; round <= options.rounds; round += 1) {
    stop.throwIfAborted();
    const copied = await copy(environment, material);
    await empty(environment);
    const direct = await importFile(environment, material, all, growth);
    await empty(environment);
    await pool.query(FILL_FOR_MERGE, [rows]);
    await pool.query('VACUUM ANALYZE people');
    await pool.query('CHECKPOINT');
    const merged = await importFile(environment, material, some, growth);
    for (const [form, found] of byForm) {
      await empty(environment);
      const file = join(options.folder, `people.${form}`);
      const speed = await importFile(environment, { file, rows, form }, all, growth);
      if (round > 0) found.push(speed);
    }
    if (round === 0) continue;
    figures.copy.push(copied);
    figures.direct.push(direct);
    figures.merge.push(merged);
  }
  const heading = (id: string, title: string) =>
    ({ id: `import/${id}`, title, unit: 'rows/s' }) as const;
  const memory = (id: string, title: string) =>
    ({ id: `import/${id}`, title, unit: 'MiB' }) as const;
  const duel = (sluice: readonly number[]) => ({ sluice, baseline: figures.copy });
  const peak = memoryOf(environment.worker.pid, 'VmHWM') / MIB;
  return [
    comparison(heading('direct', 'import into an empty table'), duel(figures.direct), DIRECT_GOAL, {
      rows,
      mebibytes: size,
    }),
    comparison(heading('merge', 'import that merges by key'), duel(figures.merge), MERGE_GOAL, {
      table: `keys ${half + 1} to ${half + rows}, every other value differs from the file's`,
      file: `keys 1 to ${rows}`,
    }),
    ...Array.from(byForm, ([form, found]) =>
      comparison(heading(form, FORMS[form].title), duel(found), FORMS[form].goal),
    ),
    amount(memory('worker-memory', 'peak memory of the worker'), peak, WORKER_BELOW_MIB),
    amount(
      memory('edge-memory', 'growth of the edge during an upload'),
      Math.max(...growth),
      EDGE_BELOW_MIB,
      { growth },
    ),
  ];
}
