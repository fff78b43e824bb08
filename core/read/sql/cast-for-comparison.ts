/** Compares columns of different types, which relations without a foreign key may join. */

import { bareType } from '#core/database/column-type.ts';
import { raw, type Sql, sql } from '#core/database/sql.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext', 'name']);

/** Patterns of texts that can be cast to a type; any other text equals no value of it. */
const CASTABLE: Readonly<Record<string, string>> = {
  int2: "'^-?[0-9]{1,4}$'",
  int4: "'^-?[0-9]{1,9}$'",
  int8: "'^-?[0-9]{1,18}$'",
  numeric: "'^-?[0-9]{1,100}$'",
  uuid: "'^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'",
};

const SIMPLE_TEXTS: ReadonlySet<string> = new Set(['text', 'varchar']);

/**
 * A column cast to the type of the column that it is compared with, whose equality applies (for
 * example in citext). Types that PostgreSQL itself compares, such as two number types, stay
 * unchanged.
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
  // Types without a pattern are equal to no text.
  if (castable === undefined) return sql`NULL::${type}`;
  return sql`CASE WHEN ${column}::text ~ ${raw(castable)} THEN ${column}::text::${type} END`;
}
