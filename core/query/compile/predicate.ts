/**
 * Conditions with what must be known about them to combine them rightly under SQL's three-valued
 * logic.
 */
import { join, Sql, sql } from '#core/database/sql.ts';

export interface Predicate {
  readonly sql: Sql;
  /**
   * The same for where it stands beside an OR, or in a CASE or a select list: there a sub-select
   * that no index serves would run for each row. Absent where that makes no difference.
   */
  readonly apart?: Sql;
  /** Never true for a row whose columns are all null, as an outer join has where nothing matches. */
  readonly strict: boolean;
  /**
   * Compares with a variable that has no value; such a comparison may never widen an answer. A
   * piece of SQL, the same for every row, where only the statement finds that out.
   */
  readonly void: boolean | Sql;
}

const ALWAYS: Predicate = { sql: sql`TRUE`, strict: false, void: false };

const NEVER: Predicate = { sql: sql`FALSE`, strict: true, void: false };

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

/** Whether any of several comparisons lacks its value. */
export function anyVoid(voids: readonly (boolean | Sql)[]): boolean | Sql {
  if (voids.includes(true)) return true;
  const open = voids.filter((entry) => entry instanceof Sql);
  return open.length === 0 ? false : sql`(${join(open, ' OR ')})`;
}

/** The predicate for a place where the planner cannot make a join of it. */
export function apartOf(predicate: Predicate): Sql {
  return predicate.apart ?? predicate.sql;
}

/** All of them, or any of them: all of none hold always, any of none never. */
export function connect(connective: 'and' | 'or', parts: readonly Predicate[]): Predicate {
  const [only] = parts;
  if (only === undefined) return connective === 'and' ? ALWAYS : NEVER;
  if (parts.length === 1) return only;
  const isStrict = (part: Predicate) => part.strict;
  const all = (pieces: readonly Sql[]) =>
    sql`(${join(pieces, connective === 'and' ? ' AND ' : ' OR ')})`;
  const apart = all(parts.map(apartOf));
  return {
    sql: connective === 'and' ? all(parts.map((part) => part.sql)) : apart,
    ...(parts.some((part) => part.apart !== undefined) ? { apart } : {}),
    strict: connective === 'and' ? parts.some(isStrict) : parts.every(isStrict),
    void: anyVoid(parts.map((part) => part.void)),
  };
}

/**
 * No row exists for which a condition holds.
 * @param exists holds when there is one; never null
 * @param isVoid of the condition: of a comparison without value nothing is known, not even "none"
 */
export function none(exists: Sql, isVoid: boolean | Sql): Predicate {
  if (isVoid === true) return VOID;
  if (isVoid === false) return loosely(sql`NOT ${exists}`);
  return {
    ...loosely(sql`(CASE WHEN NOT ${isVoid} THEN TRUE END AND NOT ${exists})`),
    void: isVoid,
  };
}
