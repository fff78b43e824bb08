/** Gives a field another name: its column, and every place that refers to it. */
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { identifier, sql } from '#core/database/sql.ts';
import { alterTable } from '../operation/field.ts';
import { collectionOfField, requireField } from '../operation/find-target.ts';
import { revokeFields } from '../operation/revoke-field-rights.ts';
import type { Alteration } from '../schema-change-context.ts';
import { renameHistory } from './rename-history.ts';
import { renameReferences } from './rename-references.ts';
import { renamedReverseFields } from './renamed-descriptor.ts';
import { type RenamedField, RenamedNames } from './renamed-names.ts';

/**
 * Renames a field. Values, permissions, presets, relations and history stay with it.
 * @throws FORBIDDEN when the field does not exist, or belongs to a system collection
 * @throws INVALID_PAYLOAD when another field or relation has the new name
 */
export async function renameField(alteration: Alteration, rename: RenamedField): Promise<void> {
  const { catalog, run } = alteration;
  const { collection: name, field: from, to } = rename;
  const collection = collectionOfField(catalog, name, from);
  const field = requireField(collection, from);
  if (from === to) return;
  if (collection.fields.has(to) || catalog.relations.get(name)?.has(to)) {
    throw invalidPayload(reason('field_name_taken', { collection: name, field: to }));
  }
  const reverse = await renamedReverseFields(new RenamedNames(catalog, [rename]));
  const names = new RenamedNames(catalog, [rename, ...reverse]);
  const { table } = collection;
  const renameLaterHistory = await renameHistory(alteration, names);
  if (table !== null && field.column !== null) {
    await alteration.lock([table]);
    const columns = sql`${identifier(from)} TO ${identifier(to)}`;
    await run(alterTable(table, sql`RENAME COLUMN ${columns}`));
    await renameLaterHistory();
  }
  // Permissions may name a field that does not exist; they must not apply to this one.
  await revokeFields(
    alteration,
    names.fields.map((one) => ({ collection: one.collection, field: one.to })),
  );
  await renameReferences(alteration, names);
}
