/** Determines which tables accept new rows without a lookup of other data. */
import type { Collection } from '#core/model/catalog/catalog.ts';
import { needsCallerRecords } from '../caller-record.ts';
import { NO_RULE, type WriteContext } from '../write-context.ts';

/** Whether the columns are the single-column key of a collection. */
export function isSinglePrimaryKey(
  { primaryKey }: Collection,
  columns: readonly string[],
): boolean {
  return columns.length === 1 && columns[0] === primaryKey[0]?.column.name;
}

/** Whether no trigger, collection rule or caller record affects new rows. */
export function insertsAsGiven(write: WriteContext): boolean {
  const { table, primaryKey } = write.collection;
  if (table?.kind !== 'table' || table.userTriggers || primaryKey.length !== 1) return false;
  return write.rule === NO_RULE && !needsCallerRecords(write, 'create');
}
