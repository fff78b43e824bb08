// @quick
/**
 * Exported and reimported data is the same, for every type, in every format that an import reads.
 * Null, empty and missing values stay distinct, and no digit is lost.
 */
import t from 'tap';
import { ANONYMOUS } from '#core/access/grants.ts';
import { FULL_RIGHTS } from '#core/access/rights.ts';
import { loadConfig } from '#core/base/config/config.ts';
import type { ExportFormat } from '#core/jobs/message/export.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import { exportStatement } from '#core/services/exports.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import { fileParts } from '#core/transfer/export/export-file.ts';
import { type Importing, importing } from '#tests/core/transfer/importing.ts';
import { Dice } from '#tests/harness/dice.ts';

const TEXTS = [
  ...['', ' ', 'null', 'null ', ' null', '"null"', 'true', 'false', '"', '""', '"quoted"', '\\N'],
  ...['a,b', 'line\nbreak', 'carriage\rreturn', '\r\n', '\ttab', '[1,2]', '{"a":1}', '\\.', ';'],
  ...['=1+1', '-1', '@x', '#', '!', 'nullable', 'ﬁ', '💥', '\u00a0', '{}', "O'Brien", '\u0001'],
];
const LISTS = ['{}', '{NULL}', '{NULL,"null"}', '{"",a,"a,b","\\"q\\""}', '{{a,b},{c,d}}'];

/** Values of each type as PostgreSQL writes them. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  text: TEXTS,
  'varchar(20)': TEXTS.map((text) => text.slice(0, 20)),
  'char(4)': ['', 'ab', 'null', '"ab"'],
  citext: ['Ab', '', 'NULL', 'null'],
  boolean: ['t', 'f'],
  int2: ['-32768', '32767'],
  int4: ['-2147483648', '0', '2147483647'],
  int8: ['-9223372036854775808', '9007199254740993', '9223372036854775807'],
  float4: ['NaN', 'Infinity', '-Infinity', '-0', '1e-45', '3.4028235e+38', '0.1'],
  float8: ['NaN', 'Infinity', '-Infinity', '5e-324', '1.7976931348623157e+308', '0.1', '1e15'],
  numeric: ['NaN', '0', '0.000', `-${'9'.repeat(60)}.${'1'.repeat(60)}`, '1e-30'],
  'numeric(30,10)': ['NaN', '12345678901234567890.0123456789'],
  date: ['infinity', '-infinity', '2024-02-29', '0044-03-15 BC', '12024-01-01'],
  timestamp: ['infinity', '2024-02-29 23:59:59.999999', '0044-03-15 01:02:03 BC', '0001-01-01'],
  timestamptz: ['-infinity', '2024-02-29 23:59:59.000001+05:30', '0044-03-15 01:02:03+00 BC'],
  time: ['00:00:00', '23:59:59.999999', '24:00:00'],
  timetz: ['12:00:00.5+05:30', '00:00:00-11'],
  interval: ['1 year 2 mons -3 days 04:05:06.789', '00:00:00'],
  uuid: ['00000000-0000-4000-8000-000000000001', 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
  bytea: ['\\x', '\\x00ff', '\\x225c6e'],
  json: [
    'null',
    '{"b": 1,  "a":\n[12345678901234567890, 1.10]}',
    '"text"',
    '5',
    'false',
    '[]',
    '""',
  ],
  jsonb: ['null', '{"a": [1e400, null, {"b": "null"}]}', '"null"', '-0.5', 'true', '{}', '" "'],
  'text[]': LISTS,
  'int8[]': ['[0:1]={1,2}', '{}', '{9223372036854775807,NULL}', '{{1,2},{3,4}}'],
  'numeric[]': ['{NaN,0.10,1e30}'],
  'timestamptz[]': ['{"2024-02-29 23:59:59.000001+00",infinity}'],
  'bytea[]': ['{"\\\\x00ff"}'],
  'jsonb[]': ['{"{\\"a\\": 12345678901234567890}"}', '{"[]",NULL,"null"}', '{{"1"},{"\\"\\""}}'],
  mood: ['sad', 'null', 'with "quotes", comma', ''],
  'mood[]': ['{sad,"null"}'],
  short_text: ['null', '', 'abc'],
  positive: ['1', '2147483647'],
  inet: ['10.0.0.1/8', '::1'],
  macaddr: ['08:00:2b:01:02:03'],
  int4range: ['empty', '[1,5)', '(,)'],
  int4multirange: ['{}', '{[1,5),[7,8)}'],
  point: ['(1,2.5)'],
  'bit(3)': ['101'],
  tsvector: ["'a':1 'b c'"],
  hstore: ['', '"a"=>NULL, "b"=>"null"'],
  xml: ['<a b="1">x &amp; y</a>', ''],
  pair: ['(1,"a ""b""")', '(,)'],
};

const SETUP = `
  CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;
  CREATE EXTENSION IF NOT EXISTS hstore WITH SCHEMA public;
  CREATE TYPE mood AS ENUM ('sad', 'null', 'with "quotes", comma', '');
  CREATE DOMAIN short_text AS varchar(10) CHECK (length(VALUE) < 9);
  CREATE DOMAIN positive AS int CHECK (VALUE > 0);
  CREATE TYPE pair AS (a int, b text);
  CREATE TABLE source (id int PRIMARY KEY, ${Object.keys(TYPES)
    .map((type, index) => `"c ${index}" ${type}`)
    .join(', ')}, "a ""name"", quoted" text);
  CREATE TABLE target (LIKE source INCLUDING ALL)`;

const names = Object.keys(TYPES).map((_, index) => `"c ${index}"`);

async function exported(db: Importing, format: ExportFormat): Promise<Buffer> {
  const bounds = queryBounds(loadConfig({}));
  const caller = { ...ANONYMOUS, admin: true };
  const statement = exportStatement(
    {
      ...{ catalog: await db.catalog(), rights: FULL_RIGHTS, grants: FULL_RIGHTS.reading },
      ...{ caller, bounds, collection: 'source' },
    },
    { query: { sort: 'id' }, format, safe: false },
  );
  const client = await db.pool.connect();
  try {
    const blocks: Buffer[] = [];
    for await (const { bytes } of fileParts(client, statement)) blocks.push(bytes);
    return Buffer.concat(blocks);
  } finally {
    client.release();
  }
}

/** Rows with each value once, and random ones. */
async function fill(db: Importing, dice: Dice, random: number): Promise<void> {
  const lists = Object.values(TYPES);
  const most = Math.max(...lists.map((values) => values.length));
  for (let id = 1; id <= most + 1 + random; id += 1) {
    const values = lists.map((list) => {
      if (id <= most + 1) return list[id - 2] ?? null;
      return dice.below(4) === 0 ? null : (list[dice.below(list.length)] ?? null);
    });
    const marks = values.map((_, index) => `$${index + 2}`).join(', ');
    await db.pool.query(`INSERT INTO source (id, ${names.join(', ')}) VALUES ($1, ${marks})`, [
      id,
      ...values,
    ]);
  }
}

/** Removes values that Parquet has no form for; an export refuses them. */
async function clear(db: Importing, name: string): Promise<void> {
  await db.pool.query(`UPDATE source SET ${name} = NULL
    WHERE ${name}::text ~ 'infinity|NaN|BC|^\\d{5}'`);
}

const FORMATS: readonly (readonly [ExportFormat, ImportFormat])[] = [
  ['csv', 'csv'],
  ['csv_utf8', 'csv'],
  ['json', 'json'],
  ['ndjson', 'ndjson'],
  ['parquet', 'parquet'],
  ['xlsx', 'xlsx'],
];

function typeOf(name: string): string {
  return Object.keys(TYPES)[Number(name.slice(2))] ?? 'id';
}

/** JSON has one null, its lists have no other first index, and white space in it means nothing. */
function expected(type: string, value: unknown, format: ExportFormat): unknown {
  if (format.startsWith('csv') || typeof value !== 'string') return value;
  if (type === 'json' && value.startsWith('{')) return value.replace(/\s+/g, '');
  if (value === 'null' && (type === 'json' || type === 'jsonb')) return null;
  return type === 'int8[]' ? value.replace(/^\[.*\]=/, '') : value;
}

t.test('every value of every type is imported unchanged', async (t) => {
  const db = await importing(SETUP);
  await fill(db, new Dice(Number(process.env.SEED ?? 1)), 30);
  // Columns with a default distinguish a null from a missing value.
  const defaults = Object.entries(TYPES).map(
    ([type, [value = '']], index) =>
      `ALTER COLUMN "c ${index}" SET DEFAULT '${value.replaceAll("'", "''")}'::${type}`,
  );
  await db.pool.query(`ALTER TABLE target ${defaults.join(', ')}`);
  const rowsOf = async (table: string) =>
    await db.rows(
      `SELECT id, ${names.map((name) => `${name}::text`).join(', ')} FROM ${table} ORDER BY id`,
    );
  let source = await rowsOf('source');
  for (const [format, as] of FORMATS) {
    if (format === 'parquet') {
      for (const [index, type] of Object.keys(TYPES).entries()) {
        if (/^(?:date|timestamp(?:tz)?|numeric\(.*)$/.test(type)) await clear(db, `"c ${index}"`);
      }
      source = await rowsOf('source');
    }
    await db.pool.query('TRUNCATE target');
    // A sheet has no null: an empty cell has no value unless the import says so.
    const options = format === 'xlsx' ? { parameters: { empty: 'null' } as const } : {};
    const result = await db.import('target', await exported(db, format), as, options);
    t.match(result, { inserted: source.length, failed: 0 }, format);
    const target = await rowsOf('target');
    for (const [index, row] of source.entries()) {
      const found = target[index] ?? {};
      const different = Object.keys(row)
        .map((name) => ({ type: typeOf(name), value: row[name], found: found[name] }))
        .filter(({ type, value, found }) => expected(type, value, format) !== found);
      t.strictSame(different, [], `${format}: row ${index + 1}`);
    }
  }
});
