/**
 * How a column keeps the values of its field where the field's type is not the column's own: a
 * boolean as a number, a document or a UUID as a text, a timestamp with or without a zone. Whoever
 * reads goes through {@link StoredForm.value}, whoever writes through {@link StoredForm.text}.
 */
import { identifier, raw, type Sql, sql } from '#core/database/sql.ts';
import { canonicalUuid, inUtc } from './canonical-text.ts';
import type { ColumnDescriptor } from './descriptor.ts';
import type { FieldType } from './field-type.ts';

export interface StoredForm {
  /** The column as if it were of the type that {@link value} yields. */
  readonly column: ColumnDescriptor;
  /** The field's value in the row, without parameters; null where what is stored is no such value. */
  value(stored: Sql): Sql;
  /** What the column stores for a value, both as PostgreSQL's texts; the value has been checked. */
  text(value: string): string;
  /** Whether the column holds one of some values, or with `negated` another, as its index serves. */
  among?(stored: Sql, values: readonly string[], negated: boolean): Sql;
  /** What is stored compares with values of the field's type as it is. */
  readonly comparable?: true;
}

/** The field's value in a row, where the column is at hand as it is stored. */
export function storedValue({ stored }: { readonly stored: StoredForm | null }, bare: Sql): Sql {
  return stored === null ? bare : stored.value(bare);
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext']);
const NUMBERS: ReadonlySet<string> = new Set('int2 int4 int8 numeric float4 float8'.split(' '));
const TIMESTAMPS: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz']);

/** What a text says that is true; the first one is written. */
const TRUE = ['true', '1', 't', 'True', 'TRUE', 'T'];
const FALSE = ['false', '0', 'f', 'False', 'FALSE', 'F'];

const TYPE_NAME: Readonly<Partial<Record<FieldType, string>>> = {
  boolean: 'bool',
  json: 'json',
  timestamp: 'timestamptz',
  dateTime: 'timestamp',
};

/** The column with another type, and nothing that only its own type has. */
function typed(column: ColumnDescriptor, type: FieldType): ColumnDescriptor {
  const typeName = TYPE_NAME[type] ?? column.typeName;
  const bare = { maxLength: null, numericPrecision: null, numericScale: null, enumValues: null };
  return { ...column, ...bare, typeName, typeSchema: 'pg_catalog', typeKind: 'b' };
}

function isTrue(text: string): boolean {
  return /^\s*(t|1|y|on)/i.test(text);
}

/** Which of true and false are among the values, or are not. */
function wanted(values: readonly string[], negated: boolean): boolean[] {
  const named = new Set(values.map(isTrue));
  return [true, false].filter((value) => named.has(value) !== negated);
}

const NEVER = raw('FALSE');

function listed(texts: readonly string[]): Sql {
  return raw(texts.map((text) => `'${text}'`).join(', '));
}

function booleanInNumber(column: ColumnDescriptor): StoredForm {
  return {
    column: typed(column, 'boolean'),
    value: (stored) => sql`CASE ${stored} WHEN 1 THEN TRUE WHEN 0 THEN FALSE END`,
    text: (value) => (isTrue(value) ? '1' : '0'),
    among: (stored, values, negated) => {
      const numbers = wanted(values, negated).map((value) => (value ? '1' : '0'));
      return numbers.length === 0 ? NEVER : sql`${stored} IN (${raw(numbers.join(', '))})`;
    },
  };
}

function booleanInText(column: ColumnDescriptor): StoredForm {
  const short = column.maxLength !== null && column.maxLength < 'false'.length;
  return {
    column: typed(column, 'boolean'),
    value: (stored) =>
      sql`CASE WHEN ${stored} IN (${listed(TRUE)}) THEN TRUE WHEN ${stored} IN (${listed(FALSE)}) THEN FALSE END`,
    text: (value) => (isTrue(value) ? TRUE : FALSE)[short ? 1 : 0] ?? '',
    among: (stored, values, negated) => {
      const texts = wanted(values, negated).flatMap((value) => (value ? TRUE : FALSE));
      return texts.length === 0 ? NEVER : sql`${stored} IN (${listed(texts)})`;
    },
  };
}

function jsonInText(column: ColumnDescriptor, system: string): StoredForm {
  const call = identifier(system, 'system_json_of');
  return {
    column: typed(column, 'json'),
    value: (stored) => sql`${call}(${stored}::text)`,
    text: (value) => value,
  };
}

/** A key in a text must be told as it is stored, so it is shown so; it is found in either case. */
function uuidInText(column: ColumnDescriptor): StoredForm {
  const type = column.typeName === 'bpchar' ? raw('bpchar') : raw('text');
  return {
    column,
    value: (stored) => stored,
    text: canonicalUuid,
    among: (stored, values, negated) => {
      const both = values.map(canonicalUuid).flatMap((value) => [value, value.toUpperCase()]);
      const test = negated ? raw('<> ALL') : raw('= ANY');
      return sql`${stored} ${test}(${both}::${type}[])`;
    },
  };
}

/** The server's sessions are in UTC, so that a timestamp without a zone is in UTC. */
function timestampInTimestamp(column: ColumnDescriptor, type: FieldType): StoredForm {
  const shown = typed(column, type);
  return {
    column: shown,
    value: (stored) => sql`${stored}::${raw(shown.typeName)}`,
    text: inUtc,
    // PostgreSQL compares timestamps of different types, and their indexes serve.
    comparable: true,
  };
}

function momentInText(column: ColumnDescriptor, type: FieldType, system: string): StoredForm {
  const shown = typed(column, type);
  const call = identifier(system, 'system_moment_of');
  return {
    column: shown,
    value: (stored) => sql`${call}(${stored}::text)::${raw(shown.typeName)}`,
    text: inUtc,
  };
}

/**
 * How values of a type are kept in a column: null when it is the column's own type, undefined when
 * the column cannot keep them.
 * @param own the type that the column has by itself
 * @param system the schema of the system tables
 */
export function storedForm(
  column: ColumnDescriptor,
  type: FieldType,
  own: FieldType,
  system: string,
): StoredForm | null | undefined {
  if (type === own) return null;
  const { typeName, typeKind, elementType } = column;
  const isBase = typeKind === 'b' && elementType === null;
  const isText = isBase && TEXTS.has(typeName);
  switch (type) {
    // What is concealed stays so whatever the column is.
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
