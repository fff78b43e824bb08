/** Checks filters that are stored in columns of system collections, like filters of requests. */
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import type { Item } from '#core/write/payload.ts';

/**
 * Checks the filter in a column of an item.
 * @param parse throws when the filter cannot be read
 * @throws ServiceError INVALID_PAYLOAD naming the member and the path in it
 */
export function checkStoredFilter(
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
    throw reason === undefined ? error : invalidPayload(reason, { ...details, field });
  }
}
