/**
 * How the key of a many-to-any relation, stored as text, compares with the keys of each collection.
 */
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { ColumnDescriptor } from '#core/model/catalog/descriptor.ts';
import type { End } from '#core/model/catalog/relation.ts';

/** Patterns of texts that can be cast to the key's type; other texts match no item. */
export const CASTABLE: Readonly<Record<string, string>> = {
  int2: '^-?[0-9]{1,18}$',
  int4: '^-?[0-9]{1,18}$',
  int8: '^-?[0-9]{1,18}$',
  uuid: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
};

export const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'citext']);

/** The key column of a collection that may be referenced. */
export function anyKey({ table }: Collection, end: End): ColumnDescriptor | undefined {
  return table?.columns.find((column) => column.name === (end.columns[0] ?? ''));
}

/** Whether the key's index can find the item. */
export function anyEndIndexed(collection: Collection, end: End): boolean {
  const { typeName } = anyKey(collection, end) ?? {};
  return typeName !== undefined && (CASTABLE[typeName] !== undefined || TEXTS.has(typeName));
}
