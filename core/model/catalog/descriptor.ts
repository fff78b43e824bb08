/**
 * The serialized form of the catalog: the result of introspection, and the format that processes
 * exchange. Plain JSON, no methods, no cycles; `catalog.ts` interprets it.
 */
import type { TableDescriptor } from '#core/database/table-descriptor.ts';

export type {
  ColumnDescriptor,
  ForeignKeyDescriptor,
  IndexDescriptor,
  ReferentialAction,
  TableDescriptor,
  TableKind,
} from '#core/database/table-descriptor.ts';

/** The parts of a row of `system_collections` that are used here. */
export interface CollectionMeta {
  readonly singleton: boolean;
  readonly sortField: string | null;
  readonly accountability: 'all' | 'activity' | null;
  /** All columns of the metadata row, for the routes that show it. */
  readonly row: Readonly<Record<string, unknown>>;
}

/** A row of `system_fields`. */
export interface FieldMeta {
  readonly field: string;
  readonly special: readonly string[];
  readonly searchable: boolean;
  readonly required: boolean;
  readonly row: Readonly<Record<string, unknown>>;
}

/** A row of `system_relations`. */
export interface RelationMeta {
  readonly id: number;
  readonly manyCollection: string;
  readonly manyField: string;
  readonly oneCollection: string | null;
  readonly oneField: string | null;
  readonly oneCollectionField: string | null;
  readonly oneAllowedCollections: readonly string[] | null;
  readonly junctionField: string | null;
  readonly sortField: string | null;
  readonly oneDeselectAction: 'nullify' | 'delete';
}

/** Everything about one collection; the unit of comparison, publication and swapping. */
export interface CollectionDescriptor {
  readonly name: string;
  /** Null for a folder: a collection without a table. */
  readonly table: TableDescriptor | null;
  readonly meta: CollectionMeta | null;
  readonly fields: readonly FieldMeta[];
  /** Relations whose many side is this collection. */
  readonly relations: readonly RelationMeta[];
}

/** A table that cannot be served, and why. */
export interface UnservedTable {
  readonly schema: string;
  /** Empty when the schema itself does not exist. */
  readonly name: string;
  readonly reason: string;
}

/** The complete serialized catalog. */
export interface CatalogDescriptor {
  readonly version: number;
  readonly collections: readonly CollectionDescriptor[];
  readonly leftOut: readonly UnservedTable[];
}
