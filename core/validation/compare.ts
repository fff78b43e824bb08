/** Brings values of payloads and rules into a form in which they compare as their field's type. */
import type { FieldType } from '#core/catalog/field-type.ts';

/** Null: the value cannot be of the type, so it equals and precedes nothing. */
export type Comparable = number | bigint | string | boolean | null;

function numeric(value: unknown): Comparable {
  if (typeof value === 'number') return Number.isNaN(value) ? null : value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || value.trim() === '') return null;
  if (/^\s*[+-]?\d{1,400}\s*$/.test(value)) return BigInt(value.trim().replace(/^\+/, ''));
  const number = Number(value);
  return Number.isNaN(number) ? null : number;
}

/** A date without a zone is meant in UTC, as sessions of the database read it. */
export function momentOf(value: unknown): Date | null {
  if (typeof value === 'number') return new Date(value);
  if (typeof value !== 'string') return null;
  const zoned = /(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(value) || !/\d:\d/.test(value);
  const date = new Date(zoned ? value : `${value}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

function truth(value: unknown): Comparable {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  if (value === false || value === 'false' || value === 0 || value === '0') return false;
  return null;
}

/** The value as a text, for the operators that look into texts; lists as they are stored. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** @param type null for the result of a function, which is a number, and for unknown members */
export function comparableOf(type: FieldType | null, value: unknown): Comparable {
  switch (type) {
    case 'integer':
    case 'bigInteger':
    case 'float':
    case 'decimal':
      return numeric(value);
    case 'boolean':
      return truth(value);
    case 'date':
    case 'dateTime':
    case 'timestamp':
      return momentOf(value)?.getTime() ?? null;
    case 'uuid':
      return textOf(value).toLowerCase();
    case null:
      return numeric(value) ?? textOf(value);
    default:
      return textOf(value);
  }
}

/** Negative, zero or positive; null when the two cannot be compared. */
export function compare(left: Comparable, right: Comparable): number | null {
  if (left === null || right === null) return null;
  const text = typeof left === 'string';
  if (text !== (typeof right === 'string')) return null;
  if (left < right) return -1;
  return left > right ? 1 : 0;
}
