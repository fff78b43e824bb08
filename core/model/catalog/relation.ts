/**
 * Relations between items: one for each field that leads from a collection to other collections.
 * They contain names, not objects of the catalog, so a relation stays valid while other collections
 * change.
 */
import type { ForeignKeyDescriptor, RelationMeta } from './descriptor.ts';

/** Columns that are compared with those of another collection, in the same order. */
export interface End {
  readonly collection: string;
  readonly columns: readonly string[];
}

interface RelationBase {
  /** The collection that the field belongs to. */
  readonly collection: string;
  /** The name of the relation in requests. */
  readonly field: string;
  /** Found by a foreign key alone; the metadata does not name this field. */
  readonly derived: boolean;
  /** The row of `system_relations`; null for a relation known from a foreign key alone. */
  readonly meta: RelationMeta | null;
}

/** Each item refers to one item of another collection: `articles.author`. */
export interface ManyToOne extends RelationBase {
  readonly kind: 'm2o';
  /** The field's own collection and the columns that hold the key. */
  readonly many: End;
  /** The referenced collection, and the columns of its key. */
  readonly one: End;
  /** The constraint in the database; null when only the metadata has the relation. */
  readonly foreignKey: ForeignKeyDescriptor | null;
}

/** Each item refers to one item of any of several collections: `pages_blocks.item`. */
export interface AnyToOne extends RelationBase {
  readonly kind: 'a2o';
  /** The field's own collection and the column that holds the key as text. */
  readonly many: End;
  /** The column that holds the name of the collection. */
  readonly discriminator: string;
  /** The collections that may be referenced, each with the column of its key. */
  readonly allowed: readonly End[];
}

/**
 * Each item has many items of another collection that refer to it: `authors.articles`.
 * For `m2m` and `m2a` those are rows of a junction, whose `junctionField` leads on: by an m2o to
 * one collection, or by an a2o to any of several.
 */
export interface ToMany extends RelationBase {
  readonly kind: 'o2m' | 'm2m' | 'm2a';
  /** The field's own collection and the referenced columns. */
  readonly one: End;
  /** The collection of the related items and the columns that refer back. */
  readonly many: End;
  /** The name of the m2o on the related items that this is the reverse of. */
  readonly manyField: string;
  /** The field of the junction that leads on; null for `o2m`. */
  readonly junctionField: string | null;
  /** The column of the related items that holds their order. */
  readonly sortField: string | null;
  /** The effect on an item that is removed from the relation. */
  readonly deselect: 'nullify' | 'delete';
  /** Whether an index supports the search for the related items of one item. */
  readonly indexed: boolean;
}

export type Relation = ManyToOne | AnyToOne | ToMany;

/** The relations of one collection by their field names. */
export type Relations = ReadonlyMap<string, Relation>;
