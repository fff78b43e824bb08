/**
 * How fast imports are against COPY of the same file into the same empty table, in turns: where no key
 * can collide, and merged into as many rows of which none, half (the others are new) or all change.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import t from 'tap';
import { median } from '#tests/bench/result-row.ts';
import { importing } from '../core/transfer/importing.ts';

const ROWS = Number(process.env.ROWS ?? 300_000);
const ROUNDS = Number(process.env.ROUNDS ?? 3);

/** Rows of which so many percent differ from those that are there, which percent 0 makes. */
function* lines(percent: number): Generator<string> {
  yield 'id,name,email,city,score,active,created_on\n';
  for (let row = 1; row <= ROWS; row += 1) {
    const name = percent > 0 ? 'Changed' : 'Person';
    yield `${percent === 50 ? row - ROWS / 2 : row},${name} ${row},person${row}@example.com,Berlin,${(row * 7919) % 1000},${row % 3 === 0},2024-01-05T10:00:00Z\n`;
  }
}

const CASES = { empty: 0, nothing: 0, half: 50, all: 100 };
const GOALS = { empty: 0.8, nothing: 0.55, half: 0.38, all: 0.3 };

t.test('imports against COPY', async (t) => {
  const db = await importing(`CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL,
    email text NOT NULL, city text NOT NULL, score double precision NOT NULL,
    active boolean NOT NULL, created_on timestamptz NOT NULL)`);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-speed-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = (percent: number) => join(folder, `${percent}.csv`);
  for (const percent of new Set(Object.values(CASES))) {
    await pipeline(Readable.from(lines(percent)), createWriteStream(path(percent)));
  }
  const copy = async (percent: number) => {
    await db.rows('TRUNCATE item');
    await db.rows('CHECKPOINT');
    const client = await db.pool.connect();
    const started = performance.now();
    const into = client.query(copyFrom('COPY item FROM STDIN (FORMAT csv, HEADER true)'));
    await pipeline(createReadStream(path(percent)), into);
    const took = performance.now() - started;
    client.release();
    return took;
  };
  const ratios: { name: string; ratio: number }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, percent] of Object.entries(CASES)) {
      const base = await copy(0);
      if (name === 'empty') await db.rows('TRUNCATE item');
      await db.rows('VACUUM ANALYZE item');
      await db.rows('CHECKPOINT');
      const started = performance.now();
      const open = () => createReadStream(path(percent), { highWaterMark: 256 * 1024 });
      const counts = await db.import('item', open);
      const took = performance.now() - started;
      // The first round warms up.
      if (round > 0) ratios.push({ name, ratio: base / took });
      t.comment(
        `${name}: copy ${base.toFixed(0)} ms, import ${took.toFixed(0)} ms ${JSON.stringify(counts)}`,
      );
    }
  }
  for (const [name, goal] of Object.entries(GOALS)) {
    const ratio = median(ratios.filter((one) => one.name === name).map((one) => one.ratio));
    t.ok(ratio >= goal, `${name}: ${ratio.toFixed(2)} x COPY, goal ${goal}`);
  }
});
