/**
 * How the values of a column become values of another type, and which of them would not survive
 * that: as SQL over one value, for PostgreSQL to judge by its own casts.
 */
import type { ColumnDescriptor } from '#core/catalog/descriptor.ts';
import { bareType } from '#core/database/column-type.ts';
import { literal, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnTypeName } from './schema-change.ts';
import type { Alteration } from './schema-change-context.ts';

/** A column's type to be. */
export interface TargetType {
  readonly type: ColumnTypeName;
  /** As DDL writes it. */
  readonly sql: Sql;
  /** Characters, or digits before and after the point; null where there is no such limit. */
  readonly length: number | null;
  readonly precision: number | null;
  readonly scale: number | null;
}

export interface Conversion {
  /** No value can be lost, so that none has to be looked at. */
  readonly safe: boolean;
  /** The value of the new type; fails for one that cannot be cast. */
  readonly convert: (value: Sql) => Sql;
  /** Whether the value survives; fails, or is null, for one that cannot be cast. */
  readonly fits: (value: Sql) => Sql;
}

const TEXTS: ReadonlySet<string> = new Set(['varchar', 'bpchar', 'text', 'citext', 'name', 'char']);
const TEXT_TARGETS: ReadonlySet<ColumnTypeName> = new Set(['string', 'text', 'csv', 'hash']);
const NUMBERS: ReadonlySet<ColumnTypeName> = new Set(['integer', 'bigInteger', 'float', 'decimal']);
/** Types without an operator that tells whether two values are equal. */
const INCOMPARABLE: ReadonlySet<string> = new Set(['json', 'xml', 'point', 'polygon']);

/** What alone is a time of day: a cast would take it out of a date, or drop an offset. */
const TIME_OF_DAY = '^\\s*\\d{1,2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(\\s*[AaPp][Mm])?\\s*$';

export function isText({ typeName, typeKind }: ColumnDescriptor): boolean {
  return typeKind === 'e' || (typeKind === 'b' && TEXTS.has(typeName));
}

/** The types that PostgreSQL casts into each other without the detour over their texts. */
async function castsBetween({ ask }: Alteration, column: ColumnDescriptor, target: Sql) {
  const type = sql`pg_typeof(NULL::${target})`;
  const [found = { forth: false, back: false }] = await ask<{ forth: boolean; back: boolean }>(sql`
    SELECT s.oid = ${type} OR EXISTS (SELECT FROM pg_cast
        WHERE castsource = s.oid AND casttarget = ${type}) AS forth,
      s.oid = ${type} OR EXISTS (SELECT FROM pg_cast
        WHERE castsource = ${type} AND casttarget = s.oid) AS back
    FROM pg_type s JOIN pg_namespace n ON n.oid = s.typnamespace
    WHERE s.typname = ${column.typeName} AND n.nspname = ${column.typeSchema}`);
  return found;
}

/** Of the values of an integer type, as many digits at most. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ['int2', 5],
  ['int4', 10],
  ['int8', 19],
]);

function isSafe(column: ColumnDescriptor, { type, length, precision, scale }: TargetType) {
  const { typeName, maxLength, numericPrecision, numericScale } = column;
  if (TEXT_TARGETS.has(type)) {
    if (length === null) return true;
    return TEXTS.has(typeName) && maxLength !== null && maxLength <= length;
  }
  if (type === 'bigInteger') return DIGITS.has(typeName);
  if (type === 'integer') return typeName === 'int2' || typeName === 'int4';
  if (type === 'timestamp' || type === 'dateTime') return typeName === 'date';
  if (type !== 'decimal' || precision === null || scale === null) return false;
  const digits = DIGITS.get(typeName);
  if (digits !== undefined) return precision - scale >= digits;
  if (typeName !== 'numeric' || numericPrecision === null || numericScale === null) return false;
  return scale >= numericScale && precision - scale >= numericPrecision - numericScale;
}

function fromText(type: ColumnTypeName, target: Sql): Conversion['convert'] {
  if (TEXT_TARGETS.has(type)) return (value) => sql`${value}::${target}`;
  if (type === 'binary') return (value) => sql`pg_catalog.convert_to(${value}::text, 'UTF8')`;
  return (value) => sql`${value}::text::${target}`;
}

/** A text survives when what it says is still said: more digits, a date, an offset are not lost. */
function textFits(type: ColumnTypeName, convert: Conversion['convert']): Conversion['fits'] {
  if (TEXT_TARGETS.has(type)) return (value) => sql`(${convert(value)})::text = ${value}::text`;
  if (NUMBERS.has(type)) {
    return (value) => sql`(${convert(value)})::numeric = ${value}::text::numeric`;
  }
  if (type === 'date' || type === 'dateTime') {
    return (value) => sql`(${convert(value)})::timestamptz = ${value}::text::timestamptz`;
  }
  if (type === 'time') {
    const pattern = literal(TIME_OF_DAY);
    return (value) => sql`${value}::text ~ ${pattern} AND (${convert(value)}) IS NOT NULL`;
  }
  return (value) => sql`(${convert(value)}) IS NOT NULL`;
}

/** How the values of a column get another type. */
export async function conversionOf(
  alteration: Alteration,
  column: ColumnDescriptor,
  target: TargetType,
): Promise<Conversion> {
  const { type } = target;
  const safe = isSafe(column, target);
  if (isText(column)) {
    const convert = fromText(type, target.sql);
    return { safe, convert, fits: textFits(type, convert) };
  }
  if (TEXT_TARGETS.has(type)) {
    const convert = (value: Sql) => sql`${value}::text::${target.sql}`;
    return { safe, convert, fits: (value) => sql`(${convert(value)})::text = ${value}::text` };
  }
  const { forth, back } = await castsBetween(alteration, column, target.sql);
  const source = bareType(column);
  const convert = (value: Sql) =>
    forth ? sql`${value}::${target.sql}` : sql`${value}::text::${target.sql}`;
  const restore = (value: Sql) =>
    back ? sql`(${convert(value)})::${source}` : sql`(${convert(value)})::text::${source}`;
  const comparable = column.typeKind === 'b' && !INCOMPARABLE.has(column.typeName);
  const fits = (value: Sql) =>
    comparable
      ? sql`${restore(value)} = ${value}`
      : sql`(${restore(value)})::text = ${value}::text`;
  return { safe, convert, fits };
}
