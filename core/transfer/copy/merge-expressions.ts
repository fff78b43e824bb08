/** The SQL expressions of a merge: of the staged row `s` and the row `t` of the table. */
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import type { Action } from '#core/write/payload.ts';
import type { FileColumn } from '../file/file-column.ts';
import { type ActionValues, stagedColumnValue } from '../target/generated-values.ts';
import type { ImportTarget } from '../target/import-target.ts';
import { type Staged, stagingColumn, valueOr } from './staging-table.ts';

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
  return stagedColumnValue(target.made[action].values.get(name), given, otherwise);
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

/**
 * The condition that `t` and `s` have the same key; null when the file does not contain the key, or
 * each row must be inserted.
 */
export function sameKey(target: ImportTarget, columns: readonly FileColumn[]): Sql | null {
  if (target.mode === 'insert') return null;
  const parts = target.key.map(({ name }) => {
    const place = columns.findIndex((column) => column.name === name);
    return place < 0 ? null : sql`t.${identifier(name)} = s.${stagingColumn(place)}`;
  });
  const known = parts.filter((part) => part !== null);
  return known.length === parts.length ? join(known, ' AND ') : null;
}
