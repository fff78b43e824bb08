// @newest
/**
 * Parquet files of pyarrow and Spark, with types and codecs that the library of the other tests does
 * not write: moments of 96 bits, numbers of 16 bits, and both kinds of LZ4.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import t from 'tap';
import { importing } from '../importing.ts';

const db = await importing(
  'CREATE TABLE item (id int8 PRIMARY KEY, local timestamp, moment timestamptz, f4 real, name text)',
);

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'parquet', name));

t.test('moments of 96 bits keep their microseconds, in every year', async (t) => {
  await db.import('item', fixture('int96.parquet'), 'parquet');
  t.strictSame(await db.rows('SELECT id::int, local::text FROM item ORDER BY id'), [
    { id: 1, local: '0001-01-01 00:00:00' },
    { id: 2, local: '2024-02-29 23:59:59.123456' },
    { id: 3, local: '9999-12-31 00:00:00.000001' },
    { id: 4, local: '2262-04-11 23:47:16.854775' },
    { id: 5, local: null },
  ]);
  await db.rows('TRUNCATE item');
  const parameters = { mapping: { local: 'moment' } };
  await db.import('item', fixture('int96.parquet'), 'parquet', { parameters });
  t.strictSame(
    await db.rows("SELECT (moment AT TIME ZONE 'UTC')::text AS at FROM item WHERE id = 2"),
    [{ at: '2024-02-29 23:59:59.123456' }],
  );
});

t.test('numbers of 16 bits', async (t) => {
  await db.rows('TRUNCATE item');
  await db.import('item', fixture('float16.parquet'), 'parquet');
  t.strictSame(await db.rows('SELECT f4::text FROM item ORDER BY id'), [
    { f4: '0.5' },
    { f4: '-65504' },
    { f4: '5.9604645e-08' },
    { f4: 'Infinity' },
    { f4: 'NaN' },
    { f4: null },
  ]);
});

/** A block of LZ4 that has only literals. */
function literals(content: Uint8Array): Buffer {
  const { length } = content;
  if (length < 15) return Buffer.concat([Buffer.from([length * 16]), content]);
  const more = length - 15;
  const lengths = [...Array(Math.floor(more / 255)).fill(255), more % 255];
  return Buffer.concat([Buffer.from([0xf0, ...lengths]), content]);
}

/** The blocks of Hadoop: each begins with its two lengths. */
function hadoop(content: Uint8Array): Uint8Array {
  const half = Math.ceil(content.length / 2);
  const parts = [content.subarray(0, half), content.subarray(half)].map((part) => {
    const block = literals(part);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(part.length, 0);
    head.writeUInt32BE(block.length, 4);
    return Buffer.concat([head, block]);
  });
  return Buffer.concat(parts);
}

t.test('blocks of LZ4, of Hadoop and without lengths', async (t) => {
  const ids = Array.from({ length: 300 }, (_, id) => id);
  const expected = ids.map((id) => ({ id, name: id % 5 === 0 ? null : `name ${id % 7}` }));
  const columnData = [
    { name: 'id', data: ids.map(BigInt), type: 'INT64' as const },
    { name: 'name', data: expected.map(({ name }) => name), type: 'STRING' as const },
  ];
  const written = (compress: (content: Uint8Array) => Uint8Array) =>
    Buffer.from(parquetWriteBuffer({ columnData, codec: 'LZ4', compressors: { LZ4: compress } }));
  for (const [what, content] of [
    ['pyarrow', fixture('lz4.parquet')],
    ['Hadoop', written(hadoop)],
    ['old programs', written(literals)],
  ] as const) {
    await db.rows('TRUNCATE item');
    t.match(await db.import('item', content, 'parquet'), { inserted: 300 }, what);
    t.strictSame(await db.rows('SELECT id::int, name FROM item ORDER BY id'), expected, what);
  }
});

t.test('damaged blocks of LZ4 are refused', async (t) => {
  const content = fixture('lz4.parquet');
  for (let at = 8; at < 400; at += 37) {
    const damaged = Buffer.from(content);
    damaged.fill(0xff, at, at + 12);
    await db.rows('TRUNCATE item');
    // Some bytes are only other values.
    await db.import('item', damaged, 'parquet').catch((error: unknown) => {
      t.match(error, { errors: [{ code: 'INVALID_PAYLOAD' }] }, `damaged at ${at}`);
    });
  }
});
