/** Values of each type that are hard on who reads them, as SQL; a usual one, and one to compare with. */
import { Dice } from '#tests/harness/dice.ts';

export interface Poison {
  readonly type: string;
  readonly special?: string;
  readonly usual: string;
  /** What a filter compares the field with. */
  readonly operand: unknown;
  readonly values: readonly string[];
}

const raw = String.raw;

/** Documents that a column of type json stores, and nothing reads. */
const DOCUMENTS = [
  ...[raw`'{"n":"\u0000"}'`, raw`'{"\u0000":5}'`, raw`'"\ud800"'`, raw`'["\ude00\ud83d"]'`],
  ...["'1e200000'", `'{"n":1e-20000,"m":5}'`, `'{"n":5,"m":1e200000}'`, "'null'", `'""'`],
  ...[`'[5,"x",null]'`, raw`'{"a\"\u00e9\\":[]}'`],
  "(repeat('[', 16200) || repeat(']', 16200))::json",
  "(repeat('{\"n\":', 900) || '5' || repeat('}', 900))::json",
  `'{"__proto__":{"x":1},"constructor":[2],"hasOwnProperty":{"toString":3},"":{"":4}}'`,
  "('[' || repeat('1', 140000) || ']')::json",
];

export const POISON: readonly Poison[] = [
  { type: 'json', usual: `'{"n":5}'`, operand: 'x', values: DOCUMENTS },
  { type: 'paper', usual: `'["x"]'`, operand: 'x', values: DOCUMENTS },
  {
    ...{ type: 'jsonb', usual: `'{"n":5}'`, operand: 'x' },
    values: [
      "'1e131071'",
      "'1e-16383'",
      "'null'",
      `'[[]]'`,
      "(repeat('[', 900) || repeat(']', 900))::jsonb",
    ],
  },
  {
    ...{ type: 'json[]', usual: `ARRAY['{"n":5}'::json]`, operand: '{"n":5}' },
    values: [
      ...[raw`ARRAY['"\u0000"'::json]`, "ARRAY['1e200000'::json, NULL]"],
      ...[raw`ARRAY[['"\ud800"'::json]]`, "'{}'", "'[5:5]={1}'"],
    ],
  },
  {
    ...{ type: 'text', special: 'cast-json', usual: `'{"n":5}'`, operand: 'x' },
    values: [raw`'{"n":"\u0000"}'`, "'1e200000'", "'{'", "''", "'null'"],
  },
  {
    ...{ type: 'numeric', usual: '5', operand: 5 },
    values: ["'NaN'", "'Infinity'", "'-Infinity'", '1e131071', '1e-16383', '-1e400', '1e-400'],
  },
  {
    ...{ type: 'float8', usual: '5', operand: 5 },
    values: ["'NaN'", "'Infinity'", "'-Infinity'", '1e308', '5e-324', "'-0'"],
  },
  { type: 'real', usual: '5', operand: 5, values: ["'NaN'", "'Infinity'", '3e38', '1e-45'] },
  {
    type: 'int8',
    usual: '5',
    operand: '5',
    values: ['9223372036854775807', '-9223372036854775808'],
  },
  {
    ...{ type: 'smallint', special: 'cast-boolean', usual: '1', operand: true },
    values: ['7', '-1', '32767'],
  },
  {
    ...{ type: 'date', usual: "'2024-05-01'", operand: '2024-05-01' },
    values: ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'5874897-12-31'", "'0001-01-01 BC'"],
  },
  {
    ...{
      type: 'date',
      special: 'cast-timestamp',
      usual: "'2024-05-01'",
      operand: '2024-05-01T00:00:00Z',
    },
    values: ["'5874897-12-31'", "'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294277-01-01'"],
  },
  {
    ...{ type: 'timestamp', usual: "'2024-05-01'", operand: '2024-05-01T00:00:00' },
    values: ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31 23:59:59.999999'"],
  },
  {
    ...{ type: 'timestamptz', usual: "'2024-05-01Z'", operand: '2024-05-01T00:00:00Z' },
    values: ["'infinity'", "'-infinity'", "'4713-01-01 BC'", "'294276-12-31 23:59:59.999999Z'"],
  },
  {
    ...{
      type: 'text',
      special: 'cast-timestamp',
      usual: "'2024-05-01T00:00:00Z'",
      operand: '2024-05-01T00:00:00Z',
    },
    values: [
      "'yesterday'",
      "''",
      "'294277-01-01'",
      "'2024-02-31'",
      "'infinity'",
      "'2024-01-01 Foo/Bar'",
    ],
  },
  { type: 'time', usual: "'10:00'", operand: '10:00:00', values: ["'24:00'", "'23:59:59.999999'"] },
  { type: 'timetz', usual: "'10:00Z'", operand: '10:00:00+00', values: ["'24:00-15:59'"] },
  {
    ...{ type: 'interval', usual: "'1 day'", operand: '1 day' },
    values: ["'178000000 years'", "'-178000000 years'", "'0.000001 s'"],
  },
  {
    ...{ type: 'text', usual: "'x'", operand: 'x' },
    values: [
      "''",
      raw`E'\x01\x1f'`,
      "U&'\\FFFF'",
      "'=1+1'",
      "'null'",
      "'%_\\'",
      "repeat('x', 300000)",
    ],
  },
  {
    type: 'varchar(300)',
    special: 'cast-csv',
    usual: "'x,y'",
    operand: 'x',
    values: ["''", "','", "'\"'"],
  },
  {
    type: 'text',
    special: 'uuid',
    usual: "'a'",
    operand: 'a',
    values: ["''", "'no uuid'", raw`E'\n'`],
  },
  { type: '"char"', usual: "'a'", operand: 'a', values: ["''", "' '"] },
  { type: 'bytea', usual: raw`'\x05'`, operand: 'a', values: [raw`'\x'`, raw`'\x00ff'`] },
  { type: 'money', usual: '5', operand: '$5.00', values: ["'-92233720368547758.08'"] },
  { type: 'xml', usual: "'<a/>'", operand: '<a/>', values: ["'<a>&#x85;</a>'", "''", "'text'"] },
  { type: 'point', usual: "'(1,2)'", operand: '(1,2)', values: ["'(NaN,Infinity)'"] },
  { type: 'inet', usual: "'10.0.0.1'", operand: '10.0.0.1', values: ["'::/0'", "'0.0.0.0/0'"] },
  {
    type: 'numrange',
    usual: "'[1,5)'",
    operand: '[1,5)',
    values: ["'empty'", "'(,)'", "'[,NaN]'"],
  },
  {
    type: 'pair',
    usual: "ROW(1, '5')",
    operand: '(1,5)',
    values: [raw`ROW(NULL, '"\u0000"')`, 'ROW(NULL, NULL)'],
  },
  {
    ...{ type: 'pair[]', usual: "ARRAY[ROW(1, '5')::pair]", operand: '(1,5)' },
    values: [raw`ARRAY[ROW(1, '"\u0000"')::pair]`, "ARRAY[ROW(1, '1e200000')::pair, NULL]", "'{}'"],
  },
  {
    ...{ type: 'int4[]', usual: 'ARRAY[1, 5]', operand: 5 },
    values: ["'{}'", "'[5:6]={1,2}'", "'{{1,2},{3,4}}'", "'{NULL}'"],
  },
  { type: 'numeric[]', usual: 'ARRAY[5]', operand: 5, values: ["'{NaN,Infinity,1e131071}'"] },
  {
    type: 'timestamptz[]',
    usual: "'{2024-01-01Z}'",
    operand: '2024-01-01T00:00:00Z',
    values: ["'{infinity,4713-01-01 BC}'"],
  },
];

/** The first value, and some others that a seed chooses. */
export function drawn(values: readonly string[], count: number, seed: number): readonly string[] {
  const [first, ...others] = values;
  const dice = new Dice(seed);
  const chosen: string[] = first === undefined ? [] : [first];
  while (chosen.length < count && others.length > 0) {
    chosen.push(...others.splice(dice.below(others.length), 1));
  }
  return chosen;
}
