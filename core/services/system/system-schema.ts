/** The schema of the system tables, and keys of one column, for writes to system collections. */
import { strict as assert } from 'node:assert';
import type { Write } from '#core/mutation/target.ts';

/** The schema of the system tables. */
export function schemaOf({ collection }: Write): string {
  assert(collection.system && collection.table !== null);
  return collection.table.schema;
}

/** The keys of system collections have one column. */
export function singleKeys(keys: readonly (readonly string[])[]): string[] {
  return keys.flatMap(([key]) => key ?? []);
}
