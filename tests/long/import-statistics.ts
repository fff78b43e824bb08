/**
 * How long merges take whose table has wrong statistics, against the same with good ones: files of
 * several sizes into tables of several sizes.
 */
import { Readable } from 'node:stream';
import t from 'tap';
import { type Importing, importing } from '../core/transfer/importing.ts';

/** Rows of the table and of the file. */
const SIZES = [
  [300_000, 300_000],
  [300_000, 30_000],
  [300_000, 300],
  [3_000, 30_000],
  [30, 300],
] as const;

/** What `pg_class` says of the table instead of the truth. */
const WRONG = {
  'no rows': 'reltuples = 0, relpages = greatest(relpages, 1)',
  'never counted': 'reltuples = -1, relpages = 0',
  'a billion rows': 'reltuples = 1000000000, relpages = greatest(relpages, 1)',
  'few rows on many pages': 'reltuples = 10, relpages = 1000000',
};

const KEYS = {
  integer: { type: 'int', of: (row: number) => `${row}` },
  text: { type: 'text', of: (row: number) => `key ${(row * 7919) % 1_000_003}` },
};

/** Half of the rows exist, of which half differ. */
function* lines(rows: number, table: number, of: (row: number) => string): Generator<string> {
  yield 'id,name,parent\n';
  for (let row = 1; row <= rows; row += 1) {
    const isNew = row % 2 === 0;
    const id = isNew ? table + row : 1 + ((row * 31) % table);
    yield `${of(id)},${row % 4 === 1 ? 'changed' : 'same'},${1 + (row % 1000)}\n`;
  }
}

async function fill(db: Importing, table: number, of: string): Promise<void> {
  await db.rows('TRUNCATE item');
  await db.rows(
    `INSERT INTO item SELECT ${of}, 'same', 1 FROM generate_series(1, $1::int) AS row`,
    [table],
  );
}

/** Milliseconds of an import; the lower of two. */
async function timeOf(
  db: Importing,
  sizes: { table: number; rows: number; of: (row: number) => string; sql: string },
  prepare: () => Promise<unknown>,
): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 2; round += 1) {
    await fill(db, sizes.table, sizes.sql);
    await prepare();
    const content = () =>
      Readable.from([Buffer.from([...lines(sizes.rows, sizes.table, sizes.of)].join(''))]);
    const started = performance.now();
    await db.import('item', content);
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

for (const [name, { type, of }] of Object.entries(KEYS)) {
  t.test(`merges by a key of type ${name} do not depend on statistics`, async (t) => {
    const db = await importing(
      `CREATE TABLE parent (id int PRIMARY KEY); INSERT INTO parent SELECT generate_series(1, 1000);
       CREATE TABLE item (id ${type} PRIMARY KEY, name text, parent int REFERENCES parent);
       ALTER TABLE item SET (autovacuum_enabled = off);
       ALTER TABLE parent SET (autovacuum_enabled = off)`,
    );
    const sql = type === 'int' ? 'row' : "'key ' || (row::bigint * 7919) % 1000003";
    for (const [table, rows] of SIZES) {
      const sizes = { table, rows, of, sql };
      for (const [title, values] of Object.entries(WRONG)) {
        const poison = () =>
          db.rows(`UPDATE pg_class SET ${values} WHERE oid IN ('item'::regclass, 'item_pkey'::regclass,
            'parent'::regclass)`);
        const good = await timeOf(db, sizes, () => db.rows('ANALYZE item, parent'));
        const bad = await timeOf(db, sizes, poison);
        const ratio = bad / good;
        t.comment(
          `${rows} rows into ${table}, ${title}: ${good.toFixed(0)} and ${bad.toFixed(0)} ms, ${ratio.toFixed(2)}`,
        );
        // The fixed costs of small files vary by more than what is measured.
        t.ok(ratio <= 2 || bad - good < 50, `${rows} rows into ${table}: ${title}`);
      }
    }
  });
}
