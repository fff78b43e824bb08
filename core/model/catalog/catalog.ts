/**
 * The catalog: an immutable, versioned description of the database with collections, fields, keys
 * and relations. Built from a descriptor; never changed afterwards.
 */

import type { ColumnCodec } from './column-codec.ts';
import type {
  CollectionDescriptor,
  CollectionMeta,
  ColumnDescriptor,
  FieldMeta,
  TableDescriptor,
  UnservedTable,
} from './descriptor.ts';
import type { FieldType } from './field-type.ts';
import type { Relations } from './relation.ts';

/** A field: a column, or an alias for related items or for screens. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Null for an alias. */
  readonly column: ColumnDescriptor | null;
  /** How the column stores values of the type; null when it is the column's own type. */
  readonly codec: ColumnCodec | null;
  readonly special: readonly string[];
  readonly meta: FieldMeta | null;
}

/** A field that is a column. */
export interface ColumnField extends Field {
  readonly column: ColumnDescriptor;
}

/** Whether the field exists and is a column. */
export function isColumn(field: Field | undefined): field is ColumnField {
  return field !== undefined && field.column !== null;
}

/** A collection: a table, a view, or a folder without either. */
export interface Collection {
  readonly name: string;
  readonly table: TableDescriptor | null;
  readonly meta: CollectionMeta | null;
  /** A system collection; never served under `/items`. */
  readonly system: boolean;
  readonly singleton: boolean;
  /** In the order of the columns, aliases last. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The key's fields in key order; empty when items cannot be addressed or written. */
  readonly primaryKey: readonly ColumnField[];
  readonly descriptor: CollectionDescriptor;
}

/** The whole catalog. Unchanged collections are the same objects in the next version. */
export interface Catalog {
  readonly version: number;
  /** In the order of their names. */
  readonly collections: ReadonlyMap<string, Collection>;
  /** The relations that start from each collection; one without relations has no entry. */
  readonly relations: ReadonlyMap<string, Relations>;
  readonly leftOut: readonly UnservedTable[];
  /** Ignored metadata, one sentence each. */
  readonly warnings: readonly string[];
}

/** The served schemas in order, and the schema of the system tables. */
export interface CatalogSchemas {
  readonly schemas: readonly string[];
  readonly system: string;
}

/** Replaces a value that is set but never returned. */
export const CONCEALED = '**********';

/** Whether a field's values are never returned: hashed values are concealed, whatever the type. */
export function isConcealed({ type, special }: Pick<Field, 'type' | 'special'>): boolean {
  return type === 'hash' || special.includes('hash') || special.includes('conceal');
}

/** The field of this name that has a column; null where there is none. */
export function columnOf(collection: Collection | null, name: string): ColumnField | null {
  const field = collection?.fields.get(name);
  return isColumn(field) ? field : null;
}
