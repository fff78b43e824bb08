/** Which writes may change who may do what, so that their answers wait until every edge knows. */
import type { Catalog } from '#core/catalog/catalog.ts';
import { tableKey } from '#core/catalog/own-relations.ts';
import type { Change } from '#core/changes/change.ts';
import { systemCollections } from '#core/system-collections/registry.ts';

const DECIDING = systemCollections(({ decidesRights }) => decidesRights === true);

/** What foreign keys do to the rows that hold them, other than to refuse. */
const CHANGING: ReadonlySet<string> = new Set(['CASCADE', 'SET NULL', 'SET DEFAULT']);

const cascades = new WeakMap<Catalog, ReadonlySet<string>>();

/** The collections whose items take rows of those that decide along when they go. */
function cascading(catalog: Catalog): ReadonlySet<string> {
  const known = cascades.get(catalog);
  if (known !== undefined) return known;
  const byTable = new Map(
    [...catalog.collections.values()].flatMap(({ name, table }) =>
      table === null ? [] : [[tableKey(table.schema, table.name), name] as const],
    ),
  );
  const found = new Set(DECIDING);
  // A set yields also what is added to it on the way.
  for (const name of found) {
    for (const key of catalog.collections.get(name)?.table?.foreignKeys ?? []) {
      const target = byTable.get(tableKey(key.targetSchema, key.targetTable));
      if (target !== undefined && CHANGING.has(key.onDelete)) found.add(target);
    }
  }
  cascades.set(catalog, found);
  return found;
}

/** Whether changes may be ones of users, rights or settings. */
export function affectsAccess(
  catalog: Catalog,
  changes: readonly Pick<Change, 'collection' | 'action'>[],
): boolean {
  return changes.some(
    ({ collection, action }) =>
      DECIDING.has(collection) || (action === 'delete' && cascading(catalog).has(collection)),
  );
}
