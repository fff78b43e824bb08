/** Which addresses may register: the filter that the settings hold, evaluated on the address. */
import { STRANGER } from '#core/access/grant.ts';
import type { Catalog } from '#core/catalog/catalog.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { Validation } from '#core/validation/validation.ts';

/**
 * Whether an address passes the filter, such as `{"email": {"_ends_with": "@example.com"}}`.
 * Without a filter each one does; with one that cannot be understood, none.
 */
export function passesEmailFilter(catalog: Catalog, email: string, filter: unknown): boolean {
  if (filter === null || filter === undefined) return true;
  const collection = catalog.collections.get('system_users');
  if (collection === undefined) return false;
  try {
    const rule = parseFilter(filter, 'public_registration_email_filter');
    const facts = { collection, caller: STRANGER, now: new Date() };
    return new Validation(facts, [rule]).faults({ email }).length === 0;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
