/**
 * The dependents of a collection: all parts of other collections that refer to it and must change
 * when it is deleted.
 */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import type { TableName } from '../schema-change-context.ts';
import type { FieldAddress } from './revoke-field-rights.ts';

/** A foreign key of several columns that refers to the collection. */
export interface CompositeForeignKey {
  readonly table: TableName;
  readonly name: string;
}

/** The parts that are deleted together with a collection, and the affected tables. */
export interface CollectionDependents {
  /**
   * Columns of other collections whose foreign key refers to the collection; they are dropped with
   * their data.
   */
  readonly references: readonly FieldAddress[];
  /**
   * Composite foreign keys; only the keys are dropped, because other keys may use their columns.
   */
  readonly wideKeys: readonly CompositeForeignKey[];
  /** Alias fields of other collections that lead to the collection's items. */
  readonly aliases: readonly FieldAddress[];
  /** Tables on the other side of all foreign keys from and to the collection. */
  readonly tables: readonly TableName[];
}

function refuseKeyColumn(collection: Collection, name: string, target: string): void {
  if (!collection.table?.primaryKey?.includes(name)) return;
  throw new ServiceError('UNPROCESSABLE_ENTITY', {
    reason: reason('primary_key_depends_on_relation', {
      name: collection.name,
      field: name,
      target,
    }),
  });
}

/** Relations of other collections to the collection. */
function inward(catalog: Catalog, target: string): [Collection, Relation][] {
  return [...catalog.relations].flatMap(([name, relations]) => {
    const collection = catalog.collections.get(name);
    if (collection === undefined || name === target) return [];
    return [...relations.values()].flatMap((relation): [Collection, Relation][] => {
      if (relation.kind === 'a2o') return [];
      const end = relation.kind === 'm2o' ? relation.one : relation.many;
      return end.collection === target ? [[collection, relation]] : [];
    });
  });
}

/**
 * Finds the parts that are deleted together with a collection.
 * @throws UNPROCESSABLE_ENTITY when that would drop the primary key of another collection
 */
export function dependentsOf(catalog: Catalog, target: Collection): CollectionDependents {
  const references = new Map<string, FieldAddress>();
  const wideKeys: CompositeForeignKey[] = [];
  const aliases: FieldAddress[] = [];
  const tables: TableName[] = [];
  for (const [collection, relation] of inward(catalog, target.name)) {
    const { name, table } = collection;
    const { field } = relation;
    // A composite foreign key, or the second one of a column, is a field with its own name.
    const isColumn = (collection.fields.get(field)?.column ?? null) !== null;
    if (!isColumn) aliases.push({ collection: name, field });
    if (relation.kind !== 'm2o' || relation.foreignKey === null || table === null) continue;
    tables.push(table);
    const [column, ...others] = relation.many.columns;
    if (column === undefined || others.length > 0) {
      wideKeys.push({ table, name: relation.foreignKey.name });
      continue;
    }
    refuseKeyColumn(collection, column, target.name);
    references.set(JSON.stringify([name, column]), { collection: name, field: column });
  }
  for (const { targetSchema, targetTable } of target.table?.foreignKeys ?? []) {
    tables.push({ schema: targetSchema, name: targetTable });
  }
  return { references: [...references.values()], wideKeys, aliases, tables };
}
