/** Evaluates the filter of the settings for addresses that may register. */
import { ANONYMOUS } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery, ServiceError } from '#core/base/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Filter } from '#core/query/query.ts';
import { passesFilter } from '#core/read/evaluate/validation.ts';

const PLACE = 'public_registration_email_filter';

function names(filter: Filter): readonly string[] {
  if (filter.kind === 'group') return filter.filters.flatMap(names);
  return filter.kind === 'field' ? [filter.key] : ['an operator'];
}

/**
 * Parses the filter.
 * @throws ServiceError INVALID_QUERY when it is invalid or uses a field other than `email`
 */
export function parseEmailFilter(filter: unknown): Filter {
  const parsed = parseFilter(filter, PLACE);
  const other = names(parsed).find((name) => name !== 'email');
  if (other === undefined) return parsed;
  throw invalidQuery(reason('email_filter_only_email', { place: PLACE, other }));
}

/**
 * Whether an address passes the filter, such as `{"email": {"_ends_with": "@example.com"}}`.
 * Without a filter each address passes; with an invalid filter no address passes.
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
