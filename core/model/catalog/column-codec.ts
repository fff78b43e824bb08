/**
 * How a column stores the values of its field when their types differ: a boolean as a number, a
 * document or a UUID as a text, a timestamp with or without a zone. Reads use {@link
 * ColumnCodec.decode}, writes use {@link ColumnCodec.encode}.
 */
import { identifier, raw, type Sql, sql } from '#core/database/sql.ts';
import { canonicalUuid, toUtc } from './canonical-text.ts';
import type { ColumnDescriptor } from './descriptor.ts';
import type { FieldType } from './field-type.ts';

export interface ColumnCodec {
  /** The column with the type that {@link decode} returns. */
  readonly column: ColumnDescriptor;
  /** The field's value in the row, without parameters; null when the stored value is invalid. */
  decode(stored: Sql): Sql;
  /** The stored text for a value; both are PostgreSQL's texts, and the value has been checked. */
  encode(value: string): string;
  /**
   * The condition that the column contains one of some values, or with `negated` none of them, in a
   * form that an index serves.
   */
  among?(stored: Sql, values: readonly string[], negated: boolean): Sql;
  /** The stored value can be compared directly with values of the field's type. */
  readonly comparable?: true;
}

/** The field's value in a row, from the stored column. */
export function decodedColumn({ codec }: { readonly codec: ColumnCodec | null }, bare: Sql): Sql {
  return codec === null ? bare : codec.decode(bare);
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext']);
const NUMBERS: ReadonlySet<string> = new Set('int2 int4 int8 numeric float4 float8'.split(' '));
const TIMESTAMPS: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz']);

/** Texts that mean true; the first one is written. */
const TRUE = ['true', '1', 't', 'True', 'TRUE', 'T'];
const FALSE = ['false', '0', 'f', 'False', 'FALSE', 'F'];

const TYPE_NAME: Readonly<Partial<Record<FieldType, string>>> = {
  boolean: 'bool',
  json: 'json',
  timestamp: 'timestamptz',
  dateTime: 'timestamp',
};

/** The column with another type, without the properties of its own type. */
function typed(column: ColumnDescriptor, type: FieldType): ColumnDescriptor {
  const typeName = TYPE_NAME[type] ?? column.typeName;
  const bare = { maxLength: null, numericPrecision: null, numericScale: null, enumValues: null };
  return { ...column, ...bare, typeName, typeSchema: 'pg_catalog', typeKind: 'b' };
}

function isTrue(text: string): boolean {
  return /^\s*(t|1|y|on)/i.test(text);
}

/** Whether true and false are among the values. */
function wanted(values: readonly string[], negated: boolean): boolean[] {
  const named = new Set(values.map(isTrue));
  return [true, false].filter((value) => named.has(value) !== negated);
}

const NEVER = raw('FALSE');

function listed(texts: readonly string[]): Sql {
  return raw(texts.map((text) => `'${text}'`).join(', '));
}

function booleanInNumber(column: ColumnDescriptor): ColumnCodec {
  return {
    column: typed(column, 'boolean'),
    decode: (stored) => sql`CASE ${stored} WHEN 1 THEN TRUE WHEN 0 THEN FALSE END`,
    encode: (value) => (isTrue(value) ? '1' : '0'),
    among: (stored, values, negated) => {
      const numbers = wanted(values, negated).map((value) => (value ? '1' : '0'));
      return numbers.length === 0 ? NEVER : sql`${stored} IN (${raw(numbers.join(', '))})`;
    },
  };
}

function booleanInText(column: ColumnDescriptor): ColumnCodec {
  const short = column.maxLength !== null && column.maxLength < 'false'.length;
  return {
    column: typed(column, 'boolean'),
    decode: (stored) =>
      sql`CASE WHEN ${stored} IN (${listed(TRUE)}) THEN TRUE WHEN ${stored} IN (${listed(FALSE)}) THEN FALSE END`,
    encode: (value) => (isTrue(value) ? TRUE : FALSE)[short ? 1 : 0] ?? '',
    among: (stored, values, negated) => {
      const texts = wanted(values, negated).flatMap((value) => (value ? TRUE : FALSE));
      return texts.length === 0 ? NEVER : sql`${stored} IN (${listed(texts)})`;
    },
  };
}

function jsonInText(column: ColumnDescriptor, system: string): ColumnCodec {
  const call = identifier(system, 'system_json_of');
  return {
    column: typed(column, 'json'),
    decode: (stored) => sql`${call}(${stored}::text)`,
    encode: (value) => value,
  };
}

/** A key in a text column must be returned as it is stored; searches ignore its case. */
function uuidInText(column: ColumnDescriptor): ColumnCodec {
  const type = column.typeName === 'bpchar' ? raw('bpchar') : raw('text');
  return {
    column,
    decode: (stored) => stored,
    encode: canonicalUuid,
    among: (stored, values, negated) => {
      const both = values.map(canonicalUuid).flatMap((value) => [value, value.toUpperCase()]);
      const test = negated ? raw('<> ALL') : raw('= ANY');
      return sql`${stored} ${test}(${both}::${type}[])`;
    },
  };
}

/** The server's sessions are in UTC, so that a timestamp without a zone is in UTC. */
function timestampInTimestamp(column: ColumnDescriptor, type: FieldType): ColumnCodec {
  const shown = typed(column, type);
  const cast = (stored: Sql) => sql`${stored}::${raw(shown.typeName)}`;
  // Dates have a larger range than timestamps.
  const isDate = column.typeName === 'date';
  return {
    column: shown,
    decode: (stored) =>
      isDate
        ? sql`CASE WHEN ${stored} < '294277-01-01' OR ${stored} = 'infinity' THEN ${cast(stored)} END`
        : cast(stored),
    encode: toUtc,
    // PostgreSQL compares timestamps of different types and uses their indexes.
    comparable: true,
  };
}

function momentInText(column: ColumnDescriptor, type: FieldType, system: string): ColumnCodec {
  const shown = typed(column, type);
  const call = identifier(system, 'system_moment_of');
  return {
    column: shown,
    decode: (stored) => sql`${call}(${stored}::text)::${raw(shown.typeName)}`,
    encode: toUtc,
  };
}

/**
 * How a column stores values of a type: null when it is the column's own type, undefined when it
 * cannot.
 * @param own the column's own type
 * @param system the schema of the system tables
 */
export function columnCodec(
  column: ColumnDescriptor,
  type: FieldType,
  own: FieldType,
  system: string,
): ColumnCodec | null | undefined {
  if (type === own) return null;
  const { typeName, typeKind, elementType } = column;
  const isBase = typeKind === 'b' && elementType === null;
  const isText = isBase && TEXTS.has(typeName);
  switch (type) {
    // A concealed field stays concealed, for any column.
    case 'hash':
      return null;
    case 'csv':
      return isText ? null : undefined;
    case 'boolean':
      if (isText) return booleanInText(column);
      return isBase && NUMBERS.has(typeName) ? booleanInNumber(column) : undefined;
    case 'json':
      return isText ? jsonInText(column, system) : undefined;
    case 'uuid':
      return isText ? uuidInText(column) : undefined;
    case 'timestamp':
    case 'dateTime':
      if (isText) return momentInText(column, type, system);
      return isBase && TIMESTAMPS.has(typeName) ? timestampInTimestamp(column, type) : undefined;
    default:
      return type.startsWith('geometry') && own.startsWith('geometry') ? null : undefined;
  }
}
