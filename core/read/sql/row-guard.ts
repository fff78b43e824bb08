/**
 * Computes rules that guard several values of a level once per row instead of once per value, if
 * they read other tables. Other rules are repeated, which is faster.
 */
import { join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Condition } from '../plan/condition.ts';
import type { Entry, Guard, Items, LevelPlan, Table, Value } from '../plan/plan.ts';
import { limitSql, ordered } from './clause.ts';
import { rightSql } from './expression.ts';
import type { Aliases } from './materialized-rows.ts';
import { tableSql } from './table.ts';

/** Whether a condition reads other rows than the one that it tests. */
function looksFurther(condition: Condition | null): boolean {
  switch (condition?.kind) {
    case 'one':
    case 'many':
      return true;
    case 'group':
      return condition.parts.some(looksFurther);
    case 'elements':
    case 'seen':
      return looksFurther(condition.condition);
    case 'test':
      return (
        condition.subject.value.kind === 'count' ||
        condition.operands.some(({ kind }) => kind === 'path')
      );
    default:
      return false;
  }
}

type Change = (guard: Guard | null) => Guard | null;

function changedValue(value: Value, change: Change): Value {
  switch (value.kind) {
    case 'column':
    case 'call':
      return { ...value, column: { ...value.column, guard: change(value.column.guard) } };
    case 'count':
      return { ...value, guard: change(value.guard) };
    default:
      return value;
  }
}

function changedEntry(entry: Entry, change: Change): Entry {
  switch (entry.kind) {
    case 'value':
      return { ...entry, value: changedValue(entry.value, change) };
    case 'key': {
      const columns = entry.columns.map((column) => ({ ...column, guard: change(column.guard) }));
      return { ...entry, columns };
    }
    case 'constant':
      return entry;
    case 'object': {
      const entries = [...entry.entries].map(
        ([key, inner]) => [key, changedEntry(inner, change)] as const,
      );
      return { ...entry, entries: new Map(entries) };
    }
    default:
      return { ...entry, guard: change(entry.guard) };
  }
}

/** The number of values that each permission of the table guards. */
function usesOf({ entries }: Items, table: Table): Map<number, number> {
  const uses = new Map<number, number>();
  const count: Change = (guard) => {
    if (guard === null || guard.table !== table) return guard;
    for (const right of guard.rights) uses.set(right, (uses.get(right) ?? 0) + 1);
    return guard;
  };
  for (const entry of entries.values()) changedEntry(entry, count);
  return uses;
}

/** The values of a level, and a lateral join with their guards; usually without a join. */
export interface RowGuards {
  readonly content: Items;
  /** Null: each value repeats its rules. */
  readonly beside: Sql | null;
}

export function guardOnce(table: Table, content: Items, aliases: Aliases): RowGuards {
  const uses = usesOf(content, table);
  const isRepeated = [...uses].some(
    ([right, count]) => count > 1 && looksFurther(table.rights[right]?.condition ?? null),
  );
  if (!isRepeated) return { content, beside: null };
  const alias = raw(aliases.next());
  const columns: Sql[] = [];
  const names = new Map<number, Sql>();
  for (const right of uses.keys()) {
    const rule = rightSql(table, right);
    // It holds on every row.
    if (rule === null) continue;
    const name = raw(`g${right}`);
    columns.push(sql`${rule} AS ${name}`);
    names.set(right, sql`${alias}.${name}`);
  }
  const once: Change = (guard) => {
    if (guard === null || guard.table !== table) return guard;
    const parts = guard.rights.map((right) => names.get(right) ?? null);
    const known = parts.filter((part) => part !== null);
    if (known.length < parts.length) return null;
    return { ...guard, seen: known.length === 1 ? join(known) : sql`(${join(known, ' OR ')})` };
  };
  const entries = new Map(
    [...content.entries].map(([key, entry]) => [key, changedEntry(entry, once)]),
  );
  return {
    content: { ...content, entries },
    // Without an offset PostgreSQL would inline the rules where they are used.
    beside: sql` CROSS JOIN LATERAL (SELECT ${join(columns)} OFFSET 0) AS ${alias}`,
  };
}

/** The rows of a level, for `FROM`, with the guards computed once for each returned row. */
export function rowsFrom(
  level: LevelPlan,
  content: Items,
  { where, beside }: { readonly where: Sql; readonly beside: Sql | null },
  knownLimits: boolean,
): Sql {
  const from = tableSql(level.table);
  const { joins, orderBy } = ordered(content);
  const limits = limitSql(level, knownLimits);
  if (beside === null) return sql`${from}${joins}${where}${orderBy}${limits}`;
  if (content.order === null) return sql`${from}${beside}${where}${limits}`;
  const alias = raw(level.table.alias);
  return sql`(SELECT ${alias}.* FROM ${from}${joins}${where}${orderBy}${limits}) AS ${alias}${beside}`;
}
