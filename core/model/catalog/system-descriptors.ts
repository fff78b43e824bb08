/**
 * Completes the descriptors of Sluice's own collections from their registry: the special flags of
 * their fields, their alias fields, and the relations between them. No table contains these.
 */
import type { Back, SystemCollection, SystemField } from '../system-collections/entry.ts';
import { systemName } from '../system-collections/name.ts';
import { SYSTEM_COLLECTIONS } from '../system-collections/registry.ts';
import type { CollectionDescriptor, FieldMeta, RelationMeta } from './descriptor.ts';

/**
 * Whether a field is a fixed part of Sluice: each one of a system collection, except those that an
 * installation has added to its users.
 */
export function isBuiltIn(
  collection: { readonly name: string; readonly system: boolean },
  field: string,
): boolean {
  if (!collection.system) return false;
  const entry = SYSTEM_COLLECTIONS.get(collection.name);
  return entry?.extensible !== true || Object.hasOwn(entry.fields, field);
}

function flagsOf({ special, secret }: SystemField): readonly string[] {
  return [...(special?.split(',') ?? []), ...(secret === true ? ['conceal'] : [])];
}

function fieldMetas(fields: SystemCollection['fields']): FieldMeta[] {
  return Object.entries(fields).flatMap(([field, facts]) => {
    const special = flagsOf(facts);
    if (special.length === 0) return [];
    return [{ field, special, searchable: true, required: false, row: {} }];
  });
}

/** Relations without a foreign key, or with a reverse field. */
function relationMetas(name: string, fields: SystemCollection['fields']): RelationMeta[] {
  return Object.entries(fields).flatMap(([field, { references, required }]) => {
    if (references === undefined) return [];
    const { collection: one, onDelete, back } = references;
    const ways: readonly (Back | null)[] = back ?? (onDelete === null ? [null] : []);
    return ways.map((way) => ({
      // They have no row in a table.
      id: 0,
      manyCollection: name,
      manyField: field,
      oneCollection: systemName(one),
      oneField: way?.field ?? null,
      oneCollectionField: null,
      oneAllowedCollections: null,
      junctionField: way?.junction ?? null,
      sortField: way?.sort ?? null,
      // A row that cannot exist without its parent is deleted when it is removed from it.
      oneDeselectAction: way?.junction !== undefined || required === true ? 'delete' : 'nullify',
    }));
  });
}

const described = new WeakMap<CollectionDescriptor, CollectionDescriptor>();

function describe(descriptor: CollectionDescriptor, entry: SystemCollection): CollectionDescriptor {
  const fields = fieldMetas(entry.fields);
  const relations = relationMetas(descriptor.name, entry.fields);
  const ownFields = new Set(fields.map(({ field }) => field));
  const ownRelations = new Set(relations.map(({ manyField }) => manyField));
  return {
    ...descriptor,
    // The registry takes precedence, so that a row of metadata cannot unmask a password.
    fields: [...fields, ...descriptor.fields.filter(({ field }) => !ownFields.has(field))],
    relations: [
      ...relations,
      ...descriptor.relations.filter(({ manyField }) => !ownRelations.has(manyField)),
    ],
  };
}

/**
 * The descriptor of a collection, completed for Sluice's own ones; the same object for the same
 * descriptor.
 */
export function withSystemFields(descriptor: CollectionDescriptor): CollectionDescriptor {
  const entry = SYSTEM_COLLECTIONS.get(descriptor.name);
  if (entry === undefined) return descriptor;
  const known = described.get(descriptor) ?? describe(descriptor, entry);
  described.set(descriptor, known);
  described.set(known, known);
  return known;
}
