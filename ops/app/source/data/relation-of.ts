/** What kind of relation a field is, found in the relations of the installation. */
import type { Field, Relation } from './schema-types.ts';

export type RelationKind =
  | { readonly kind: 'm2o'; readonly relation: Relation; readonly related: string }
  | { readonly kind: 'o2m'; readonly relation: Relation; readonly related: string }
  | {
      readonly kind: 'm2m';
      /** From the junction to this collection. */
      readonly relation: Relation;
      readonly junction: string;
      /** The field of the junction that leads on. */
      readonly junctionField: string;
      readonly related: string;
    }
  | {
      readonly kind: 'm2a';
      readonly relation: Relation;
      readonly junction: string;
      readonly junctionField: string;
      /** The field of the junction that says of which collection an item is. */
      readonly collectionField: string;
      readonly allowed: readonly string[];
    };

/** The relation of a field; null for a field that is none. */
export function relationOf(
  relations: readonly Relation[],
  { collection, field }: Pick<Field, 'collection' | 'field'>,
): RelationKind | null {
  const toOne = relations.find((known) => known.collection === collection && known.field === field);
  if (toOne?.related_collection) {
    return { kind: 'm2o', relation: toOne, related: toOne.related_collection };
  }
  const back = relations.find(
    ({ meta, reverse, related_collection }) =>
      related_collection === collection && (meta?.one_field ?? reverse?.field) === field,
  );
  if (back === undefined) return null;
  const junctionField = back.meta?.junction_field ?? back.reverse?.junction_field;
  const onward = relations.find(
    (known) => known.collection === back.collection && known.field === junctionField,
  );
  if (!junctionField || onward === undefined) {
    return { kind: 'o2m', relation: back, related: back.collection };
  }
  const common = { relation: back, junction: back.collection, junctionField } as const;
  const { meta, related_collection: related } = onward;
  if (related) return { kind: 'm2m', ...common, related };
  return {
    kind: 'm2a',
    ...common,
    collectionField: meta?.one_collection_field ?? 'collection',
    allowed: meta?.one_allowed_collections ?? [],
  };
}

/** Whether an item that is taken out of a list is deleted: the rows of a junction always are. */
export function deletesRemoved({ kind, relation }: RelationKind): boolean {
  if (kind !== 'o2m') return true;
  const { meta, reverse } = relation;
  return (meta?.one_deselect_action ?? reverse?.deselect_action) === 'delete';
}

/**
 * The lists of a collection that no metadata describes: for each foreign key that leads to it, the
 * items that refer to an item.
 */
export function undescribedLists(
  collection: string,
  fields: readonly Field[],
  relations: readonly Relation[],
): readonly Field[] {
  const known = new Set(fields.map(({ field }) => field));
  const names = relations.flatMap(({ related_collection: related, reverse }) =>
    related === collection && reverse && !known.has(reverse.field) ? [reverse.field] : [],
  );
  return [...new Set(names)].map((field) => ({
    ...{ collection, field, type: 'alias', schema: null, meta: null },
  }));
}
