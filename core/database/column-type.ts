/** Names of PostgreSQL types in casts. */
import { quote, raw, type Sql } from './sql.ts';

/** What a cast needs to know of a column. */
export interface TypedColumn {
  readonly typeSchema: string;
  readonly typeName: string;
}

/**
 * The column's type without a length: a cast to `varchar(3)` would cut a longer text silently,
 * the assignment to the column refuses it.
 */
export function bareType(column: TypedColumn): Sql {
  return raw(`${quote(column.typeSchema)}.${quote(column.typeName)}`);
}
