/**
 * The fields of a file whose values are not keys: each value is that of another field of the item
 * that the row refers to. Parts that are hidden from the sender appear unknown.
 */

import type { Rights } from '#core/access/rights.ts';
import { knownRelation } from '#core/access/schema-visibility.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { ReferenceParameters } from '#core/jobs/message/import-parameters.ts';
import {
  type Catalog,
  type Collection,
  type ColumnField,
  isColumn,
  isConcealed,
} from '#core/model/catalog/catalog.ts';
import type { ManyToOne, ToMany } from '#core/model/catalog/relation.ts';

/** How the values of a field find the items that they refer to. */
export interface Reference {
  readonly field: string;
  /** The collection of the items. */
  readonly collection: Collection;
  /** The field whose value the file has. */
  readonly by: ColumnField;
  /** The field whose value is stored. */
  readonly key: ColumnField;
  /** The effect of a value without an item. */
  readonly missing: 'reject' | 'create' | 'null';
  /** The relation to many items; null for one item. */
  readonly many: ManyItems | null;
}

/** A relation to many items through the rows of a junction. */
export interface ManyItems {
  readonly relation: ToMany;
  readonly junction: Collection;
  /** The relation that leads from the junction to the items. */
  readonly onward: ManyToOne;
  /** The text between the values in a cell; null: any usual one. */
  readonly separator: string | null;
}

/** The types whose values PostgreSQL compares in a way that people expect. */
const COMPARABLE = new Set([
  ...['text', 'varchar', 'bpchar', 'citext', 'name', 'uuid', 'bool'],
  ...['int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'money'],
  ...['date', 'timestamp', 'timestamptz', 'time', 'timetz'],
]);

function isComparable({ column }: ColumnField): boolean {
  if (column.elementType !== null) return false;
  return COMPARABLE.has(column.typeName) || column.typeSchema !== 'pg_catalog';
}

/** The sender of a file, as far as it decides which parts of the catalog are known. */
export interface CatalogView {
  readonly catalog: Catalog;
  readonly rights: Rights;
}

function canRead(rights: Rights, collection: string, field: string): boolean {
  if (rights.admin) return true;
  const permissions = rights.of(collection, 'read');
  return permissions.some(({ fields }) => fields === null || fields.has(field));
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 256));
}

/** The relation that leads to the items, and the junction on the way to them. */
function waysOf(
  { catalog, rights }: CatalogView,
  collection: string,
  name: string,
): { readonly onward: ManyToOne; readonly many: Omit<ManyItems, 'separator'> | null } | null {
  const relation = knownRelation(catalog, rights, collection, name);
  if (relation?.kind === 'm2o') return { onward: relation, many: null };
  if (relation?.kind !== 'm2m' || relation.junctionField === null) return null;
  const junction = catalog.collections.get(relation.many.collection);
  const onward = knownRelation(catalog, rights, relation.many.collection, relation.junctionField);
  if (junction === undefined || onward?.kind !== 'm2o') return null;
  return { onward, many: { relation, junction, onward } };
}

/**
 * The reference of a field, or the reason for its absence.
 * @param name the field of the file's collection
 */
export function referenceOf(
  view: CatalogView,
  collection: string,
  name: string,
  { by: chosen, missing = 'reject', separator }: ReferenceParameters,
): Reference | Reason {
  const ways = waysOf(view, collection, name);
  const [column, more] = ways?.onward.one.columns ?? [];
  const one = view.catalog.collections.get(ways?.onward.one.collection ?? '');
  const key = [...(one?.fields.values() ?? [])].find((field) => field.column?.name === column);
  if (ways === null || one === undefined || more !== undefined || !isColumn(key)) {
    return reason('reference_without_relation', { field: quoted(name) });
  }
  const by = chosen === undefined ? key : one.fields.get(chosen);
  const unknown = () =>
    reason('path_field_unknown', { before: quoted(name), segment: quoted(chosen ?? '') });
  if (!isColumn(by) || isConcealed(by)) return unknown();
  if (by !== key && !canRead(view.rights, one.name, by.name)) return unknown();
  if (!isComparable(by)) {
    return reason('reference_not_comparable', { field: quoted(name), by: quoted(by.name) });
  }
  const many = ways.many === null ? null : { ...ways.many, separator: separator ?? null };
  return { field: name, collection: one, by, key, missing, many };
}
