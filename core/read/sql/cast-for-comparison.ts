/** Compares columns of different types, as relations without a foreign key may join. */

import { bareType } from '#core/database/column-type.ts';
import { raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext', 'name']);

/** Texts that a cast to a type takes; any other text is equal to no value of it. */
const CASTABLE: Readonly<Record<string, string>> = {
  int2: "'^-?[0-9]{1,4}$'",
  int4: "'^-?[0-9]{1,9}$'",
  int8: "'^-?[0-9]{1,18}$'",
  numeric: "'^-?[0-9]{1,100}$'",
  uuid: "'^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'",
};

const SIMPLE_TEXTS: ReadonlySet<string> = new Set(['text', 'varchar']);

/**
 * A column as it compares with one of another type, by that one's own equality: what is equal among
 * themselves need not be what is equal to the key (think of citext). Types that PostgreSQL compares
 * by itself, such as two kinds of numbers, are left alone.
 */
export function castForComparison(
  column: Sql,
  own: ColumnDescriptor,
  wanted: ColumnDescriptor,
): Sql {
  if (own.typeName === wanted.typeName) return column;
  const type = bareType(wanted);
  if (TEXTS.has(wanted.typeName)) {
    const alike = SIMPLE_TEXTS.has(own.typeName) && SIMPLE_TEXTS.has(wanted.typeName);
    return alike ? column : sql`${column}::text::${type}`;
  }
  if (!TEXTS.has(own.typeName)) return column;
  const castable = CASTABLE[wanted.typeName];
  // No text is equal to what cannot be looked up by one.
  if (castable === undefined) return sql`NULL::${type}`;
  return sql`CASE WHEN ${column}::text ~ ${raw(castable)} THEN ${column}::text::${type} END`;
}
