/** Field types, and how PostgreSQL's types map to them. */

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
]);

/** A flag of `meta.special` that determines the type of the field. */
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

export function ownType(column: ColumnDescriptor): FieldType {
  if (column.elementType !== null) return 'json';
  if (column.typeKind === 'e') return 'string';
  // A composite type or a range can have the name of a base type.
  if (column.typeKind !== 'b') return 'unknown';
  if (column.typeName === 'geometry') return shapeOf(column.typeText);
  return BY_TYPE_NAME.get(column.typeName) ?? 'unknown';
}

/** `geometry(Point,4326)` is a `geometry.Point`; other shapes have no name. */
function shapeOf(typeText: string): FieldType {
  const [, shape = ''] = /geometry\((\w+)/i.exec(typeText) ?? [];
  return SHAPES.has(shape) ? `geometry.${shape}` : 'geometry';
}

const SHAPES: ReadonlySet<string> = new Set([
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
]);

export function flaggedType(flag: string): FieldType | undefined {
  if (flag.startsWith('geometry.')) return `geometry.${flag.slice('geometry.'.length)}`;
  return BY_SPECIAL.get(flag);
}
