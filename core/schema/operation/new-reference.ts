/** Relations from new collections to existing ones. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { indexName } from '../index-name.ts';
import type { NewReference } from '../schema-change.ts';
import type { Alteration } from '../schema-change-context.ts';
import { addForeignKey, type ForeignKeyRequest } from './foreign-key.ts';
import { isForeignKeyTable, referencedSide } from './relation-end.ts';
import { insertRelation } from './relation-meta.ts';
import { defaultReverseField, revokeFields } from './revoke-field-rights.ts';

/**
 * The foreign key of a new table.
 * @throws INVALID_PAYLOAD when the other collection does not exist, or has no single key or table
 */
export function referenceKey(
  { catalog, home }: Pick<Alteration, 'catalog' | 'home'>,
  { collection, field, related_collection: related }: NewReference,
): ForeignKeyRequest {
  const { one, key } = referencedSide(catalog, related);
  const target = isForeignKeyTable(one);
  if (target === null)
    throw invalidPayload(reason('no_collection_with_table', { collection: related }));
  return {
    name: indexName(collection, field, 'foreign'),
    table: { schema: home, name: collection },
    columns: [field],
    target: { schema: target.schema, name: target.name },
    targetColumns: [key.column.name],
    onDelete: 'NO ACTION',
    onUpdate: 'NO ACTION',
  };
}

/** Creates the foreign key of a field of a new, empty table, its index and its metadata. */
export async function addReference(
  alteration: Alteration,
  { collection, field, related_collection: related }: NewReference,
  key: ForeignKeyRequest,
): Promise<void> {
  await addForeignKey(alteration, key);
  await alteration.index({ collection, field, table: key.table, unique: false });
  await insertRelation(alteration, { collection, field, related, meta: {} });
  await revokeFields(alteration, defaultReverseField(alteration.catalog, related, collection));
}
