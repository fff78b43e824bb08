/**
 * What it costs an import to keep what it changes, and how long the undo takes, in turns: of rows that
 * are all new, and of rows that all change.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import t from 'tap';
import { undoImport } from '#core/transfer/undo-import.ts';
import { median } from '#tests/bench/result-row.ts';
import { ADMINISTRATOR, importing } from '../core/transfer/importing.ts';

const ROWS = Number(process.env.ROWS ?? 1_000_000);
const ROUNDS = Number(process.env.ROUNDS ?? 3);

function* lines(name: string): Generator<string> {
  yield 'id,name,email,city,score,active,created_on,note\n';
  for (let row = 1; row <= ROWS; row += 1) {
    yield `${row},${name} ${row},person${row}@example.com,Berlin,${(row * 7919) % 1000},${row % 3 === 0},2024-01-05T10:00:00Z,note\n`;
  }
}

const CASES = {
  inserted: { file: 'first', undo: 1 },
  updated: { file: 'second', undo: 2 },
} as const;
/** The cost of keeping, in times of the import. */
const COST = 1.4;

t.test('imports that keep what they change, and their undo', async (t) => {
  const db = await importing(`CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL,
      email text NOT NULL, city text NOT NULL, score double precision NOT NULL,
      active boolean NOT NULL, created_on timestamptz NOT NULL, note text)`);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-undo-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = (name: string) => join(folder, `${name}.csv`);
  for (const name of ['first', 'second']) {
    await pipeline(Readable.from(lines(name)), createWriteStream(path(name)));
  }
  const begin = async (name: keyof typeof CASES) => {
    await db.rows('TRUNCATE item, public.system_import_undos, public.system_import_changes');
    if (name === 'updated') await db.import('item', () => createReadStream(path('first')));
    await db.rows('VACUUM ANALYZE item');
    await db.rows('CHECKPOINT');
  };
  const run = async (file: string, job: string | null) => {
    const open = () => createReadStream(path(file), { highWaterMark: 256 * 1024 });
    const keep = job === null ? null : { job, holder: null, schema: 'public' };
    const started = performance.now();
    await db.import('item', open, 'csv', { keep });
    return performance.now() - started;
  };
  const undo = async (job: string) => {
    const client = await db.pool.connect();
    const started = performance.now();
    const result = await undoImport({
      ...{ client, catalog: await db.catalog(), schema: 'public', job, import: job },
      ...{ sender: ADMINISTRATOR, dryRun: false, namedMax: 100 },
      signal: new AbortController().signal,
      interrupt: async () => undefined,
      failpoint: async () => undefined,
      complete: async () => undefined,
    });
    const took = performance.now() - started;
    client.release();
    return { took, result };
  };
  const ratios: { name: string; cost: number; undo: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, { file }] of Object.entries(CASES)) {
      if (name !== 'inserted' && name !== 'updated') continue;
      await begin(name);
      const plain = await run(file, null);
      await begin(name);
      const job = randomUUID();
      await db.rows(
        `INSERT INTO public.system_jobs (id, kind, queue, message, message_version)
          VALUES ($1, 'import', 'transfer', '{}', 1)`,
        [job],
      );
      const kept = await run(file, job);
      const { took, result } = await undo(job);
      t.match(result, { removed: name === 'inserted' ? ROWS : 0, kept: 0 });
      t.comment(
        `${name}: import ${plain.toFixed(0)} ms, keeping ${kept.toFixed(0)} ms, undo ${took.toFixed(0)} ms`,
      );
      // The first round warms up.
      if (round > 0) ratios.push({ name, cost: kept / plain, undo: took / plain });
    }
  }
  for (const [name, { undo: goal }] of Object.entries(CASES)) {
    const own = ratios.filter((one) => one.name === name);
    const cost = median(own.map((one) => one.cost));
    const ratio = median(own.map((one) => one.undo));
    t.ok(cost <= COST, `${name}: keeping costs ${cost.toFixed(2)} x, goal ${COST}`);
    t.ok(ratio <= goal, `${name}: the undo takes ${ratio.toFixed(2)} x the import, goal ${goal}`);
  }
});
