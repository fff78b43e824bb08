/** Items without nested items and references: they need no planning and no lookup. */

import { isJsonObject } from '#core/base/json/json-object.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { Item } from '../payload.ts';

const known = new WeakMap<Catalog, Map<string, ReadonlySet<string>>>();

/** The fields of a collection that belong to no relation. */
export function plainFields(catalog: Catalog, { name, fields }: Collection): ReadonlySet<string> {
  const ofCatalog = known.get(catalog) ?? new Map<string, ReadonlySet<string>>();
  known.set(catalog, ofCatalog);
  const found = ofCatalog.get(name);
  if (found !== undefined) return found;
  const related = new Set<string>();
  const columns = new Set<string>();
  for (const relation of catalog.relations.get(name)?.values() ?? []) {
    related.add(relation.field);
    if (relation.kind === 'a2o') related.add(relation.discriminator);
    if (relation.kind !== 'm2o' && relation.kind !== 'a2o') continue;
    for (const column of relation.many.columns) columns.add(column);
  }
  const plain = [...fields.values()].filter(
    (field) => !related.has(field.name) && !columns.has(field.column?.name ?? ''),
  );
  const names = new Set(plain.map((field) => field.name));
  ofCatalog.set(name, names);
  return names;
}

/** Whether all members of a value are plain fields of the collection. */
export function isPlainItem(
  catalog: Catalog,
  collection: Collection,
  value: unknown,
): value is Item {
  if (!isJsonObject(value)) return false;
  const plain = plainFields(catalog, collection);
  for (const name of Object.keys(value)) if (!plain.has(name)) return false;
  return true;
}
