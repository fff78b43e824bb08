/** Checks whether a rule can be planned, without a read. */
import { ALL_GRANTS, ANONYMOUS } from '#core/access/grants.ts';
import type { Reason } from '#core/base/errors/reason.ts';
import { reasonOf } from '#core/base/errors/reason-of-error.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import type { Filter, QueryBounds } from '#core/query/query.ts';
import { planFilter } from './filter.ts';
import { contextOf, openScope } from './scope.ts';

/** A caller for which every variable has a value, so that every path is checked. */
const SOMEBODY = '00000000-0000-4000-8000-000000000000';
const CALLER = {
  ...ANONYMOUS,
  user: SOMEBODY,
  role: SOMEBODY,
  roles: [SOMEBODY],
  policies: [SOMEBODY],
};

const known = new WeakMap<Filter, { readonly catalog: Catalog; readonly fault: Reason | null }>();

function faultOf(
  catalog: Catalog,
  bounds: QueryBounds,
  collection: string,
  rule: Filter,
): Reason | null {
  const target = { catalog, bounds, collection, grants: ALL_GRANTS, caller: CALLER };
  try {
    planFilter(openScope(contextOf(target, { usesPlaceholders: false }), collection), rule);
    return null;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return reasonOf(error);
  }
}

/**
 * The reason why a rule cannot be planned, and so holds for no row; null when it can. Cached for
 * the catalog of the last check.
 */
export function ruleFault(
  catalog: Catalog,
  bounds: QueryBounds,
  collection: string,
  rule: Filter,
): Reason | null {
  const found = known.get(rule);
  if (found?.catalog === catalog) return found.fault;
  const fault = faultOf(catalog, bounds, collection, rule);
  known.set(rule, { catalog, fault });
  return fault;
}
