/**
 * The default of a column as SQL. A given value is quoted as a value of the column's type. The few
 * allowed SQL functions are constants here and never copied from the request.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { literal, raw, type Sql } from '#core/database/sql.ts';
import type { ColumnTypeName } from './schema-change.ts';

const TEMPORAL: ReadonlySet<ColumnTypeName> = new Set(['date', 'time', 'dateTime', 'timestamp']);
const TAKES_UUID: ReadonlySet<ColumnTypeName> = new Set(['uuid', 'string', 'text']);

const NOW = /^(?:now\(\)|current_timestamp(?:\(([0-6])\))?)$/i;
const RANDOM_UUID = /^gen_random_uuid\(\)$/i;

/** The allowed function for columns of this type; null for a value. */
function functionFor(type: ColumnTypeName, text: string): Sql | null {
  const now = NOW.exec(text.trim());
  if (now !== null && TEMPORAL.has(type)) {
    const [words, precision] = now;
    // Both mean the same time; the given name is preserved for later reads.
    if (/^now/i.test(words)) return raw('now()');
    return raw(precision === undefined ? 'CURRENT_TIMESTAMP' : `CURRENT_TIMESTAMP(${precision})`);
  }
  if (TAKES_UUID.has(type) && RANDOM_UUID.test(text.trim())) return raw('gen_random_uuid()');
  return null;
}

/** The text that PostgreSQL parses to the value. */
function textOf(type: ColumnTypeName, value: unknown): string {
  if (type === 'json') return JSON.stringify(value);
  if (type === 'csv' && Array.isArray(value)) return value.join(',');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/**
 * The expression after DEFAULT; null without a default.
 * @param type of the field; PostgreSQL itself refuses an invalid text
 * @param longest maximum characters of the column; null for no limit
 * @throws INVALID_PAYLOAD for a longer text, which would fail each time it is used
 */
export function defaultExpression(
  type: ColumnTypeName,
  value: unknown,
  longest: number | null,
): Sql | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') {
    const known = functionFor(type, value);
    if (known !== null) return known;
  }
  const text = textOf(type, value);
  if (longest !== null && [...text].length > longest) {
    throw invalidPayload(reason('default_too_long', { limit: longest }));
  }
  if (text.includes('\0')) throw invalidPayload(reason('default_contains_nul'));
  return literal(text);
}
