/** What the type of a column in PostgreSQL says beyond the type of its field. */
import type { Field } from '../data/schema-types.ts';

type Typed = Pick<Field, 'schema'>;

/** The type of the column, such as `int4range`; empty for a field without a column. */
export function columnType({ schema }: Typed): string {
  return schema?.data_type ?? '';
}

/** The type of the entries of an array; null for a column that is none. */
function elementType(field: Typed): string | null {
  const type = columnType(field);
  return type.endsWith('[]') ? type.slice(0, -'[]'.length) : null;
}

const NUMBERS: ReadonlySet<string> = new Set([
  ...['smallint', 'integer', 'real', 'double precision'],
]);
/** Entries that are typed as texts, among them numbers whose digits must all be kept. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['text', 'character varying', 'character', 'citext', 'name', 'uuid', 'bigint', 'numeric'],
  ...['inet', 'cidr', 'macaddr', 'date'],
]);

export function hasNumericEntries(field: Typed): boolean {
  return NUMBERS.has(elementType(field) ?? '');
}

/** Whether the values of a column are lists of entries that are typed one after the other. */
export function isList(field: Typed): boolean {
  return hasNumericEntries(field) || TEXTS.has(elementType(field) ?? '');
}

/** What the bounds of a range are; null for a column that is no range. */
export function boundType(field: Typed): string | null {
  return BOUNDS.get(columnType(field)) ?? null;
}

const BOUNDS: ReadonlyMap<string, string> = new Map([
  ['int4range', 'number'],
  ['int8range', 'number'],
  ['numrange', 'number'],
  ['daterange', 'date'],
  ['tsrange', 'dateTime'],
  ['tstzrange', 'timestamp'],
]);
