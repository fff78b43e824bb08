/**
 * Conditions with what must be known about them to combine them rightly under SQL's three-valued
 * logic.
 */
import { join, type Sql, sql } from '#core/database/sql.ts';

export interface Predicate {
  readonly sql: Sql;
  /** Never true for a row whose columns are all null, as an outer join has where nothing matches. */
  readonly strict: boolean;
  /** Compares with a variable that has no value; such a comparison may never widen an answer. */
  readonly void: boolean;
}

export const ALWAYS: Predicate = { sql: sql`TRUE`, strict: false, void: false };

/** A comparison with a variable that has no value: unknown for every row. */
export const VOID: Predicate = { sql: sql`NULL::boolean`, strict: true, void: true };

/** A predicate that is never true for nulls. */
export function strictly(condition: Sql): Predicate {
  return { sql: condition, strict: true, void: false };
}

/** A predicate that may be true for nulls. */
export function loosely(condition: Sql): Predicate {
  return { sql: condition, strict: false, void: false };
}

/** All of them, or any of them; no predicates at all hold always. */
export function connect(connective: 'and' | 'or', parts: readonly Predicate[]): Predicate {
  const [only] = parts;
  if (only === undefined) return ALWAYS;
  if (parts.length === 1) return only;
  const isStrict = (part: Predicate) => part.strict;
  return {
    sql: sql`(${join(
      parts.map((part) => part.sql),
      connective === 'and' ? ' AND ' : ' OR ',
    )})`,
    strict: connective === 'and' ? parts.some(isStrict) : parts.every(isStrict),
    void: parts.some((part) => part.void),
  };
}
