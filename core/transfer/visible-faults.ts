/** What the sender of a file may know about its faults: the fields that the file may fill. */
import { failureView } from '#core/access/error-visibility.ts';
import { EVERYTHING } from '#core/access/grants.ts';
import type { FailureView } from '#core/database/failure.ts';
import type { ImportOptions } from './import-run.ts';

/** Those fields are all readable; who may fill all of them is an administrator. */
export function importView({ catalog, collection, fields }: ImportOptions): FailureView {
  const own = fields === undefined ? EVERYTHING : ([{ fields, rule: null }] as const);
  const reading = {
    of: (name: string) => (fields === undefined || name === collection ? own : null),
  };
  return failureView({ catalog, rights: { admin: fields === undefined, reading } }, true);
}

/** The names of columns, as far as the sender may know all of them. */
export function seenFields({ fields }: ImportOptions, columns: readonly string[]): string | null {
  const isSeen = fields === undefined || columns.every((name) => fields.has(name));
  return isSeen && columns.length > 0 ? columns.join(',') : null;
}
