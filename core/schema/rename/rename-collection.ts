/** Gives a collection another name: its table or view, and every place that refers to it. */
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidPayload } from '#core/base/errors/service-error.ts';
import { identifier, sql } from '#core/database/sql.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { AnyToOne } from '#core/model/catalog/relation.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { forgetFormer, takenNames } from '../operation/collection.ts';
import { alterTable } from '../operation/field.ts';
import { revokeFields } from '../operation/revoke-field-rights.ts';
import type { Alteration, TableLock } from '../schema-change-context.ts';
import { renameHistory } from './rename-history.ts';
import { renameReferences } from './rename-references.ts';
import { renamedReverseFields } from './renamed-descriptor.ts';
import { type RenamedCollection, RenamedNames } from './renamed-names.ts';

/** The relations whose items store the name of the collection, each with its own collection. */
function relationsByName(catalog: Catalog, name: string): [Collection, AnyToOne][] {
  return [...catalog.relations].flatMap(([owner, relations]) => {
    const collection = catalog.collections.get(owner);
    if (collection === undefined) return [];
    return [...relations.values()].flatMap((relation): [Collection, AnyToOne][] =>
      relation.kind === 'a2o' && relation.allowed.some((end) => end.collection === name)
        ? [[collection, relation]]
        : [],
    );
  });
}

/** Items of many-to-any relations store the name of the collection that they refer to. */
async function renameStoredNames(
  { run }: Alteration,
  relations: readonly [Collection, AnyToOne][],
  { collection: from, to }: RenamedCollection,
): Promise<void> {
  for (const [{ table }, { discriminator }] of relations) {
    if (table === null) continue;
    const column = identifier(discriminator);
    await run(sql`UPDATE ${identifier(table.schema, table.name)} SET ${column} = ${to}
      WHERE ${column} = ${from}`);
  }
}

/**
 * Renames a collection. Items, permissions, presets, relations, comments and history stay with it.
 * @throws FORBIDDEN for an unknown collection and for system collections
 * @throws INVALID_PAYLOAD when another collection, table or type has the new name
 */
export async function renameCollection(
  alteration: Alteration,
  rename: RenamedCollection,
): Promise<void> {
  const { catalog, home, run, system } = alteration;
  const { collection: from, to } = rename;
  const collection = catalog.collections.get(from);
  if (collection === undefined || collection.system) {
    throw forbidden(reason('no_collection_to_change', { name: from }));
  }
  if (from === to) return;
  const { table } = collection;
  const taken = await takenNames(alteration, table?.schema ?? home, [to]);
  if (taken.has(to)) throw invalidPayload(reason('collection_name_taken', { name: to }));
  const reverse = await renamedReverseFields(new RenamedNames(catalog, [], rename));
  const names = new RenamedNames(catalog, reverse, rename);
  const relations = relationsByName(catalog, from);
  const renameLaterHistory = await renameHistory(alteration, names);
  const locks = relations.flatMap(([{ table: owner }]): TableLock[] =>
    owner === null ? [] : [{ ...owner, mode: 'SHARE ROW EXCLUSIVE' }],
  );
  if (table !== null) {
    await alteration.lock([...locks.filter((lock) => lock.name !== table.name), table]);
    await run(alterTable(table, sql`RENAME TO ${identifier(to)}`));
    await renameLaterHistory();
  } else if (locks.length > 0) await alteration.lock(locks);
  await renameStoredNames(alteration, relations, rename);
  // What was stored for an earlier collection of the new name must not apply to this one.
  await forgetFormer(alteration, [to]);
  for (const stored of ['permissions', 'presets']) {
    await run(sql`DELETE FROM ${systemTable(system, stored)} WHERE collection = ${to}`);
  }
  await revokeFields(
    alteration,
    reverse.map((one) => ({ collection: one.collection, field: one.to })),
  );
  await renameReferences(alteration, names);
}
