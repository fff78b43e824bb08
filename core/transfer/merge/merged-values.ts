/** The values that a merge writes to the columns of its table, for the staged row `s`. */
import { identifier, type Sql, sql } from '#core/database/sql.ts';
import type { Action } from '#core/write/payload.ts';
import { type Staged, valueOr } from '../copy/staging-table.ts';
import type { ImportTarget } from '../import-target.ts';
import { type ActionValues, valueWith } from '../validate/generated-values.ts';

/** A column, and its value. */
export interface MergedValue {
  readonly name: string;
  readonly value: Sql;
}

/** The columns with values from the file, a preset or a special flag. */
function writtenColumns(staged: Staged, { values }: ActionValues): string[] {
  return [...new Set([...staged.columns.map(({ name }) => name), ...values.keys()])];
}

/**
 * The value of a column for a staged row.
 * @param otherwise for rows without a value
 */
export function mergedValue(
  target: ImportTarget,
  staged: Staged,
  { action, name, otherwise }: { action: Action; name: string; otherwise: Sql },
): Sql {
  const place = staged.columns.findIndex((column) => column.name === name);
  const given = (other: Sql) => (place < 0 ? other : valueOr(staged, place, other));
  return valueWith(target.made[action].values.get(name), given, otherwise);
}

/** The values of existing items `t`. */
export function updatedValues(target: ImportTarget, staged: Staged): MergedValue[] {
  return writtenColumns(staged, target.made.update).map((name) => {
    const otherwise = sql`t.${identifier(name)}`;
    return { name, value: mergedValue(target, staged, { action: 'update', name, otherwise }) };
  });
}

/** The values of new items. */
export function insertedValues(target: ImportTarget, staged: Staged): MergedValue[] {
  // Such a key only finds existing rows; new ones get a generated one.
  const numbered = new Set(
    staged.columns.flatMap(({ name, field }) => (field.column.identity === 'always' ? [name] : [])),
  );
  return writtenColumns(staged, target.made.create)
    .filter((name) => !numbered.has(name))
    .map((name) => {
      const otherwise = target.defaults.get(name) ?? sql`NULL`;
      return { name, value: mergedValue(target, staged, { action: 'create', name, otherwise }) };
    });
}
