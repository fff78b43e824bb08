import fc from 'fast-check';
import pg from 'pg';
import t from 'tap';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import { textChecker } from '#core/model/values/check-value.ts';
import { isRealExact } from '#core/model/values/number.ts';
import { looksLikeTimestamp } from '#core/model/values/timestamp-text.ts';
import { createDatabase } from '#tests/harness/database.ts';
import { columnDescriptor } from '#tests/harness/descriptor.ts';

function field(typeName: string, more: Partial<ColumnDescriptor> = {}): ColumnField {
  const column = columnDescriptor('c', typeName, more);
  return { name: 'c', type: 'unknown', column, special: [], codec: null, meta: null };
}

interface Case {
  readonly field: ColumnField;
  /** The type in DDL, for checking the same value in PostgreSQL. */
  readonly type: string;
  /** Texts that must be rejected, with the code. */
  readonly refused: Readonly<Record<string, readonly string[]>>;
  readonly taken: readonly string[];
}

/** Documents that a column of type json stores, and nothing reads. */
const UNREADABLE = [
  ...[String.raw`"\u0000"`, String.raw`"\\\u0000"`, String.raw`{"\u0000":1}`],
  ...[String.raw`"\ud800"`, String.raw`"\uDE00\ud83d"`, String.raw`"\ud83d\\ude00"`],
  ...['1e200000', '{"a":[-1E+131072]}', '10e131071', '0.0001e131076', '1e-16384', '1.5e-16383'],
  ...['0e-200000', '1e99999999999999999999', '1'.repeat(131_073), `0.${'1'.repeat(16_384)}`],
];
const READABLE = [
  ...[String.raw`"\\u0000"`, String.raw`"\ud83d\uDE00"`, String.raw`"\\ud800"`, '"😀"'],
  ...['1e131071', '0.0001e131075', '1e-16383', '1.5e-16382', '0e200000', '"1e200000"'],
  ...[String.raw`{"a\"1e200000":"\\"}`, '1'.repeat(131_072), `0.${'1'.repeat(16_383)}`],
];

const CASES: readonly Case[] = [
  {
    field: field('int2'),
    type: 'int2',
    refused: {
      VALUE_OUT_OF_RANGE: ['32768', '-32769'],
      FAILED_VALIDATION: ['', '1.5', 'x', '1 2'],
    },
    taken: ['32767', '-32768', ' 7 ', '+7', '007'],
  },
  {
    field: field('int4'),
    type: 'int4',
    refused: {
      VALUE_OUT_OF_RANGE: ['2147483648', '99999999999999999999'],
      FAILED_VALIDATION: ['1e3', 'true'],
    },
    taken: ['2147483647', '-2147483648'],
  },
  {
    field: field('int8'),
    type: 'int8',
    refused: {
      VALUE_OUT_OF_RANGE: ['9223372036854775808', '-9223372036854775809', '+9223372036854775808'],
    },
    taken: ['9223372036854775807', '-9223372036854775808', '+9223372036854775807'],
  },
  {
    field: field('numeric', { numericPrecision: 5, numericScale: 2 }),
    type: 'numeric(5,2)',
    refused: {
      VALUE_OUT_OF_RANGE: ['1000', '999.995', '-1000', '1e3', 'Infinity'],
      FAILED_VALIDATION: ['', '.', '1,5', 'abc', '1.2.3', 'e5'],
    },
    taken: ['999.994', '999.99', '0.001', '1e2', '.5', '5.', '-0', 'NaN', '00000999'],
  },
  {
    field: field('numeric'),
    type: 'numeric',
    refused: { VALUE_OUT_OF_RANGE: ['1e200000'], FAILED_VALIDATION: ['--1'] },
    taken: ['1e100', 'Infinity', '-inf', '123456789012345678901234567890.5'],
  },
  {
    field: field('float8'),
    type: 'float8',
    refused: { VALUE_OUT_OF_RANGE: ['1e400', '1e-400'], FAILED_VALIDATION: ['', '1.x'] },
    taken: ['1e308', 'Infinity', '-Infinity', 'nan', '.5', '0e999'],
  },
  {
    field: field('float4'),
    type: 'float4',
    refused: { VALUE_OUT_OF_RANGE: ['1e39', '1e-60'] },
    taken: ['1e38', '-1.5'],
  },
  {
    field: field('bool'),
    type: 'bool',
    refused: { FAILED_VALIDATION: ['', '2', 'o', 'truee', 'maybe'] },
    taken: ['true', 'T', 'tr', 'YES', 'y', 'on', 'of', 'off', '0', ' 1 ', 'n'],
  },
  {
    field: field('date'),
    type: 'date',
    refused: {
      FAILED_VALIDATION: [
        '',
        'abc',
        '2023-02-29',
        '2024-13-01',
        '2024-04-31',
        '0000-01-01',
        '1900-02-29',
      ],
    },
    taken: [
      '2024-02-29',
      '2000-02-29',
      '20240105',
      '10000-01-01',
      '0044-03-15 BC',
      'infinity',
      '2024-01-05T10:00:00Z',
    ],
  },
  {
    field: field('time'),
    type: 'time',
    refused: { FAILED_VALIDATION: ['', '25:00', '12:60', '12:00:61', '24:00:01'] },
    taken: ['23:59:59.999', '24:00', '12:30'],
  },
  {
    field: field('timestamp'),
    type: 'timestamp',
    refused: { FAILED_VALIDATION: ['', 'soon', '2023-02-29T00:00:00', '2024-01-01T25:00:00'] },
    taken: ['2024-01-01', '2024-01-01 10:00', '2024-01-01T10:00:00.123', '20240101T100000'],
  },
  {
    field: field('timestamptz'),
    type: 'timestamptz',
    refused: { FAILED_VALIDATION: ['2024-01-01T10:00:00+16:00', '300000-01-01', '2024-00-10'] },
    taken: ['2024-01-01T10:00:00Z', '2024-01-01 10:00:00+02', '2024-06-30T23:59:60Z', '-infinity'],
  },
  {
    field: field('uuid'),
    type: 'uuid',
    refused: {
      FAILED_VALIDATION: [
        '',
        'x',
        '123e4567-e89b-12d3-a456-42661417400',
        '{123e4567-e89b-12d3-a456-426614174000',
      ],
    },
    taken: [
      '123e4567-e89b-12d3-a456-426614174000',
      '123E4567E89B12D3A456426614174000',
      '{123e4567-e89b-12d3-a456-426614174000}',
      '123e-4567-e89b-12d3-a456-4266-1417-4000',
    ],
  },
  {
    field: field('json'),
    type: 'json',
    refused: { FAILED_VALIDATION: ['', '{', "{'a':1}", 'hello', '[1,]'] },
    taken: ['{"a":[1,null]}', '"x"', '1'],
  },
  ...['json', 'jsonb'].map((type) => ({
    field: field(type),
    // Also for json: all values that jsonb accepts are readable.
    type: 'jsonb',
    refused: { FAILED_VALIDATION: ['{', ...UNREADABLE] },
    taken: ['{"a":1}', ...READABLE],
  })),
  {
    field: field('mood', { typeKind: 'e', enumValues: ['sad', 'So-So'] }),
    type: 'mood',
    refused: { FAILED_VALIDATION: ['', 'Sad', 'so-so', ' sad'] },
    taken: ['sad', 'So-So'],
  },
  {
    field: field('varchar', { maxLength: 3 }),
    type: 'varchar(3)',
    refused: { VALUE_TOO_LONG: ['abcd', '😀😀😀😀', 'abc x'] },
    taken: ['', 'abc', '😀😀😀', 'abc   '],
  },
  {
    field: field('bpchar', { maxLength: 2 }),
    type: 'char(2)',
    refused: { VALUE_TOO_LONG: ['abc'] },
    taken: ['', 'ab', 'ab  '],
  },
  {
    field: field('text'),
    type: 'text',
    refused: { FAILED_VALIDATION: ['a\0b'] },
    taken: ['', 'é'],
  },
  {
    field: field('bytea'),
    type: 'bytea',
    refused: { FAILED_VALIDATION: ['\\x0', '\\xzz', 'a\\b'] },
    taken: ['\\x00ff', '\\x', 'plain', '\\\\', '\\001'],
  },
  {
    field: field('_int4', { elementType: 'int4' }),
    type: 'int4[]',
    refused: {
      FAILED_VALIDATION: ['1,2', '{1,x}', '{1', '{"a"}', ''],
      VALUE_OUT_OF_RANGE: ['{1,3000000000}'],
    },
    taken: ['{}', '{1,NULL,3}', '{{1,2},{3,4}}', ' {1} ', '{"1"}', '[2:3]={1,2}'],
  },
  {
    field: field('_text', { elementType: 'text' }),
    type: 'text[]',
    refused: { FAILED_VALIDATION: ['a', '{"a}'] },
    taken: ['{a,"b,c","d\\"e",null,"null"}'],
  },
  { field: field('inet'), type: 'inet', refused: {}, taken: ['10.0.0.1'] },
];

t.test('values are validated like in PostgreSQL', async (t) => {
  const client = new pg.Client({ connectionString: await createDatabase(t) });
  await client.connect();
  t.teardown(() => client.end());
  await client.query("CREATE TYPE mood AS ENUM ('sad', 'So-So')");
  for (const { field, type, refused, taken } of CASES) {
    const check = textChecker(field);
    await client.query(`CREATE TABLE judged (c ${type})`);
    const accepts = (text: string) =>
      client.query('INSERT INTO judged VALUES ($1)', [text]).then(
        () => true,
        () => false,
      );
    for (const [code, texts] of Object.entries(refused)) {
      for (const text of texts) {
        t.equal(check(text)?.code, code, `${type} rejects ${JSON.stringify(text)}`);
        t.equal(await accepts(text), false, `and so does PostgreSQL`);
      }
    }
    for (const text of taken) {
      t.equal(check(text), null, `${type} accepts ${JSON.stringify(text)}`);
      t.equal(await accepts(text), true, 'and so does PostgreSQL');
    }
    await client.query('DROP TABLE judged');
  }
});

t.test('no column accepts a notation of numbers that only later releases read', async (t) => {
  for (const type of ['int2', 'int4', 'int8', 'numeric', 'float4', 'float8']) {
    const list = textChecker(field(`_${type}`, { elementType: type }));
    for (const text of ['0x10', '0b1', '0o7', '1_000', '-0X1p3']) {
      t.equal(textChecker(field(type))(text)?.code, 'FAILED_VALIDATION', `${type} ${text}`);
      t.equal(list(`{1,${text}}`)?.code, 'FAILED_VALIDATION', `${type}[] ${text}`);
    }
  }
});

t.test('exact real numbers are distinguished from rounded ones', async (t) => {
  const client = new pg.Client({ connectionString: await createDatabase(t) });
  await client.connect();
  t.teardown(() => client.end());
  const { rows } = await client.query<{ text: string; same: boolean }>(`
    WITH written (text) AS (
      SELECT unnest('{0,-0,0.1,12.345,1.50,669500000,16777216,16777217,1e-45,3.4028235e+38,.1e1,33554432}'::text[])
      UNION SELECT (i::numeric / 8 * 10 ^ (i % 9 - 4))::text FROM generate_series(-4000, 4000, 7) i
      UNION SELECT (sin(i)::real * 10 ^ (i % 30 - 15))::real::text FROM generate_series(1, 1000) i
      UNION SELECT (sin(i) * 10 ^ (i % 30 - 15))::text FROM generate_series(1, 1000) i
      UNION SELECT (2::float8 ^ i)::real::text FROM generate_series(-126, 127) i)
    SELECT text, text::real::text::numeric = text::numeric AS same FROM written`);
  const wrong = rows.filter(({ text, same }) => isRealExact(text) !== same);
  t.strictSame(wrong, [], `of ${rows.length}`);
  t.ok(rows.some(({ same }) => same) && rows.some(({ same }) => !same));
});

t.test('dates and times must be in ISO-8601, even if PostgreSQL accepts more', async (t) => {
  const words = ['now', 'today', 'yesterday', 'epoch', 'allballs', '+infinity'];
  const others = ['1/2/2024', 'Jan 1', 'Jan 5 2024', '2024-1-5', '2024.060', 'J2460000', '10 PM'];
  for (const type of ['date', 'time', 'timestamp', 'timestamptz']) {
    for (const text of [...words, ...others, '2024-01-01 10:00:00 5', '1:00']) {
      t.equal(textChecker(field(type))(text)?.code, 'FAILED_VALIDATION', `${type} ${text}`);
    }
  }
  const look = (text: string) => looksLikeTimestamp(Buffer.from(text), 0, Buffer.byteLength(text));
  for (const text of ['2024-01-01', '2024-01-01T10:00:00.5Z', '2024-01-01 10:00:00+02:00']) {
    t.equal(look(text), true, text);
  }
  for (const text of [
    '2024-01-0x',
    'now       ',
    '2024-01-01 10:00:00.Z',
    '2024-01-01 10:00:00+2',
  ]) {
    t.equal(look(text), false, text);
  }
});

t.test('half a surrogate pair is not text', async (t) => {
  t.equal(textChecker(field('text'))('\ud800')?.code, 'FAILED_VALIDATION');
});

t.test('no value is rejected that PostgreSQL accepts', async (t) => {
  const client = new pg.Client({ connectionString: await createDatabase(t) });
  await client.connect();
  t.teardown(() => client.end());
  const number = fc.stringMatching(/^[ +-]?\d{0,4}\.?\d{0,4}(e[+-]?\d{1,2})?$/);
  const date = fc.stringMatching(/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d\d(:\d\d)?Z?)?$/);
  const list = fc.stringMatching(/^\{["a1,{}\\ ]{0,8}\}$/);
  const asked: readonly [string, ColumnField, fc.Arbitrary<string>][] = [
    ['numeric(4,2)', field('numeric', { numericPrecision: 4, numericScale: 2 }), number],
    ['int2', field('int2'), number],
    ['timestamptz', field('timestamptz'), date],
    ['date', field('date'), date],
    ['text[]', field('_text', { elementType: 'text' }), list],
  ];
  for (const [type, column, texts] of asked) {
    const check = textChecker(column);
    await client.query(`CREATE TABLE asked (c ${type})`);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        if (check(text) === null) return;
        await t.rejects(client.query('INSERT INTO asked VALUES ($1)', [text]), `${type}: ${text}`);
      }),
      { numRuns: 150 },
    );
    await client.query('DROP TABLE asked');
  }
});
