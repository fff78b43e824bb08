/** Which tables take new rows without a look at anything but the rows themselves. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import { needsCallerRecords } from '../caller-record.ts';
import { NO_RULE, type WriteContext } from '../write-context.ts';

/** Whether columns are the key of a collection, which is a single one. */
export function isSinglePrimaryKey(
  { primaryKey }: Collection,
  columns: readonly string[],
): boolean {
  return columns.length === 1 && columns[0] === primaryKey[0]?.column.name;
}

/** Whether nobody but the statement itself has a say in what becomes of new rows. */
export function insertsAsGiven(write: WriteContext): boolean {
  const { table, primaryKey } = write.collection;
  if (table?.kind !== 'table' || table.userTriggers || primaryKey.length !== 1) return false;
  return write.rule === NO_RULE && !needsCallerRecords(write, 'create');
}
