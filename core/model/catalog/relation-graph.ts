/**
 * All relations of all collections: the own ones, and the reverse of each, named by the metadata or
 * after the referring collection.
 */

import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Catalog, Collection } from './catalog.ts';
import { findPointers, type Pointer, type Scope, tableKey } from './column-relations.ts';
import type { TableDescriptor } from './descriptor.ts';
import type { ManyToOne, Relation, Relations, ToMany } from './relation.ts';

type Graph = Map<string, Map<string, Relation>>;

/** Whether a complete, valid index begins with these columns, in any order. */
export function isIndexed(table: TableDescriptor | null, columns: readonly string[]): boolean {
  if (table === null) return false;
  return table.indexes.some(({ valid, partial, method, columns: indexed }) => {
    const leading = new Set(indexed.slice(0, columns.length));
    const usable = valid && !partial && (method === 'btree' || method === 'hash');
    return usable && columns.every((column) => leading.has(column));
  });
}

/** The column that sorts the related items, when the metadata names an existing one. */
function sortColumn(child: Collection, pointer: ManyToOne, scope: Scope): string | null {
  const sort = pointer.meta?.sortField ?? null;
  if (sort === null || (child.fields.get(sort)?.column ?? null) !== null) return sort;
  scope.warn(
    `The relation ${child.name}.${pointer.field} is sorted by ${sort}, which is no column.`,
  );
  return null;
}

/** Whether the related items are a junction, and its target. */
function junction(siblings: ReadonlyMap<string, Pointer>, pointer: ManyToOne, scope: Scope) {
  const field = pointer.meta?.junctionField ?? null;
  if (field === null) return { kind: 'o2m', junctionField: null } as const;
  const onward = siblings.get(field);
  if (onward === undefined) {
    const place = `${pointer.collection}.${pointer.field}`;
    scope.warn(`The relation ${place} continues through ${field}, which is not a relation.`);
    return { kind: 'o2m', junctionField: null } as const;
  }
  return { kind: onward.kind === 'a2o' ? 'm2a' : 'm2m', junctionField: field } as const;
}

/** A relation of a child, with the collection and the child's other relations. */
interface Reference {
  readonly child: Collection;
  readonly pointer: ManyToOne;
  readonly siblings: ReadonlyMap<string, Pointer>;
}

/**
 * Items that are identified by the item that they belong to, such as the lines of an order, cannot
 * be without it: their reference is part of their key.
 */
function isIdentifying(child: Collection, pointer: ManyToOne): boolean {
  const key = new Set(child.primaryKey.map(({ name }) => name));
  return pointer.many.columns.some((column) => key.has(column));
}

function reverse(reference: Reference, field: string, derived: boolean, scope: Scope): ToMany {
  const { child, pointer, siblings } = reference;
  return {
    ...junction(siblings, pointer, scope),
    collection: pointer.one.collection,
    field,
    derived,
    meta: pointer.meta,
    one: pointer.one,
    many: pointer.many,
    manyField: pointer.field,
    sortField: sortColumn(child, pointer, scope),
    deselect:
      pointer.meta?.oneDeselectAction ?? (isIdentifying(child, pointer) ? 'delete' : 'nullify'),
    indexed: isIndexed(child.table, pointer.many.columns),
  };
}

/** Adds a relation unless a column or another relation has its name. */
function place(graph: Graph, scope: Scope, relation: Relation): void {
  const { collection, field } = relation;
  const column = scope.collections.get(collection)?.fields.get(field)?.column ?? null;
  const relations = graph.get(collection) ?? new Map<string, Relation>();
  if (column !== null || relations.has(field)) {
    scope.warn(`The name ${collection}.${field} is taken, so a relation has to do without it.`);
    return;
  }
  graph.set(collection, relations.set(field, relation));
}

/**
 * The reverse of a foreign key has the name of the child, unless that name is taken. The parent may
 * have a field or relation of that name, or another key of the same child would get it too.
 */
function derivedName(graph: Graph, scope: Scope, reference: Reference, rivals: number): string {
  const { child, pointer } = reference;
  const parent = pointer.one.collection;
  const taken =
    rivals > 1 ||
    scope.collections.get(parent)?.fields.has(child.name) === true ||
    graph.get(parent)?.has(child.name) === true;
  return taken ? `${child.name}_by_${pointer.field}` : child.name;
}

function addDerived(graph: Graph, scope: Scope, references: readonly Reference[]): void {
  const claims = new Map<string, number>();
  const claim = ({ child, pointer }: Reference) =>
    JSON.stringify([pointer.one.collection, child.name]);
  for (const reference of references) {
    claims.set(claim(reference), (claims.get(claim(reference)) ?? 0) + 1);
  }
  // Names are decided before relations are added, so that they do not depend on the order.
  const named = references.map((reference) => ({
    reference,
    name: derivedName(graph, scope, reference, claims.get(claim(reference)) ?? 1),
  }));
  for (const { reference, name } of named) {
    place(graph, scope, reverse(reference, name, true, scope));
  }
}

/** Finds all relations; errors in the metadata become warnings. */
export async function findRelations(
  collections: Catalog['collections'],
): Promise<{ relations: ReadonlyMap<string, Relations>; warnings: readonly string[] }> {
  const warnings: string[] = [];
  const byTable = new Map<string, Collection>();
  for (const collection of collections.values()) {
    const { table } = collection;
    if (table !== null) byTable.set(tableKey(table.schema, table.name), collection);
  }
  const scope: Scope = { collections, byTable, warn: (sentence) => warnings.push(sentence) };
  const graph: Graph = new Map();
  const references: Reference[] = [];
  const slice = new TimeSlice();
  for (const child of collections.values()) {
    const siblings = findPointers(child, scope);
    if (siblings.size > 0) graph.set(child.name, new Map<string, Relation>(siblings));
    for (const pointer of siblings.values()) {
      if (pointer.kind !== 'm2o') continue;
      references.push({ child, pointer, siblings });
      // One relation can have several reverse fields, as from a policy to its users and to its
      // roles.
      for (const meta of child.descriptor.relations) {
        if (meta.manyField !== pointer.field || meta === pointer.meta) continue;
        references.push({ child, pointer: { ...pointer, meta }, siblings });
      }
    }
    await slice.rest();
  }
  const unnamed: Reference[] = [];
  for (const reference of references) {
    const name = reference.pointer.meta?.oneField ?? null;
    if (name === null) unnamed.push(reference);
    else place(graph, scope, reverse(reference, name, false, scope));
    await slice.rest();
  }
  addDerived(graph, scope, unnamed);
  return { relations: graph, warnings };
}
