/**
 * The immutable, versioned picture of the database that every request is answered from: collections
 * with their fields, keys and relations. Built from a descriptor; never changed afterwards.
 */
import type {
  CollectionDescriptor,
  CollectionMeta,
  ColumnDescriptor,
  FieldMeta,
  LeftOut,
  TableDescriptor,
} from './descriptor.ts';
import type { FieldType } from './field-type.ts';
import type { Relations } from './relation.ts';
import type { StoredForm } from './stored-form.ts';

/** A field: a column, or an alias that stands for related items or for the screen only. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Null for an alias. */
  readonly column: ColumnDescriptor | null;
  /** How the column keeps values of the type; null where that is the column's own type. */
  readonly stored: StoredForm | null;
  readonly special: readonly string[];
  readonly meta: FieldMeta | null;
}

/** A field that is a column. */
export interface ColumnField extends Field {
  readonly column: ColumnDescriptor;
}

/** A collection: a table, a view, or a folder without either. */
export interface Collection {
  readonly name: string;
  readonly table: TableDescriptor | null;
  readonly meta: CollectionMeta | null;
  /** Belongs to Sluice itself; never served under `/items`. */
  readonly system: boolean;
  readonly singleton: boolean;
  /** In the order of the columns, aliases last. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The key's fields in key order; empty when items cannot be addressed or written. */
  readonly primaryKey: readonly ColumnField[];
  readonly descriptor: CollectionDescriptor;
}

/** The whole picture. What did not change from one version to the next is the same object in both. */
export interface Catalog {
  readonly version: number;
  /** In the order of their names. */
  readonly collections: ReadonlyMap<string, Collection>;
  /** The relations that start from each collection; one without relations has no entry. */
  readonly relations: ReadonlyMap<string, Relations>;
  readonly leftOut: readonly LeftOut[];
  /** What in the metadata was passed over, a sentence each. */
  readonly warnings: readonly string[];
}
