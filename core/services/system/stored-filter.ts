/** Filters in columns of system collections: refused there as in requests, as part of a payload. */
import { invalidPayload, ServiceError } from '#core/errors/service-error.ts';
import type { Item } from '#core/mutation/payload.ts';

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
  const value = item[field];
  if (value === undefined || value === null) return;
  try {
    parse(value, field);
  } catch (error) {
    const { reason, ...details } = error instanceof ServiceError ? error.details : {};
    throw typeof reason === 'string' ? invalidPayload(reason, { ...details, field }) : error;
  }
}
