/** Field types, and how PostgreSQL's types map to them. */
import type { ColumnDescriptor } from './descriptor.ts';
import { type StoredForm, storedForm } from './stored-form.ts';

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

function ownType(column: ColumnDescriptor): FieldType {
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

function flaggedType(flag: string): FieldType | undefined {
  if (flag.startsWith('geometry.')) return `geometry.${flag.slice('geometry.'.length)}`;
  return BY_SPECIAL.get(flag);
}

/** The type of a field, and how its column stores values. */
export interface Typing {
  readonly type: FieldType;
  /** Null: as the column's own type. */
  readonly stored: StoredForm | null;
}

/**
 * The field type of a column: by its flags, otherwise by its PostgreSQL type. A flag for a type
 * that the column cannot store is ignored.
 * @param system the schema of the system tables
 */
export function typing(
  column: ColumnDescriptor,
  special: readonly string[],
  system = 'public',
): Typing {
  const own = ownType(column);
  for (const flag of special) {
    const type = flaggedType(flag);
    if (type === undefined) continue;
    const stored = storedForm(column, type, own, system);
    if (stored !== undefined) return { type, stored };
  }
  return { type: own, stored: null };
}

export function fieldType(column: ColumnDescriptor, special: readonly string[]): FieldType {
  return typing(column, special).type;
}
