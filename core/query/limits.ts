/** The limits of one query, part by part: far above the needs of any legitimate client. */
import { DEFAULT_LIMITS, type QueryLimits } from '#core/base/config/query-limits.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';

/** The counted parts: their names, and the variables with their limits. */
const PARTS = {
  conditions: { name: 'conditions', variable: 'QUERY_MAX_CONDITIONS' },
  listValues: { name: 'values in lists', variable: 'QUERY_MAX_LIST_VALUES' },
  sortTerms: { name: 'sort terms', variable: 'QUERY_MAX_SORT_TERMS' },
  groups: { name: 'fields to group by', variable: 'QUERY_MAX_GROUPS' },
  fields: { name: 'fields and aliases', variable: 'QUERY_MAX_FIELDS' },
  levels: { name: 'levels under "deep"', variable: 'QUERY_MAX_FIELDS' },
  joins: { name: 'relations that conditions go through', variable: 'QUERY_MAX_JOINS' },
  search: { name: 'characters in a search term', variable: 'QUERY_MAX_SEARCH' },
  binds: { name: 'values', variable: 'QUERY_MAX_BINDS' },
} as const;

export type BoundedPart = keyof typeof PARTS;

/** Reads with a limit up to this one return one page; above it items are streamed. */
export const PAGE_LIMIT = 10_000;

/** Stored rules were counted when they were stored; only their nesting is limited. */
export const STORED_LIMITS: QueryLimits = Object.freeze({
  conditions: Number.POSITIVE_INFINITY,
  listValues: Number.POSITIVE_INFINITY,
  sortTerms: Number.POSITIVE_INFINITY,
  groups: Number.POSITIVE_INFINITY,
  joins: Number.POSITIVE_INFINITY,
  search: Number.POSITIVE_INFINITY,
  binds: Number.POSITIVE_INFINITY,
  nesting: DEFAULT_LIMITS.nesting,
  cost: Number.POSITIVE_INFINITY,
  answerSize: DEFAULT_LIMITS.answerSize,
  nestedItems: DEFAULT_LIMITS.nestedItems,
});

/** @throws ServiceError INVALID_QUERY with `limit` and `variable` when there are more than allowed */
export function requireWithin(part: BoundedPart, count: number, limit: number): void {
  if (count <= limit) return;
  const { name, variable } = PARTS[part];
  throw invalidQuery(reason('limit_of_query_exceeded', { limit, name, variable }), {
    limit,
    variable,
  });
}

/**
 * @param cost the cost of a query, or of all queries of one request
 * @throws ServiceError INVALID_QUERY for pages that multiply to too many items
 */
export function requireCost(cost: number, limit: number): void {
  if (cost <= limit) return;
  throw invalidQuery(reason('query_cost_exceeded', { cost, limit }), {
    limit,
    variable: 'QUERY_MAX_COST',
  });
}
