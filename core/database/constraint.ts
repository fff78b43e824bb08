/**
 * Determines the columns of a violated constraint. PostgreSQL reports the names of constraints and
 * indexes, and expressions as text; the catalog's table descriptor yields their columns.
 */
import type pg from 'pg';
import { SQLSTATE } from './sqlstate.ts';
import type { ForeignKeyDescriptor, TableDescriptor } from './table-descriptor.ts';

/** Literals, quoted and plain names, in the order of the alternatives. */
const WORD = /'(?:[^']|'')*'|"((?:[^"]|"")*)"|[\p{L}_][\p{L}\p{N}_$]*/gu;
/** `::` and the type behind it. */
const CAST =
  /::\s*(?:(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)\.)?(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)(?: varying| precision)?(?:\(\d+(?:,\d+)?\))?(?: with(?:out)? time zone)?(?:\[\])*/gu;

/** The columns in an expression, as PostgreSQL deparses it: `lower(email::text)`. */
function columnsIn(expression: string, table: TableDescriptor): string[] {
  const known = new Set(table.columns.map(({ name }) => name));
  const text = expression.replace(CAST, ' ');
  const found = new Set<string>();
  for (const match of text.matchAll(WORD)) {
    const name = match[1]?.replaceAll('""', '"') ?? match[0];
    const isCall = /^\s*\(/.test(text.slice(match.index + match[0].length));
    if (known.has(name) && !isCall) found.add(name);
  }
  return [...found];
}

/** The detail of a key violation, `Key (a, b)=(1, 2) …`, in any language. */
export interface KeyDetail {
  readonly columns: string;
  readonly values: string;
}

/**
 * Violations whose detail contains a key; the detail of other violations contains values of the
 * whole row.
 */
const OF_KEYS: ReadonlySet<string | undefined> = new Set([
  SQLSTATE.uniqueViolation,
  SQLSTATE.foreignKeyViolation,
  SQLSTATE.restrictViolation,
  SQLSTATE.exclusionViolation,
]);

export function keyDetail(error: pg.DatabaseError): KeyDetail | null {
  if (!OF_KEYS.has(error.code)) return null;
  const detail = error.detail ?? '';
  const middle = detail.indexOf(')=(');
  const start = detail.indexOf('(');
  // The text after the values contains no parenthesis, except for the other key of an exclusion.
  const other = detail.indexOf(')=(', middle + 1);
  const limit = other < 0 ? detail.length : detail.lastIndexOf('(', other - 1);
  const end = detail.lastIndexOf(')', limit - 1);
  if (start < 0 || middle < 0 || end < middle + 3) return null;
  return { columns: detail.slice(start + 1, middle), values: detail.slice(middle + 3, end) };
}

/** The violated foreign key. */
export function foreignKeyOf(
  error: pg.DatabaseError,
  table: TableDescriptor,
): ForeignKeyDescriptor | null {
  return table.foreignKeys.find(({ name }) => name === error.constraint) ?? null;
}

/**
 * The columns of a violated constraint of a table, except for foreign keys; empty when they cannot
 * be determined.
 */
export function constraintColumns(error: pg.DatabaseError, table: TableDescriptor): string[] {
  if (error.column !== undefined) return [error.column];
  const index = table.indexes.find(({ name }) => name === error.constraint);
  const plain = index?.columns.filter((name) => name !== null) ?? [];
  if (index !== undefined && plain.length === index.columns.length) return plain;
  const key = keyDetail(error)?.columns;
  if (key !== undefined) return columnsIn(key, table);
  const check = table.checks.find(({ name }) => name === error.constraint);
  const found = new Set(columnsIn(check?.expression ?? '', table));
  return index === undefined
    ? table.columns.map(({ name }) => name).filter((name) => found.has(name))
    : plain;
}
