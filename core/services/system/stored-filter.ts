/** Filters in columns of system collections: refused there as in requests, as part of a payload. */
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import type { Item } from '#core/mutation/payload.ts';

/** JSON columns take JSON as text too. */
export function documentOf(value: unknown, field: string): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw invalidPayload(`"${field}" must be an object.`, { field });
  }
}

/**
 * Checks what an item has in a column that holds a filter.
 * @param parse refuses what cannot be read
 * @throws ServiceError INVALID_PAYLOAD naming the member, and the place in it
 */
export function checkStored(
  item: Item,
  field: string,
  parse: (value: unknown, place: string) => unknown,
): void {
  const value = documentOf(item[field], field);
  if (value === undefined || value === null) return;
  try {
    parse(value, field);
  } catch (error) {
    const { reason, ...details } = error instanceof ServiceError ? error.details : {};
    throw typeof reason === 'string' ? invalidPayload(reason, { ...details, field }) : error;
  }
}
