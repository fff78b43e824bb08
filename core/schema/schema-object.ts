/**
 * The API representation of collections and fields: plain objects derived from the catalog alone.
 * Does not check permissions; relations are in `relation-object.ts`.
 */
import type { Collection, Field } from '#core/model/catalog/catalog.ts';
import type { TableDescriptor } from '#core/model/catalog/descriptor.ts';
import type { FieldType } from '#core/model/catalog/field-type.ts';
import { isBuiltIn } from '#core/model/catalog/system-descriptors.ts';
import { defaultRow, SYSTEM_COLLECTIONS } from '#core/model/system-collections/registry.ts';
import { type ColumnObject, columnObject } from './column-object.ts';

/** The columns of a metadata row; `system: true` for a system collection. */
export type MetaObject = Readonly<Record<string, unknown>>;

export interface CollectionObject {
  readonly collection: string;
  /** The row of `system_collections`; null for a table without one. */
  readonly meta: MetaObject | null;
  /** Null for a folder. */
  readonly schema: {
    readonly schema: string;
    readonly name: string;
    readonly comment: string | null;
    /** The fields of a composite key, in its order; missing for other keys. */
    readonly primary_key?: readonly string[];
  } | null;
}

export interface FieldObject {
  readonly collection: string;
  readonly field: string;
  readonly type: FieldType;
  /** The row of `system_fields`; null for a column without one. */
  readonly meta: MetaObject | null;
  /** Null for an alias. */
  readonly schema: ColumnObject | null;
}

/** An empty row of `system_collections`. */
export const COLLECTION_META: MetaObject = defaultRow('collections', ['collection']);

/** An empty row of `system_fields`. */
export const FIELD_META: MetaObject = defaultRow('fields', ['id', 'collection', 'field']);

function collectionMeta({ name, meta, singleton, system }: Collection): MetaObject | null {
  const row = meta?.row ?? null;
  if (!system) return row;
  return { collection: name, ...COLLECTION_META, singleton, ...row, system: true };
}

function tableObject({ schema, name, comment, primaryKey }: TableDescriptor) {
  const isWide = primaryKey !== null && primaryKey.length > 1;
  return { schema, name, comment, ...(isWide ? { primary_key: primaryKey } : {}) };
}

/** The API representation of a collection. */
export function collectionObject(collection: Collection): CollectionObject {
  const { name, table } = collection;
  return {
    collection: name,
    meta: collectionMeta(collection),
    schema: table === null ? null : tableObject(table),
  };
}

/** A text unchanged; other values as JSON text. */
function asText(value: unknown): unknown {
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

/** Whether only the server writes a field of a system collection. */
function isKept(collection: string, field: string): boolean {
  const { type = null, writable } = SYSTEM_COLLECTIONS.get(collection)?.fields[field] ?? {};
  return type !== null && writable !== true;
}

function fieldMeta(collection: Collection, field: Field): MetaObject | null {
  const builtIn = isBuiltIn(collection, field.name);
  if (!builtIn && field.meta === null) return null;
  const row = field.meta?.row ?? {};
  const special = field.special.length === 0 ? null : field.special.join(',');
  const display_options = asText(row.display_options ?? null);
  if (!builtIn) return { ...row, special, display_options };
  const key = { id: null, collection: collection.name, field: field.name };
  const readonly = isKept(collection.name, field.name);
  return { ...key, ...FIELD_META, ...row, readonly, special, display_options, system: true };
}

/**
 * The API representation of a field.
 * @param building an index of this field is being built, or waits for it
 */
export function fieldObject(collection: Collection, field: Field, building = false): FieldObject {
  const { table, name } = collection;
  const { column, type } = field;
  return {
    collection: name,
    field: field.name,
    type,
    meta: fieldMeta(collection, field),
    schema: table === null || column === null ? null : columnObject(table, column, type, building),
  };
}
