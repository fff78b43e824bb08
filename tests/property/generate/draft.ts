/** Tables that are still being put together: their columns and keys. */
import type {
  AnyToOne,
  Column,
  Json,
  ManyToOne,
  RelationRecord,
  Row,
  ScalarType,
} from '../model.ts';
import type { Dice } from './dice.ts';

const SQL_TYPES: Readonly<Record<ScalarType, readonly string[]>> = {
  string: ['varchar(60)', 'varchar'],
  text: ['text'],
  integer: ['integer'],
  bigInteger: ['bigint'],
  decimal: ['numeric(10,2)'],
  float: ['double precision'],
  boolean: ['boolean'],
  date: ['date'],
  time: ['time'],
  dateTime: ['timestamp'],
  timestamp: ['timestamptz'],
  uuid: ['uuid'],
  json: ['json', 'jsonb'],
  enum: ['level'],
  csv: ['text', 'varchar'],
  hash: ['varchar(255)', 'text'],
  secret: ['text', 'integer', 'date'],
};

const SCALARS: readonly ScalarType[] = [
  ...(['string', 'text', 'integer', 'bigInteger', 'decimal', 'float', 'boolean', 'date'] as const),
  ...(['time', 'dateTime', 'timestamp', 'uuid', 'json', 'enum'] as const),
  ...(['csv', 'hash', 'secret'] as const),
];

/** A table that is still being put together. */
export interface Draft {
  readonly name: string;
  readonly columns: Column[];
  readonly key: readonly string[];
  sortField: string | null;
  /** Each makes the values of the columns that refer to a row of another table. */
  readonly fill: ((rows: ReadonlyMap<string, readonly Row[]>) => Record<string, Json>)[];
}

export interface Drafts {
  readonly dice: Dice;
  readonly tables: Draft[];
  readonly pointers: (ManyToOne | AnyToOne)[];
  readonly records: RelationRecord[];
}

export function column(dice: Dice, name: string, type: ScalarType, nullable: boolean): Column {
  return {
    name,
    type,
    nullable,
    searchable: !dice.chance(10),
    sqlType: dice.pick(SQL_TYPES[type]),
    shape: dice.chance(50) ? 'list' : 'object',
  };
}

function keyColumns(dice: Dice): { columns: Column[]; keyed: boolean } {
  const kind = dice.int(1, 100);
  const own = (name: string, type: ScalarType) => column(dice, name, type, false);
  if (kind <= 8) return { columns: [own('first', 'integer')], keyed: false };
  if (kind <= 18) return { columns: [own('part', 'integer'), own('code', 'string')], keyed: true };
  const types = ['uuid', 'string', 'bigInteger', 'integer', 'integer', 'integer'] as const;
  return { columns: [own('id', dice.pick(types))], keyed: true };
}

export function draft(dice: Dice, name: string): Draft {
  const { columns, keyed } = keyColumns(dice);
  const key = keyed ? columns.map((entry) => entry.name) : [];
  const types = [...dice.some(SCALARS, 3, 7), dice.pick(['text', 'string'] as const)];
  const scalars = types.map((type, index) =>
    column(dice, index === 0 ? `Odd ${type}` : `${type}${index}`, type, dice.chance(90)),
  );
  const rank = dice.chance(25) ? [column(dice, 'rank', 'integer', true)] : [];
  const sortField = keyed && rank.length > 0 && dice.chance(70) ? 'rank' : null;
  return { name, columns: [...columns, ...scalars, ...rank], key, sortField, fill: [] };
}
