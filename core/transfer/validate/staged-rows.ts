/** The staged rows as they will be in the table after the merge. */
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import { mergedValue, sameKey } from '../copy/merge-expressions.ts';
import { STAGING, type Staged } from '../copy/staging-table.ts';
import type { ImportOptions } from '../run/import-options.ts';
import type { ImportRun } from '../run/import-run.ts';
import type { ImportTarget } from '../target/import-target.ts';

/** Staged rows and their target table. */
export interface StagedRows {
  readonly options: ImportOptions;
  readonly target: ImportTarget;
  readonly staged: Staged;
  readonly same: Sql | null;
}

export function stagedRowsOf({ options, target }: ImportRun, staged: Staged): StagedRows {
  return { options, target, staged, same: sameKey(target, staged.columns) };
}

/** Number of the row, in the relation of {@link resultingRows}. */
export const ROW_NUMBER = identifier('sluice row');

export function rowNumberOf({ staged }: Pick<StagedRows, 'staged'>, column: string): number {
  return staged.columns.findIndex(({ name }) => name === column);
}

/** The staged rows as they will be in the table, under its column names. */
export function resultingRows(subject: StagedRows): Sql {
  const { target, staged, same } = subject;
  const stored = target.table.columns.filter((column) => column.generatedExpression === null);
  const values = stored.map(({ name, sequence, identity }) => {
    // A check must not consume sequence values.
    const numbered = sequence !== null || identity !== null;
    const initial = numbered ? sql`NULL` : (target.defaults.get(name) ?? sql`NULL`);
    const existing = sql`t.${identifier(name)}`;
    const matched =
      same === null ? sql`FALSE` : sql`t.${identifier(target.key[0]?.name ?? '')} IS NOT NULL`;
    const created = mergedValue(target, staged, { action: 'create', name, otherwise: initial });
    const changed = target.fixed.has(name)
      ? existing
      : mergedValue(target, staged, { action: 'update', name, otherwise: existing });
    const value = sql`CASE WHEN ${matched} THEN ${changed} ELSE ${created} END`;
    return sql`${value} AS ${identifier(name)}`;
  });
  const base = sql`SELECT s."row" AS ${ROW_NUMBER}, ${join(values)} FROM ${STAGING} s
    LEFT JOIN ${target.name} t ON ${same ?? sql`FALSE`}`;
  if (target.generated.size === 0) return sql`(${base})`;
  const computed = [...target.generated].map(
    ([name, expression]) => sql`(${expression}) AS ${identifier(name)}`,
  );
  return sql`(SELECT b.*, ${join(computed)} FROM (${base}) b)`;
}
