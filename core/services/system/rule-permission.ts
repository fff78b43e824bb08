/** What permissions demand: an action that exists, and rules that can be read. */
import { ACTIONS } from '#core/access/right.ts';
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import type { Action, Item } from '#core/mutation/payload.ts';
import type { Write } from '#core/mutation/target.ts';
import { DEFAULT_LIMITS } from '#core/query/limits.ts';
import { Counter } from '#core/query/parse/counter.ts';
import { parseFilter } from '#core/query/parse/filter.ts';

/** JSON columns take JSON as text too. */
function documentOf(value: unknown, field: string): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw invalidPayload(`"${field}" must be an object.`, { field });
  }
}

function checkFilter({ target: { bounds } }: Write, item: Item, field: string): void {
  const value = documentOf(item[field], field);
  if (value === undefined || value === null) return;
  try {
    const limits = bounds.limits ?? DEFAULT_LIMITS;
    parseFilter(value, field, new Counter(limits, bounds.maxFields));
  } catch (error) {
    const { reason, ...details } = error instanceof ServiceError ? error.details : {};
    throw typeof reason === 'string' ? invalidPayload(reason, { ...details, field }) : error;
  }
}

function checkPresets({ presets }: Item): void {
  const value = documentOf(presets, 'presets');
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

/** @throws ServiceError INVALID_PAYLOAD naming the member, and the place in it */
export async function refinePermission(write: Write, _: Action, item: Item): Promise<Item> {
  const { action } = item;
  if (action !== undefined && !ACTIONS.some((known) => known === action)) {
    throw invalidPayload(`"action" must be one of ${ACTIONS.join(', ')}.`, { field: 'action' });
  }
  checkFilter(write, item, 'permissions');
  checkFilter(write, item, 'validation');
  checkPresets(item);
  checkFields(item);
  return item;
}
