/** The rules of permissions: the action exists, and filters can be read. */
import type { StoredPermission } from '#core/access/permission-row.ts';
import { ACTIONS } from '#core/access/rights.ts';
import { DEFAULT_LIMITS } from '#core/config/query-limits.ts';
import { render, sql } from '#core/database/sql.ts';
import { invalidPayload } from '#core/errors/service-error.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { Done, Write } from '#core/mutation/target.ts';
import { Counter } from '#core/query/parse/counter.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { systemTable } from '#core/system/system-table.ts';
import { permissionFaults } from '../permission-check.ts';
import { checkVariables } from './check-stored-variables.ts';
import { checkStored } from './stored-filter.ts';
import { schemaOf, singleKeys } from './system-schema.ts';

function checkFilter({ target: { bounds } }: Write, item: Item, field: string): void {
  const limits = bounds.limits ?? DEFAULT_LIMITS;
  checkStored(item, field, (value, place) =>
    parseFilter(value, place, new Counter(limits, bounds.maxFields)),
  );
}

/** @throws ServiceError INVALID_PAYLOAD for a bookmark whose filter cannot be read */
export async function refineBookmark(write: Write, _: Action, item: Item): Promise<Item> {
  checkFilter(write, item, 'filter');
  return item;
}

function checkPresets({ presets: value }: Item): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'object' && !Array.isArray(value)) return;
  throw invalidPayload('"presets" must be an object.', { field: 'presets' });
}

function checkFields({ fields }: Item): void {
  if (fields === undefined || fields === null || typeof fields === 'string') return;
  const isList = Array.isArray(fields) && fields.every((name) => typeof name === 'string');
  // The list is stored with commas, and a name with one would become two.
  if (isList && fields.every((name) => !name.includes(','))) return;
  throw invalidPayload('"fields" must be a list of names.', { field: 'fields' });
}

/** @throws ServiceError INVALID_PAYLOAD naming the member and the path in it */
export async function refinePermission(write: Write, _: Action, item: Item): Promise<Item> {
  const { action } = item;
  if (action !== undefined && !ACTIONS.some((known) => known === action)) {
    throw invalidPayload(`"action" must be one of ${ACTIONS.join(', ')}.`, { field: 'action' });
  }
  checkFilter(write, item, 'permissions');
  checkFilter(write, item, 'validation');
  checkPresets(item);
  for (const field of ['permissions', 'validation', 'presets']) {
    checkVariables(write.target, item[field], field);
  }
  checkFields(item);
  return item;
}

/** The members that decide who may do what with which items. */
const DECIDING = ['collection', 'action', 'permissions', 'validation', 'presets'];

/**
 * Checks new or changed permissions as they are stored: names must exist, operators and values must
 * fit.
 * @throws ServiceError INVALID_PAYLOAD naming the member and the path in it
 */
export async function afterPermissions(write: Write, { action, keys, items }: Done): Promise<void> {
  const changed = keys.filter((_, place) =>
    DECIDING.some((name) => items[place]?.[name] !== undefined),
  );
  if (action === 'delete' || changed.length === 0) return;
  const { catalog, bounds } = write.target;
  const { rows } = await write.client.query<StoredPermission>(
    render(sql`
      SELECT collection, action, permissions::text, validation::text, presets::text, fields
      FROM ${systemTable(schemaOf(write), 'permissions')}
      WHERE id = ANY(${singleKeys(changed)}::int[]) ORDER BY id`),
  );
  for (const row of rows) {
    const [fault] = permissionFaults(catalog, bounds, row);
    if (fault !== undefined) throw invalidPayload(fault.reason, { field: fault.place });
  }
}
