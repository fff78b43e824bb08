/**
 * Finds writes that can change users, permissions or settings. Their answers wait until every edge
 * has applied the change.
 */
import { oncePer } from '#core/base/once-per.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { tableKey } from '#core/model/catalog/column-relations.ts';
import { systemCollections } from '#core/model/system-collections/registry.ts';
import type { Change } from './change.ts';

const DECIDING = systemCollections(({ decidesRights }) => decidesRights === true);

/** Actions of foreign keys that change the referencing rows. */
const CHANGING: ReadonlySet<string> = new Set(['CASCADE', 'SET NULL', 'SET DEFAULT']);

/** The collections whose deleted items also change rows of those above, through foreign keys. */
const cascading = oncePer((catalog: Catalog): ReadonlySet<string> => {
  const byTable = new Map(
    [...catalog.collections.values()].flatMap(({ name, table }) =>
      table === null ? [] : [[tableKey(table.schema, table.name), name] as const],
    ),
  );
  const found = new Set(DECIDING);
  // A Set iterates over values that are added during the iteration.
  for (const name of found) {
    for (const key of catalog.collections.get(name)?.table?.foreignKeys ?? []) {
      const target = byTable.get(tableKey(key.targetSchema, key.targetTable));
      if (target !== undefined && CHANGING.has(key.onDelete)) found.add(target);
    }
  }
  return found;
});

/** Whether one of the changes can affect users, permissions or settings. */
export function affectsAccess(
  catalog: Catalog,
  changes: readonly Pick<Change, 'collection' | 'action'>[],
): boolean {
  return changes.some(
    ({ collection, action }) =>
      DECIDING.has(collection) || (action === 'delete' && cascading(catalog).has(collection)),
  );
}
