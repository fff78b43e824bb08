/**
 * The relations from a collection's own columns: from the metadata if there is a row, otherwise
 * from the foreign keys.
 */
import type { Catalog, Collection } from './catalog.ts';
import type { ForeignKeyDescriptor, RelationMeta, TableDescriptor } from './descriptor.ts';
import type { AnyToOne, End, ManyToOne } from './relation.ts';

export type Pointer = ManyToOne | AnyToOne;

/** All collections, and the receiver of warnings. */
export interface Scope {
  readonly collections: Catalog['collections'];
  /** Collections by the table behind them; see {@link tableKey}. */
  readonly byTable: ReadonlyMap<string, Collection>;
  warn(sentence: string): void;
}

export function tableKey(schema: string, table: string): string {
  return JSON.stringify([schema, table]);
}

/** Whether the columns exist in the catalog; a hidden column does not. */
function has(collection: Collection, columns: readonly string[]): boolean {
  return columns.every((column) => (collection.fields.get(column)?.column ?? null) !== null);
}

/** The single column of a collection's key; null when the key is missing or has several columns. */
function keyOf(collection: Collection | undefined): End | null {
  const [key, ...rest] = collection?.primaryKey ?? [];
  if (collection === undefined || key === undefined || rest.length > 0) return null;
  return { collection: collection.name, columns: [key.name] };
}

/** The foreign keys that point to a collection. */
function usableKeys(table: TableDescriptor, collection: Collection, scope: Scope) {
  return table.foreignKeys.flatMap((foreignKey) => {
    const target = scope.byTable.get(tableKey(foreignKey.targetSchema, foreignKey.targetTable));
    if (target === undefined) return [];
    const complete = has(collection, foreignKey.columns) && has(target, foreignKey.targetColumns);
    return complete ? [{ foreignKey, target }] : [];
  });
}

type UsableKey = ReturnType<typeof usableKeys>[number];

function constrained(
  { name }: Collection,
  field: string,
  { foreignKey, target }: UsableKey,
  meta: RelationMeta | null,
): ManyToOne {
  return {
    kind: 'm2o',
    collection: name,
    field,
    derived: meta === null,
    meta,
    many: { collection: name, columns: foreignKey.columns },
    one: { collection: target.name, columns: foreignKey.targetColumns },
    foreignKey,
  };
}

function any(collection: Collection, meta: RelationMeta, scope: Scope): AnyToOne | null {
  const { manyField: field, oneCollectionField: discriminator } = meta;
  const place = `${collection.name}.${field}`;
  if (discriminator === null || !has(collection, [field, discriminator])) {
    scope.warn(`The relation ${place} is passed over: it needs two columns that are not there.`);
    return null;
  }
  const allowed = (meta.oneAllowedCollections ?? []).flatMap((name) => {
    const key = keyOf(scope.collections.get(name));
    if (key === null) scope.warn(`The relation ${place} allows ${name}, which has no single key.`);
    return key === null ? [] : [key];
  });
  const many = { collection: collection.name, columns: [field] };
  return {
    kind: 'a2o',
    collection: collection.name,
    field,
    derived: false,
    meta,
    many,
    discriminator,
    allowed,
  };
}

function fromMeta(
  collection: Collection,
  meta: RelationMeta,
  keys: readonly UsableKey[],
  scope: Scope,
): Pointer | null {
  const { manyField: field, oneCollection } = meta;
  if (oneCollection === null) return any(collection, meta, scope);
  const key = keys.find(
    ({ foreignKey, target }) => target.name === oneCollection && fieldName(foreignKey) === field,
  );
  if (key !== undefined) return constrained(collection, field, key, meta);
  const one = keyOf(scope.collections.get(oneCollection));
  if (one === null || !has(collection, [field])) {
    const missing = one === null ? `${oneCollection} has no single key` : 'there is no such column';
    scope.warn(`The relation ${collection.name}.${field} is passed over: ${missing}.`);
    return null;
  }
  const many = { collection: collection.name, columns: [field] };
  return {
    kind: 'm2o',
    collection: collection.name,
    field,
    derived: false,
    meta,
    many,
    one,
    foreignKey: null,
  };
}

/** A foreign key is addressed by its column, or by its own name when it has several. */
function fieldName({ columns, name }: ForeignKeyDescriptor): string {
  const [column, ...rest] = columns;
  return column === undefined || rest.length > 0 ? name : column;
}

/** The relations of a collection's own columns by field. */
export function findPointers(collection: Collection, scope: Scope): Map<string, Pointer> {
  const pointers = new Map<string, Pointer>();
  const { table, descriptor } = collection;
  if (table === null) return pointers;
  const keys = usableKeys(table, collection, scope);
  for (const meta of descriptor.relations) {
    const pointer = fromMeta(collection, meta, keys, scope);
    if (pointer !== null) pointers.set(meta.manyField, pointer);
  }
  for (const key of keys) {
    const { name, columns } = key.foreignKey;
    const own = fieldName(key.foreignKey);
    const holder = pointers.get(own);
    if (holder !== undefined && holder.meta !== null) continue;
    // A second foreign key of the same column uses its own name.
    const field = holder === undefined ? own : name;
    const isColumn = field === own && columns.length === 1;
    if (!isColumn && collection.fields.has(field)) {
      scope.warn(`The foreign key ${name} of ${collection.name} has the name of a field.`);
      continue;
    }
    pointers.set(field, constrained(collection, field, key, null));
  }
  return pointers;
}
