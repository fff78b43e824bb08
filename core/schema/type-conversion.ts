/**
 * Converts the values of a column to another type, and finds values that would be lost. Uses SQL
 * expressions, so that PostgreSQL's own casts determine the result.
 */

import { bareType } from '#core/database/column-type.ts';
import { literal, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import type { ColumnTypeName } from './schema-change.ts';
import type { Alteration } from './schema-change-context.ts';

/** The new type of a column. */
export interface TargetType {
  readonly type: ColumnTypeName;
  /** Its notation in DDL. */
  readonly sql: Sql;
  /** Characters, or digits before and after the point; null without a limit. */
  readonly length: number | null;
  readonly precision: number | null;
  readonly scale: number | null;
}

export interface Conversion {
  /** No value can be lost, so no value is checked. */
  readonly safe: boolean;
  /** The value of the new type; fails for a value that cannot be cast. */
  readonly convert: (value: Sql) => Sql;
  /** Whether the value is preserved; fails, or is null, for a value that cannot be cast. */
  readonly fits: (value: Sql) => Sql;
}

const TEXTS: ReadonlySet<string> = new Set(['varchar', 'bpchar', 'text', 'citext', 'name', 'char']);
const TEXT_TARGETS: ReadonlySet<ColumnTypeName> = new Set(['string', 'text', 'csv', 'hash']);
const NUMBERS: ReadonlySet<ColumnTypeName> = new Set(['integer', 'bigInteger', 'float', 'decimal']);
/** Types without an operator for equality. */
const INCOMPARABLE: ReadonlySet<string> = new Set(['json', 'xml', 'point', 'polygon']);

/** Texts that are only a time of day: a cast would take the time from a date, or drop an offset. */
const TIME_OF_DAY = '^\\s*\\d{1,2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(\\s*[AaPp][Mm])?\\s*$';

export function isText({ typeName, typeKind }: ColumnDescriptor): boolean {
  return typeKind === 'e' || (typeKind === 'b' && TEXTS.has(typeName));
}

/** Types that PostgreSQL casts into each other directly. */
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

/** Maximum number of digits of an integer type. */
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

/** A text is preserved when no information is lost: digits, a date, an offset. */
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

/** The conversion of a column's values to another type. */
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
