/** The rules of permissions: the action must exist, and filters must be readable. */
import type { StoredPermission } from '#core/access/permission-row.ts';
import { ACTIONS } from '#core/access/rights.ts';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import { render, sql } from '#core/database/sql.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { ElementCounter } from '#core/query/parse/counter.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Action, Item } from '#core/write/payload.ts';
import type { CompletedChange, WriteContext } from '#core/write/write-context.ts';
import { permissionFaults } from '../permission-check.ts';
import { checkVariables } from './check-stored-variables.ts';
import { checkStoredFilter } from './stored-filter.ts';
import { singleKeys, systemSchemaOf } from './system-schema.ts';

function checkFilter({ target: { bounds } }: WriteContext, item: Item, field: string): void {
  const limits = bounds.limits ?? DEFAULT_LIMITS;
  checkStoredFilter(item, field, (value, place) =>
    parseFilter(value, place, new ElementCounter(limits, bounds.maxFields)),
  );
}

/** @throws ServiceError INVALID_PAYLOAD for a bookmark whose filter cannot be read */
export async function refineBookmark(write: WriteContext, _: Action, item: Item): Promise<Item> {
  checkFilter(write, item, 'filter');
  return item;
}

function checkPresets({ presets: value }: Item): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'object' && !Array.isArray(value)) return;
  throw invalidPayload(reason('presets_object_expected'), { field: 'presets' });
}

function checkFields({ fields }: Item): void {
  if (fields === undefined || fields === null || typeof fields === 'string') return;
  const isList = Array.isArray(fields) && fields.every((name) => typeof name === 'string');
  // The list is stored with commas, so a name with a comma would be split.
  if (isList && fields.every((name) => !name.includes(','))) return;
  throw invalidPayload(reason('fields_list_expected'), { field: 'fields' });
}

/** @throws ServiceError INVALID_PAYLOAD naming the member and the path in it */
export async function refinePermission(write: WriteContext, _: Action, item: Item): Promise<Item> {
  const { action } = item;
  if (action !== undefined && !ACTIONS.some((known) => known === action)) {
    throw invalidPayload(reason('action_unknown', { actions: ACTIONS.join(', ') }), {
      field: 'action',
    });
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

/** The members that determine the effect of a permission. */
const DECIDING = ['collection', 'action', 'permissions', 'validation', 'presets'];

/**
 * Checks new or changed permissions as they are stored: names must exist, operators and values must
 * fit.
 * @throws ServiceError INVALID_PAYLOAD naming the member and the path in it
 */
export async function afterPermissions(
  write: WriteContext,
  { action, keys, items }: CompletedChange,
): Promise<void> {
  const changed = keys.filter((_, place) =>
    DECIDING.some((name) => items[place]?.[name] !== undefined),
  );
  if (action === 'delete' || changed.length === 0) return;
  const { catalog, bounds } = write.target;
  const { rows } = await write.client.query<StoredPermission>(
    render(sql`
      SELECT collection, action, permissions::text, validation::text, presets::text, fields
      FROM ${systemTable(systemSchemaOf(write), 'permissions')}
      WHERE id = ANY(${singleKeys(changed)}::int[]) ORDER BY id`),
  );
  for (const row of rows) {
    const [fault] = permissionFaults(catalog, bounds, row);
    if (fault !== undefined) throw invalidPayload(fault.reason, { field: fault.place });
  }
}
