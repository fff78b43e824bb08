/** Chooses the operation for each kind of change. */
import * as v from 'valibot';
import { applyDiff } from './operation/apply-snapshot.ts';
import { createCollections, updateCollections } from './operation/collection.ts';
import { deleteCollection } from './operation/collection-delete.ts';
import { createField } from './operation/field.ts';
import { deleteField } from './operation/field-delete.ts';
import { updateFields } from './operation/field-update.ts';
import { createRelation, deleteRelation, updateRelation } from './operation/relation.ts';
import { renameCollection } from './rename/rename-collection.ts';
import { renameField } from './rename/rename-field.ts';
import type { SchemaChange } from './schema-change.ts';
import type { Alteration } from './schema-change-context.ts';
import { schemaDiff } from './snapshot-diff.ts';

/**
 * Makes a change within the transaction.
 * @throws {ServiceError} when it is not possible; the transaction must then be rolled back
 */
export async function runSchemaChange(alteration: Alteration, change: SchemaChange): Promise<void> {
  switch (change.kind) {
    case 'collections.create':
      return await createCollections(alteration, change.collections, change.references);
    case 'collections.update':
      return await updateCollections(alteration, change.updates);
    case 'collections.delete':
      return await deleteCollection(alteration, change.collection);
    case 'collections.rename':
      return await renameCollection(alteration, change);
    case 'fields.create':
      return await createField(alteration, change.collection, change.field);
    case 'fields.update':
      return await updateFields(alteration, change.collection, change.fields);
    case 'fields.delete':
      return await deleteField(alteration, change);
    case 'fields.rename':
      return await renameField(alteration, change);
    case 'relations.create':
      return await createRelation(alteration, change.relation);
    case 'relations.update':
      return await updateRelation(alteration, change, {
        schema: change.schema ?? null,
        meta: change.meta ?? null,
      });
    case 'relations.delete':
      return await deleteRelation(alteration, change);
    case 'apply': {
      const { hash, force } = change;
      const diff = v.parse(schemaDiff, change.diff);
      return await applyDiff(
        { ...alteration, force: alteration.force || force },
        { hash, diff, force },
      );
    }
  }
}
