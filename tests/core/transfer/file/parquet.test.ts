// @newest
/** Parquet files: all types with all of their digits, documents, and files that are damaged. */
import { Readable } from 'node:stream';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import t from 'tap';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { openTable } from '#core/transfer/file/table/open-table.ts';
import { importing } from '../importing.ts';

const db =
  await importing(`CREATE TABLE item (id int8 PRIMARY KEY, i int, u8 numeric, price numeric,
  wide numeric, f4 real, f8 double precision, flag boolean, name text, bytes bytea, day date,
  "time" time, moment timestamptz, local timestamp, uuid uuid, document jsonb, list jsonb, span interval)`);

/** A file with one row group for each call of `columns`. */
function file(
  schema: ConstructorParameters<typeof ParquetWriter>[0]['schema'],
  data: Record<string, unknown[]>,
): Buffer {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({ writer, schema });
  parquet.write({
    columnData: Object.entries(data).map(([name, values]) => ({ name, data: values })),
  });
  parquet.finish();
  return Buffer.from(writer.getBytes());
}

async function refusal(content: Buffer) {
  const error: unknown = await db
    .import('item', content, 'parquet')
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceErrors)) throw error;
  return error.errors[0]?.details.reason?.code;
}

t.test('values of all types keep their digits', async (t) => {
  const optional = { repetition_type: 'OPTIONAL' } as const;
  const content = file(
    [
      { name: 'root', num_children: 16 },
      { name: 'id', type: 'INT64', repetition_type: 'REQUIRED' },
      { name: 'i', type: 'INT32', ...optional },
      {
        name: 'u8',
        type: 'INT64',
        ...optional,
        logical_type: { type: 'INTEGER', bitWidth: 64, isSigned: false },
      },
      {
        name: 'price',
        type: 'INT64',
        ...optional,
        converted_type: 'DECIMAL',
        precision: 18,
        scale: 4,
      },
      {
        name: 'wide',
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 16,
        ...optional,
        converted_type: 'DECIMAL',
        precision: 38,
        scale: 10,
      },
      { name: 'f4', type: 'FLOAT', ...optional },
      { name: 'f8', type: 'DOUBLE', ...optional },
      { name: 'flag', type: 'BOOLEAN', ...optional },
      { name: 'name', type: 'BYTE_ARRAY', ...optional, converted_type: 'UTF8' },
      { name: 'bytes', type: 'BYTE_ARRAY', ...optional },
      { name: 'day', type: 'INT32', ...optional, converted_type: 'DATE' },
      {
        name: 'time',
        type: 'INT64',
        ...optional,
        logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' },
      },
      {
        name: 'moment',
        type: 'INT64',
        ...optional,
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      },
      {
        name: 'local',
        type: 'INT64',
        ...optional,
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' },
      },
      {
        name: 'uuid',
        type: 'FIXED_LEN_BYTE_ARRAY',
        type_length: 16,
        ...optional,
        logical_type: { type: 'UUID' },
      },
      { name: 'document', type: 'BYTE_ARRAY', ...optional, logical_type: { type: 'JSON' } },
    ],
    {
      id: [9007199254740993n, 2n],
      i: [-5, null],
      u8: [18446744073709551615n, null],
      price: [-12345678901234567n, null],
      wide: [-12345678901234567890123456789n, null],
      f4: [Math.fround(0.1), null],
      f8: [1e-7, null],
      flag: [true, null],
      name: ['null', null],
      bytes: [Uint8Array.of(0, 255), null],
      day: [-1, null],
      time: [45_296_000_001n, null],
      moment: [-1n, null],
      local: [1_500_000_000_123_456_789n, null],
      uuid: ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', null],
      document: [Buffer.from('{"n":12345678901234567890}'), null],
    },
  );
  await db.import('item', content, 'parquet');
  const [second, first] =
    await db.rows(`SELECT id::text, i, u8::text, price::text, wide::text, f4::text, f8::text,
    flag, name, bytes::text, day::text, "time"::text, extract(epoch FROM moment)::text AS moment, local::text, uuid,
    document::text FROM item ORDER BY id`);
  t.strictSame(first, {
    ...{ id: '9007199254740993', i: -5, u8: '18446744073709551615', price: '-1234567890123.4567' },
    ...{
      wide: '-1234567890123456789.0123456789',
      f4: '0.1',
      f8: '1e-07',
      flag: true,
      name: 'null',
    },
    ...{ bytes: '\\x00ff', day: '1969-12-31', time: '12:34:56.000001', moment: '-0.000001' },
    ...{ local: '2017-07-14 02:40:00.123456', uuid: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' },
    document: '{"n": 12345678901234567890}',
  });
  t.match(second, { id: '2', name: null, price: null, document: null });
});

t.test('lists and objects are documents', async (t) => {
  const content = file(
    [
      { name: 'root', num_children: 2 },
      { name: 'id', type: 'INT64', repetition_type: 'REQUIRED' },
      { name: 'list', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', num_children: 2 },
      { name: 'n', type: 'INT64', repetition_type: 'OPTIONAL' },
      { name: 't', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL', converted_type: 'UTF8' },
    ],
    { id: [1n, 2n, 3n], list: [[{ n: 9007199254740993n, t: 'a"' }, null], [], null] },
  );
  await db.rows('TRUNCATE item');
  await db.import('item', content, 'parquet');
  t.strictSame(await db.rows('SELECT list::text FROM item ORDER BY id'), [
    { list: '[{"n": 9007199254740993, "t": "a\\""}, null]' },
    { list: '[]' },
    { list: null },
  ]);
});

t.test('pages and row groups of any size and codec are read in order', async (t) => {
  const compressors: ConstructorParameters<typeof ParquetWriter>[0]['compressors'] = {
    GZIP: (input) => gzipSync(input),
    ZSTD: (input) => zstdCompressSync(input),
    BROTLI: (input) => brotliCompressSync(input),
  };
  const ids = Array.from({ length: 5_000 }, (_, at) => BigInt(at));
  for (const codec of ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD', 'BROTLI'] as const) {
    const buffer = parquetWriteBuffer({
      ...{ codec, compressors, rowGroupSize: 1_700, pageSize: 900 },
      columnData: [
        { name: 'id', data: ids, type: 'INT64', nullable: false },
        { name: 'name', data: ids.map((id) => (id % 3n === 0n ? null : `${id} of ${codec}`)) },
      ],
    });
    await db.rows('TRUNCATE item');
    t.match(await db.import('item', Buffer.from(buffer), 'parquet'), { inserted: 5_000 });
    const wrong = await db.rows(
      `SELECT count(*)::int FROM item WHERE name IS DISTINCT FROM CASE WHEN id % 3 > 0 THEN id || ' of ${codec}' END`,
    );
    t.strictSame(wrong, [{ count: 0 }], codec);
  }
});

t.test('damaged and other files are refused', async (t) => {
  const whole = Buffer.from(
    parquetWriteBuffer({ columnData: [{ name: 'id', data: [1, 2, 3], type: 'INT32' }] }),
  );
  t.equal(await refusal(Buffer.from('PAR1')), 'parquet_damaged');
  t.equal(await refusal(whole.subarray(0, -6)), 'parquet_damaged');
  const encrypted = Buffer.from(whole);
  encrypted.write('PARE', whole.length - 4);
  t.equal(await refusal(encrypted), 'parquet_encrypted');
  // The footer, whose bytes have names and places of columns.
  for (let at = whole.length - 9; at > whole.length - 60; at -= 12) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    await db.rows('TRUNCATE item');
    const error: unknown = await db
      .import('item', damaged, 'parquet')
      .catch((thrown: unknown) => thrown);
    const isUnknown = error instanceof Error && !(error instanceof ServiceErrors);
    if (isUnknown && !(error instanceof ServiceError)) t.fail(`a changed byte ${at}: ${error}`);
  }
});

t.test('columns that together do not fit into memory are refused', async (t) => {
  const names = Array.from({ length: 70 }, (_, at) => `c${at}`);
  const data = new Float64Array(500_000);
  const content = Buffer.from(
    parquetWriteBuffer({
      ...{ codec: 'ZSTD', compressors: { ZSTD: (input) => zstdCompressSync(input) } },
      ...{ rowGroupSize: data.length, pageSize: 60_000_000 },
      columnData: names.map((name) => ({
        ...{ name, data, nullable: false },
        ...({ type: 'DOUBLE', encoding: 'PLAIN' } as const),
      })),
    }),
  );
  const limits = { bytes: 1e12, ratio: 1e9 };
  const source = Readable.from([content]);
  const table = await openTable({ format: 'parquet', content: source }, {}, limits);
  t.teardown(() => table.close());
  const error: unknown = await (async () => {
    for await (const _ of table.content()) t.fail('rows are read');
  })().catch((thrown: unknown) => thrown);
  t.ok(error instanceof ServiceError);
  if (error instanceof ServiceError) t.equal(error.code, 'CONTENT_TOO_LARGE');
});
