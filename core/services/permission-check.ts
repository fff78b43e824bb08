/** Checks stored permissions: their form, and their names and values against the catalog. */
import { parseRow, type RowFault, type StoredPermission } from '#core/access/permission-row.ts';
import type { PermissionRow } from '#core/access/rights.ts';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { validationFault } from '#core/read/evaluate/validation-fault.ts';
import { ruleFault } from '#core/read/plan/rule.ts';

/** Presets set fields, so each name must be a field. */
function presetsFault(
  catalog: Catalog,
  { name, fields }: Collection,
  { presets }: PermissionRow,
): Reason | null {
  const relations = catalog.relations.get(name);
  const unknown = Object.keys(presets).find(
    (field) => !fields.has(field) && !relations?.has(field),
  );
  return unknown === undefined
    ? null
    : reason('preset_field_unknown', { field: unknown, collection: name });
}

/**
 * Why a permission cannot be read. A permission for a collection that does not exist may have been
 * stored before the collection, so only its form is checked.
 */
export function permissionFaults(
  catalog: Catalog,
  bounds: QueryBounds,
  stored: StoredPermission,
): readonly RowFault[] {
  const parsed = parseRow(stored);
  if (parsed === null) return [];
  const { row, faults } = parsed;
  const collection = catalog.collections.get(row.collection);
  if (collection === undefined || collection.table === null) return faults;
  const { rule, validation } = row;
  const further: readonly (readonly [RowFault['place'], Reason | null])[] = [
    ['permissions', rule && ruleFault(catalog, bounds, row.collection, rule)],
    ['validation', validation && validationFault(catalog, collection, validation)],
    ['presets', presetsFault(catalog, collection, row)],
  ];
  const known = new Set(faults.map(({ place }) => place));
  return [
    ...faults,
    ...further.flatMap(([place, why]) =>
      why === null || known.has(place) ? [] : [{ place, reason: why }],
    ),
  ];
}
