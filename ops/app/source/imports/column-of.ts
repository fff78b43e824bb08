/** Which column of a file a fault of a field is about. */
import type { Mapping } from './plan.ts';

/** Null for a fault of the whole row. */
export function columnOf(
  field: string,
  columns: readonly string[],
  mapping: Mapping,
): string | null {
  const target = (column: string) => mapping[column] ?? column;
  return (
    columns.find((column) => target(column) === field) ??
    columns.find((column) => target(column).startsWith(`${field}.`)) ??
    null
  );
}
