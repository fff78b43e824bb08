/** Which addresses may register: the filter that the settings hold, evaluated on the address. */
import { STRANGER } from '#core/access/grant.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import { passesFilter } from '#core/validation/validation.ts';

/**
 * Whether an address passes the filter, such as `{"email": {"_ends_with": "@example.com"}}`.
 * Without a filter each one does; with one that cannot be understood, none.
 */
export function passesEmailFilter(email: string, filter: unknown): boolean {
  if (filter === null || filter === undefined) return true;
  try {
    const parsed = parseFilter(filter, 'public_registration_email_filter');
    return passesFilter(parsed, { email }, STRANGER);
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
