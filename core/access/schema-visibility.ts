/**
 * The part of the catalog that is visible to a writing caller: collections and fields with any
 * permission. Invisible parts are treated as nonexistent.
 */
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, End, Relation } from '#core/model/catalog/relation.ts';
import { ACTIONS, type Rights } from './rights.ts';

/** Whether the caller has any permission on a collection. */
export function canSeeCollection(rights: Rights, collection: string): boolean {
  return ACTIONS.some((action) => rights.of(collection, action).length > 0);
}

/** The actions whose permissions contain fields. */
const OF_FIELDS = ['create', 'read', 'update'] as const;

/** Whether a permission of the caller contains a field. */
export function canSeeField(rights: Rights, collection: string, field: string): boolean {
  return OF_FIELDS.some((action) =>
    rights.of(collection, action).some(({ fields }) => fields === null || fields.has(field)),
  );
}

/** The relation of a field, if the field and the relation's target are visible to the caller. */
export function knownRelation(
  { relations }: Catalog,
  rights: Rights,
  collection: string,
  field: string,
): Relation | undefined {
  const relation = relations.get(collection)?.get(field);
  if (relation === undefined || rights.admin) return relation;
  if (!canSeeField(rights, collection, field)) return undefined;
  if (relation.kind === 'a2o') return relation;
  const target = relation.kind === 'm2o' ? relation.one.collection : relation.many.collection;
  return canSeeCollection(rights, target) ? relation : undefined;
}

/** The relations of a collection that are visible to the caller, by field. */
export function knownRelations(
  catalog: Catalog,
  rights: Rights,
  collection: string,
): ReadonlyMap<string, Relation> {
  const all = catalog.relations.get(collection) ?? new Map<string, Relation>();
  if (rights.admin) return all;
  return new Map([...all].filter(([name]) => knownRelation(catalog, rights, collection, name)));
}

/** The end of a many-to-any relation in a collection, if it is visible to the caller. */
export function knownEnd(
  rights: Rights,
  { allowed }: AnyToOne,
  collection: unknown,
): End | undefined {
  const end = allowed.find((entry) => entry.collection === collection);
  return end !== undefined && canSeeCollection(rights, end.collection) ? end : undefined;
}
