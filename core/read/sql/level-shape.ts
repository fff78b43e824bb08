/**
 * Shared parts of a statement's levels: how values are written, and how a row is named and guarded.
 */
import type { Sql } from '#core/database/sql.ts';
import { type LevelPlan, levelsBelow } from '../plan/plan.ts';
import type { Aliases } from './materialized-rows.ts';
import type { outputOf } from './output.ts';
import { type RowShape, rowShape } from './row.ts';
import { guardRow, type SizeBounds } from './size.ts';

/** A subselect, to be aliased `r`, and the expression that converts its row to JSON. */
export interface LevelSql {
  readonly rows: Sql;
  readonly json: Sql;
}

/** The same with the single values of a row. */
export interface RowsSql extends LevelSql {
  readonly values: ReadonlyMap<string, Sql>;
  /** An expression over a row; it fails when the row is too large. */
  readonly guard: (value: Sql) => Sql;
}

/** Writes the value of a column. */
export type Output = typeof outputOf;

/** What all levels of one statement share: names of tables and the form of values. */
export interface StatementContext {
  readonly aliases: Aliases;
  readonly bounds: SizeBounds;
  /** The root of the plan. */
  readonly root: LevelPlan;
  /** Limits are constants of the statement. */
  readonly knownLimits: boolean;
  /** The output of the root, and of the levels below. */
  readonly outputs: { readonly root: Output; readonly below: Output };
  /**
   * Levels whose documents and lists are written as text, because their members are read
   * separately.
   */
  readonly texts: ReadonlySet<LevelPlan>;
}

/** The levels below a level whose rows are counted. */
function countedBelow(level: LevelPlan): LevelPlan[] {
  return levelsBelow(level).flatMap((below) => [below, ...countedBelow(below)]);
}

export type GuardedShape = RowShape & Pick<RowsSql, 'guard'>;

/** Names the values of a row of a level, and guards the row against growing too large. */
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
