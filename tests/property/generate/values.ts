/** The values that rows hold and queries ask for: few enough that they meet. */
import { type Column, ENUM_VALUES, type Json, MASK, type ScalarType } from '../model.ts';
import type { Dice } from './dice.ts';

export const USERS = [
  '6f9619ff-8b86-4011-b42d-00c04fc964ff',
  '00000000-0000-4000-8000-000000000001',
  'a1b2c3d4-0000-4000-8000-000000000002',
] as const;

const TEXTS = [
  ...['', 'a', 'A', 'ab', 'Abc', 'aBC', 'b%', 'a_b', 'axb', 'x\\y', "o'k", 'say "hi"'],
  ...['10', '2.5', 'true', 'tail a', 'line\nbreak', '[1]', '{}', USERS[0]],
];

const POOLS: Readonly<Record<Exclude<ScalarType, 'json'>, readonly Json[]>> = {
  string: TEXTS,
  text: TEXTS,
  enum: ENUM_VALUES,
  integer: [0, 1, 2, 3, 5, 10, -3, 2_147_483_647],
  bigInteger: ['0', '1', '2', '5', '10', '-7', '9007199254740993', '-9223372036854775808'],
  decimal: ['0.00', '2.50', '-1.25', '10.00', '99999999.99'],
  float: [0, 2.5, -1.25, 10, 1_000_000.5],
  boolean: [true, false],
  uuid: USERS,
  csv: [[], ['a'], ['x', 'y'], ['A b', '10', '%'], ['a', '']],
  hash: [MASK],
  secret: [MASK],
  date: ['2001-01-01', '2004-02-29', '2009-12-31', '2010-01-03', '2050-06-15'],
  time: ['00:00:00', '09:05:07', '12:30:00', '23:59:59'],
  dateTime: [
    '2001-01-01T00:00:00',
    '2004-02-29T12:30:15',
    '2009-12-31T23:59:59',
    '2050-06-15T08:00:00',
  ],
  timestamp: [
    '2001-01-01T00:00:00.000Z',
    '2004-02-29T12:30:15.250Z',
    '2009-12-31T23:59:59.999Z',
    '2050-06-15T08:00:00.000Z',
  ],
};

const LISTS: readonly Json[] = [[], [1, 2], [{ a: 1 }, null, 'x']];
const OBJECTS: readonly Json[] = [
  {},
  { color: { main: 'red' }, size: 3, list: [1, { x: true }], none: null },
  { color: 'plain', list: [] },
  { color: { main: 'Red' }, note: '3', rate: 2.5, size: 4 },
];

export const DOCUMENT_PATHS = [
  'size',
  'color.main',
  'list[1].x',
  'list[0]',
  'none',
  'absent',
  'note',
  'rate',
  'color',
] as const;

export const LIST_PATHS = ['[0]', '[1]', '[0].a', '[2]', '[7]'] as const;

/** What values of a column are taken from. */
export function pool(column: Pick<Column, 'type' | 'shape'>): readonly Json[] {
  if (column.type === 'json') return column.shape === 'list' ? LISTS : OBJECTS;
  return POOLS[column.type];
}

/** A value for a row. */
export function cell(dice: Dice, column: Column): Json {
  return column.nullable && dice.chance(35) ? null : dice.pick(pool(column));
}
