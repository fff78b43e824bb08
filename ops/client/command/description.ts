/** What types are written from: collections, fields and relations, as the API shows them. */

export type Members = Readonly<Record<string, unknown>>;

export interface ShownCollection {
  readonly collection: string;
  readonly meta: Members | null;
  /** Null for a folder. */
  readonly schema: Members | null;
}

export interface ShownField {
  readonly collection: string;
  readonly field: string;
  readonly type: string;
  readonly meta: Members | null;
  /** Null for a field without a column. */
  readonly schema: Members | null;
}

export interface ShownRelation {
  readonly collection: string;
  readonly field: string;
  /** Null for a many-to-any. */
  readonly related_collection: string | null;
  readonly meta: Members | null;
  /** The foreign key, or null. */
  readonly schema: Members | null;
}

/** What the token may do with a collection, as far as it matters for types. */
export interface Rights {
  /** Reads every item. */
  readonly readsAll: boolean;
  /** The fields that it reads; `*` stands for all. */
  readonly fields: readonly string[];
  /** Fields that are given values when an item is created. */
  readonly presets: readonly string[];
}

export interface Description {
  readonly collections: readonly ShownCollection[];
  readonly fields: readonly ShownField[];
  readonly relations: readonly ShownRelation[];
  /** By collection; null where everything may be read. */
  readonly rights: ReadonlyMap<string, Rights> | null;
  /** Whether Sluice's own collections are among the collections. */
  readonly hasSystem: boolean;
}

/** A failure that the command tells without a stack. */
export class CommandError extends Error {}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function membersOrNull(value: unknown): Members | null {
  return isMembers(value) ? value : null;
}

function listOf(value: unknown, what: string): readonly Members[] {
  if (Array.isArray(value) && value.every(isMembers)) return value;
  throw new CommandError(`The list of ${what} is not as expected.`);
}

function nameIn(entry: Members, member: string, what: string): string {
  const name = textOf(entry[member]);
  if (name !== null) return name;
  throw new CommandError(`One of the ${what} has no "${member}".`);
}

export function readCollections(value: unknown): ShownCollection[] {
  return listOf(value, 'collections').map((entry) => ({
    collection: nameIn(entry, 'collection', 'collections'),
    meta: membersOrNull(entry.meta),
    schema: membersOrNull(entry.schema),
  }));
}

export function readFields(value: unknown): ShownField[] {
  return listOf(value, 'fields').map((entry) => ({
    collection: nameIn(entry, 'collection', 'fields'),
    field: nameIn(entry, 'field', 'fields'),
    type: textOf(entry.type) ?? 'alias',
    meta: membersOrNull(entry.meta),
    schema: membersOrNull(entry.schema),
  }));
}

export function readRelations(value: unknown): ShownRelation[] {
  return listOf(value, 'relations').map((entry) => ({
    collection: nameIn(entry, 'collection', 'relations'),
    field: nameIn(entry, 'field', 'relations'),
    related_collection: textOf(entry.related_collection),
    meta: membersOrNull(entry.meta),
    schema: membersOrNull(entry.schema),
  }));
}

/**
 * Reads a snapshot.
 * @throws CommandError when it is none
 */
export function readSnapshot(value: unknown): Description {
  const outer = isMembers(value) && isMembers(value.data) ? value.data : value;
  if (!isMembers(outer) || outer.vendor !== 'postgres') {
    throw new CommandError('The file is not a snapshot of a schema.');
  }
  return {
    collections: readCollections(outer.collections),
    fields: readFields(outer.fields),
    relations: readRelations(outer.relations),
    rights: null,
    hasSystem: false,
  };
}
