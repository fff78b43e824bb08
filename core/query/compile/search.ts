/** Compiles `search`: a term looked for in the collection's own columns that the caller may see. */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { likeText, textSql } from './comparison.ts';
import { isConcealed } from './output.ts';
import { refOf, type Scope, visibleColumns } from './scope.ts';

const CANONICAL_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const RANGE: Readonly<Record<string, bigint>> = {
  int2: 2n ** 15n,
  int4: 2n ** 31n,
  int8: 2n ** 63n,
};

function fitsInteger(term: string, typeName: string): boolean {
  if (!/^-?(0|[1-9]\d{0,18})$/.test(term)) return false;
  const limit = RANGE[typeName] ?? 0n;
  const value = BigInt(term);
  return value >= -limit && value < limit;
}

/** The test of one column; null when the term cannot be in it. */
function testOf(field: ColumnField, column: Sql, term: string): Sql | null {
  switch (field.type) {
    case 'string':
    case 'text':
      return sql`${textSql(field, column)} ILIKE ${`%${likeText(term)}%`}::text`;
    case 'integer':
    case 'bigInteger':
      return fitsInteger(term, field.column.typeName) ? sql`${column} = ${term}::int8` : null;
    case 'float':
    case 'decimal':
      return CANONICAL_NUMBER.test(term) && term.length < 100
        ? sql`${column} = ${term}::numeric`
        : null;
    case 'uuid':
      if (!UUID.test(term)) return null;
      return field.stored?.among?.(column, [term], false) ?? sql`${column} = ${term}::uuid`;
    default:
      return null;
  }
}

/** Rows in which any column holds the term; no rows when no column can. */
export function compileSearch(scope: Scope, term: string): Sql {
  const tests = visibleColumns(scope).flatMap((field) => {
    if (isConcealed(field) || field.meta?.searchable === false) return [];
    const { column, guard, field: shown } = refOf(scope, field);
    const test = testOf(shown, column, term);
    if (test === null) return [];
    return [guard === null ? test : sql`(${guard} AND ${test})`];
  });
  return tests.length === 0 ? sql`FALSE` : sql`(${join(tests, ' OR ')})`;
}
