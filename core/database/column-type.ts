/** Names of PostgreSQL types in casts. */
import { quote, raw, type Sql } from './sql.ts';

/** The column data for a cast. */
export interface TypedColumn {
  readonly typeSchema: string;
  readonly typeName: string;
}

/**
 * The column's type without a length: a cast to `varchar(3)` would silently truncate a longer text,
 * but assigning it to the column fails.
 */
export function bareType(column: TypedColumn): Sql {
  return raw(`${quote(column.typeSchema)}.${quote(column.typeName)}`);
}
