/** Finds the relations of each collection with their names, as the server does. */
import { type Description, type ShownRelation, textOf, textsOf } from './description.ts';

interface ToOne {
  readonly kind: 'one';
  readonly to: string;
  /** The columns that hold the key. */
  readonly columns: readonly string[];
  /** No foreign key guards that the item is there. */
  readonly isLoose: boolean;
}

interface ToAny {
  readonly kind: 'any';
  readonly to: readonly string[];
  readonly by: string;
}

interface ToMany {
  readonly kind: 'many';
  readonly to: string;
  readonly by: string;
}

export type Relation = ToOne | ToAny | ToMany;

/** Relations by collection and field. */
export type Relations = ReadonlyMap<string, ReadonlyMap<string, Relation>>;

/** Reverse fields of Sluice's own collections beside the first of a relation, which alone is shown. */
const FURTHER = [
  { one: 'system_policies', field: 'users', many: 'system_access', by: 'policy' },
  { one: 'system_policies', field: 'roles', many: 'system_access', by: 'policy' },
] as const;

type Graph = Map<string, Map<string, Relation>>;

class Naming {
  readonly graph: Graph = new Map();
  readonly #fields: ReadonlyMap<string, ReadonlyMap<string, boolean>>;
  readonly #tables: ReadonlySet<string>;
  readonly #hasSystem: boolean;

  constructor({ collections, fields, hasSystem }: Description) {
    this.#hasSystem = hasSystem;
    const byName = new Map<string, Map<string, boolean>>();
    for (const { collection, field, schema } of fields) {
      const own = byName.get(collection) ?? new Map<string, boolean>();
      byName.set(collection, own.set(field, schema !== null));
    }
    this.#fields = byName;
    this.#tables = new Set(
      collections.flatMap(({ collection, schema }) => (schema === null ? [] : [collection])),
    );
  }

  isTable(name: string): boolean {
    // A snapshot names Sluice's own collections without describing them.
    return this.#tables.has(name) || (!this.#hasSystem && name.startsWith('system_'));
  }

  isColumn(collection: string, field: string): boolean {
    return this.#fields.get(collection)?.get(field) === true;
  }

  isTaken(collection: string, name: string): boolean {
    return (
      this.#fields.get(collection)?.has(name) === true ||
      this.graph.get(collection)?.has(name) === true
    );
  }

  place(collection: string, field: string, relation: Relation): void {
    const own = this.graph.get(collection) ?? new Map<string, Relation>();
    if (relation.kind === 'many' && (this.isColumn(collection, field) || own.has(field))) return;
    this.graph.set(collection, own.set(field, relation));
  }
}

/** The relation from the referring side; null when a part of it cannot be seen. */
function pointerOf(naming: Naming, shown: ShownRelation): ToOne | ToAny | null {
  const { collection, field, related_collection: to, meta, schema } = shown;
  if (to === null) {
    const by = textOf(meta?.one_collection_field);
    const allowed = textsOf(meta?.one_allowed_collections).filter((name) => naming.isTable(name));
    if (by === null || allowed.length === 0 || !naming.isColumn(collection, field)) return null;
    return { kind: 'any', to: allowed.sort(), by };
  }
  const columns = textOf(schema?.column)?.split(',') ?? [field];
  const isThere = columns.every((column) => naming.isColumn(collection, column));
  if (!naming.isTable(to) || !isThere) return null;
  return { kind: 'one', to, columns, isLoose: schema === null };
}

interface Unnamed {
  readonly parent: string;
  readonly child: string;
  readonly by: string;
}

/** The reverse of a key is named after the child, unless something else has or wants that name. */
function placeUnnamed(naming: Naming, unnamed: readonly Unnamed[]): void {
  const claimOf = ({ parent, child }: Unnamed) => JSON.stringify([parent, child]);
  const claims = new Map<string, number>();
  for (const one of unnamed) claims.set(claimOf(one), (claims.get(claimOf(one)) ?? 0) + 1);
  const named = unnamed.map((one) => {
    const { parent, child, by } = one;
    const isTaken = (claims.get(claimOf(one)) ?? 1) > 1 || naming.isTaken(parent, child);
    return { ...one, name: isTaken ? `${child}_by_${by}` : child };
  });
  for (const { parent, child, by, name } of named) {
    naming.place(parent, name, { kind: 'many', to: child, by });
  }
}

/** All relations that can be followed, from either side. */
export function findRelations(description: Description): Relations {
  const naming = new Naming(description);
  const unnamed: Unnamed[] = [];
  const pointers = description.relations.flatMap((shown) => {
    const pointer = pointerOf(naming, shown);
    return pointer === null ? [] : [{ shown, pointer }];
  });
  for (const { shown, pointer } of pointers) naming.place(shown.collection, shown.field, pointer);
  for (const { shown, pointer } of pointers) {
    if (pointer.kind === 'any') continue;
    const { collection: child, field: by, meta } = shown;
    const name = textOf(meta?.one_field);
    if (name === null) unnamed.push({ parent: pointer.to, child, by });
    else naming.place(pointer.to, name, { kind: 'many', to: child, by });
  }
  for (const { one, field, many, by } of FURTHER) {
    if (!naming.isTaken(one, field) || naming.graph.get(many)?.get(by) === undefined) continue;
    naming.place(one, field, { kind: 'many', to: many, by });
  }
  placeUnnamed(naming, unnamed);
  return naming.graph;
}
