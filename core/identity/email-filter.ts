/** Which addresses may register: the filter that the settings hold, evaluated on the address. */
import { ANONYMOUS } from '#core/access/grants.ts';
import { invalidQuery, ServiceError } from '#core/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Filter } from '#core/query/query.ts';
import { passesFilter } from '#core/validation/validation.ts';

const PLACE = 'public_registration_email_filter';

function names(filter: Filter): readonly string[] {
  if (filter.kind === 'group') return filter.filters.flatMap(names);
  return filter.kind === 'field' ? [filter.key] : ['an operator'];
}

/**
 * Reads the filter.
 * @throws ServiceError INVALID_QUERY for one that cannot be read, or that names anything but `email`
 */
export function parseEmailFilter(filter: unknown): Filter {
  const parsed = parseFilter(filter, PLACE);
  const other = names(parsed).find((name) => name !== 'email');
  if (other === undefined) return parsed;
  throw invalidQuery(`"${PLACE}" knows "email" alone, not "${other}".`);
}

/**
 * Whether an address passes the filter, such as `{"email": {"_ends_with": "@example.com"}}`.
 * Without a filter each one does; with one that cannot be understood, none.
 */
export function passesEmailFilter(email: string, filter: unknown): boolean {
  if (filter === null || filter === undefined) return true;
  try {
    return passesFilter(parseEmailFilter(filter), { email }, ANONYMOUS);
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
