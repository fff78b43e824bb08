/** The part of the catalog that a caller may use, and its names in the document. */

import type { Action, Rights } from '#core/access/rights.ts';
import { knownRelation } from '#core/access/schema-visibility.ts';
import type { Catalog, Collection, ColumnField, Field } from '#core/model/catalog/catalog.ts';
import { isColumn } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { SYSTEM_COLLECTIONS } from '#core/model/system-collections/registry.ts';
import { writableFields } from '#core/services/system/served-collections.ts';
import { type JsonSchema, refTo } from './json-schema.ts';
import { namesOf } from './name.ts';

/** The schemas of a collection, by the suffix of their names. */
export type Part =
  | ''
  | 'Create'
  | 'Update'
  | 'Filter'
  | 'Deep'
  | 'Query'
  | 'Fields'
  | 'Sort'
  | 'Groups'
  | 'Aggregate'
  | 'List'
  | 'One';

export class SchemaVisibility {
  readonly catalog: Catalog;
  readonly rights: Rights;
  /** The collections that have schemas. */
  readonly collections: readonly Collection[];
  readonly #names: ReadonlyMap<string, string>;

  constructor(catalog: Catalog, rights: Rights) {
    this.catalog = catalog;
    this.rights = rights;
    this.collections = [...catalog.collections.values()].filter(({ name, table, system }) => {
      const isServed = !system || (SYSTEM_COLLECTIONS.get(name)?.service ?? null) !== null;
      return table !== null && isServed && (this.#writes(name) || this.may('read', name));
    });
    this.#names = namesOf(this.collections);
  }

  #writes(name: string): boolean {
    return this.may('create', name) || this.may('update', name) || this.may('delete', name);
  }

  /** Whether the caller has permission for an action on some items of a collection. */
  may(action: Action, name: string): boolean {
    return this.rights.of(name, action).length > 0;
  }

  /** Whether the caller may read a collection that the document describes. */
  reads(name: string): boolean {
    return this.#names.has(name) && this.may('read', name);
  }

  /** Whether the caller may write items of a collection with a primary key. */
  mayWrite(action: Action, { name, primaryKey }: Collection): boolean {
    return primaryKey.length > 0 && this.may(action, name);
  }

  /** The name of a collection in the document; empty without one. */
  nameOf(collection: string): string {
    return this.#names.get(collection) ?? '';
  }

  ref(collection: string, part: Part): JsonSchema {
    return refTo('schemas', this.nameOf(collection) + part);
  }

  mayField(action: Action, collection: string, field: string): boolean {
    const permissions = this.rights.of(collection, action);
    return permissions.some(({ fields }) => fields === null || fields.has(field));
  }

  /** Whether the field is readable in every visible item. */
  isAlwaysSeen(collection: string, field: string): boolean {
    const permissions = this.rights.of(collection, 'read');
    return permissions.every(({ fields }) => fields === null || fields.has(field));
  }

  /** The readable fields, in the order of the catalog. */
  readable({ name, fields }: Collection): readonly Field[] {
    return [...fields.values()].filter((field) => this.mayField('read', name, field.name));
  }

  /** The readable fields that are columns. */
  columns(collection: Collection): readonly ColumnField[] {
    return this.readable(collection).filter(isColumn);
  }

  /** The fields that a request body may contain. */
  writable(action: 'create' | 'update', collection: Collection): readonly Field[] {
    const known = collection.system ? writableFields(collection) : null;
    const keys = new Set(collection.primaryKey.map(({ name }) => name));
    return [...collection.fields.values()].filter(({ name, column }) => {
      const isGenerated = column !== null && column.generatedExpression !== null;
      const isAllowed = keys.has(name) || this.mayField(action, collection.name, name);
      return !isGenerated && isAllowed && (known === null || known.has(name));
    });
  }

  relation(collection: string, field: string): Relation | undefined {
    return knownRelation(this.catalog, this.rights, collection, field);
  }

  /** The usable relations, including those without a field. */
  relations({ name }: Collection): readonly (readonly [string, Relation])[] {
    const all = [...(this.catalog.relations.get(name) ?? [])];
    return all.filter(([field, relation]) => {
      return this.mayField('read', name, field) && this.targets(relation).length > 0;
    });
  }

  /** The readable target collections of a relation. */
  targets(relation: Relation): readonly string[] {
    return targetsOf(relation).filter((target) => this.reads(target));
  }
}

/** The target collections of a relation. */
function targetsOf(relation: Relation): readonly string[] {
  if (relation.kind === 'a2o') return relation.allowed.map(({ collection }) => collection);
  return [relation.kind === 'm2o' ? relation.one.collection : relation.many.collection];
}
