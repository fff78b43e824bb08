/** Conditions of which some are known before any row is read. */
import { join, type Sql, sql } from '#core/database/sql.ts';

export type Condition = boolean | Sql;

function combined(conditions: readonly Condition[], neutral: boolean): Condition {
  const open: Sql[] = [];
  for (const condition of conditions) {
    if (typeof condition !== 'boolean') open.push(condition);
    else if (condition !== neutral) return condition;
  }
  const [only] = open;
  if (only === undefined) return neutral;
  if (open.length === 1) return only;
  return sql`(${join(open, neutral ? ' AND ' : ' OR ')})`;
}

/** All of them hold. */
export function all(conditions: readonly Condition[]): Condition {
  return combined(conditions, true);
}

/** One of them holds. */
export function any(conditions: readonly Condition[]): Condition {
  return combined(conditions, false);
}

export function not(condition: Condition): Condition {
  return typeof condition === 'boolean' ? !condition : sql`NOT ${condition}`;
}

export function conditionText(condition: Condition): Sql {
  if (typeof condition !== 'boolean') return condition;
  return condition ? sql`TRUE` : sql`FALSE`;
}
