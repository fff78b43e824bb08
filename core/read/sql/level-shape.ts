/** What the levels of a statement share: how values are written, and how a row is named and guarded. */
import type { Sql } from '#core/database/sql.ts';
import { type LevelPlan, levelsBelow } from '../plan/plan.ts';
import type { Aliases } from './materialized-rows.ts';
import type { outputOf } from './output.ts';
import { type RowShape, rowShape } from './row.ts';
import { guardRow, type SizeBounds } from './size.ts';

/** A sub-select, to be aliased `r`, and the expression that makes JSON of a row of it. */
export interface LevelSql {
  readonly rows: Sql;
  readonly json: Sql;
}

/** The same with the single values of a row. */
export interface RowsSql extends LevelSql {
  readonly values: ReadonlyMap<string, Sql>;
  /** An expression over a row, or an error where the row is too large. */
  readonly guard: (value: Sql) => Sql;
}

/** How the value of a column is written. */
export type Output = typeof outputOf;

/** What holds for all levels of a statement. */
export interface StatementContext {
  readonly aliases: Aliases;
  readonly bounds: SizeBounds;
  /** The root of the plan. */
  readonly root: LevelPlan;
  /** Limits are part of the statement. */
  readonly knownLimits: boolean;
  /** Those of the root, and those of the levels below. */
  readonly outputs: { readonly root: Output; readonly below: Output };
  /** Levels whose documents and lists are the texts of such, because members are read out of them. */
  readonly texts: ReadonlySet<LevelPlan>;
}

/** The levels whose rows are counted, below a level. */
function countedBelow(level: LevelPlan): LevelPlan[] {
  return levelsBelow(level).flatMap((below) => [below, ...countedBelow(below)]);
}

export type GuardedShape = RowShape & Pick<RowsSql, 'guard'>;

/** Names the values of a row of a level, and guards it against growing too large. */
export function guardedShape(
  level: LevelPlan,
  values: ReadonlyMap<string, Sql>,
  { bounds, root }: StatementContext,
): GuardedShape {
  const { columns, json, values: names } = rowShape(values, level.ownNames);
  const isRoot = level === root;
  const below = isRoot ? countedBelow(level) : [];
  const guard = (value: Sql) => guardRow(level, value, bounds, { isRoot, below });
  return { columns, json: guard(json), values: names, guard };
}
