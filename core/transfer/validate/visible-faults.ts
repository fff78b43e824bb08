/** The visible part of the database's errors for the sender of the file. */
import { failureView } from '#core/access/error-visibility.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { forbidden } from '#core/base/errors/service-error.ts';
import type { FailureView, SeenTable } from '#core/database/failure.ts';
import type { RowFault } from '../file/row-fault.ts';
import type { ImportOptions } from '../run/import-options.ts';

/** The same view as for the errors of any other write. */
export function importFailureView({ catalog, sender }: ImportOptions): FailureView {
  return failureView({ catalog, rights: sender.rights }, true);
}

function seenTable(options: ImportOptions): SeenTable | null {
  const table = options.catalog.collections.get(options.collection)?.table ?? null;
  return table === null ? null : importFailureView(options).tableOf(table.schema, table.name);
}

/** The field names of columns, if all of them are visible to the sender. */
export function visibleFieldNames(
  options: ImportOptions,
  columns: readonly string[],
): string | null {
  const table = seenTable(options);
  const isSeen = columns.every((name) => (table?.fieldOf(name) ?? null) !== null);
  return isSeen && columns.length > 0 ? columns.join(',') : null;
}

/** Whether the sender may see the values of columns in any row. */
export function canSeeValues(options: ImportOptions, columns: readonly string[]): boolean {
  const table = seenTable(options);
  return columns.every((name) => table?.fieldOf(name)?.values === true);
}

/**
 * The fault of a row whose item the sender may not update. If items may be hidden from the sender,
 * rows without an item have the same fault.
 */
export function forbiddenRowFault(row: number): RowFault {
  const refusal = forbidden();
  const told = { code: refusal.code, reason: reasonOf(refusal), details: {} };
  return { row, field: null, value: null, ...told };
}
