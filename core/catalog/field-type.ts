/** The service's own type system and how PostgreSQL's types map onto it. */
import type { ColumnDescriptor } from './descriptor.ts';

export type FieldType =
  | 'string'
  | 'text'
  | 'boolean'
  | 'integer'
  | 'bigInteger'
  | 'float'
  | 'decimal'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'timestamp'
  | 'json'
  | 'csv'
  | 'uuid'
  | 'hash'
  | 'binary'
  | 'geometry'
  | `geometry.${string}`
  | 'alias'
  | 'unknown';

const BY_TYPE_NAME: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['varchar', 'string'],
  ['bpchar', 'string'],
  ['char', 'string'],
  ['name', 'string'],
  ['text', 'text'],
  ['citext', 'text'],
  ['int2', 'integer'],
  ['int4', 'integer'],
  ['int8', 'bigInteger'],
  ['numeric', 'decimal'],
  ['float4', 'float'],
  ['float8', 'float'],
  ['bool', 'boolean'],
  ['date', 'date'],
  ['time', 'time'],
  ['timestamp', 'dateTime'],
  ['timestamptz', 'timestamp'],
  ['json', 'json'],
  ['jsonb', 'json'],
  ['uuid', 'uuid'],
  ['bytea', 'binary'],
  ['geometry', 'geometry'],
]);

/** A flag of `meta.special` that gives the field a type of its own, whatever the column has. */
const BY_SPECIAL: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ['cast-json', 'json'],
  ['json', 'json'],
  ['hash', 'hash'],
  ['cast-csv', 'csv'],
  ['csv', 'csv'],
  ['uuid', 'uuid'],
  ['file', 'uuid'],
  ['cast-timestamp', 'timestamp'],
  ['cast-datetime', 'dateTime'],
  ['cast-boolean', 'boolean'],
]);

/** The type of a column: by its special flags, else by its PostgreSQL type. */
export function fieldType(column: ColumnDescriptor, special: readonly string[]): FieldType {
  for (const flag of special) {
    const type = BY_SPECIAL.get(flag);
    if (type !== undefined) return type;
    if (flag.startsWith('geometry.')) return `geometry.${flag.slice('geometry.'.length)}`;
  }
  if (column.elementType !== null) return 'json';
  if (column.typeKind === 'e') return 'string';
  // A composite type or a range may have the name of a base type.
  if (column.typeKind !== 'b') return 'unknown';
  return BY_TYPE_NAME.get(column.typeName) ?? 'unknown';
}
