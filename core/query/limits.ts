/** How much one query may ask for, part by part: far above what anybody honest needs. */
import { DEFAULT_LIMITS, type QueryLimits } from '#core/base/config/query-limits.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';

/** The parts that are counted: what they are called, and the variable that bounds them. */
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

/** Limits up to this one are answered as one page; above it items are streamed. */
export const PAGE_LIMIT = 10_000;

/** Of rules that are stored, and were counted when they came, only the nesting is bounded. */
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
 * @param cost of a query, or of all queries of one request
 * @throws ServiceError INVALID_QUERY for pages that multiply to too many items
 */
export function requireCost(cost: number, limit: number): void {
  if (cost <= limit) return;
  throw invalidQuery(reason('query_cost_exceeded', { cost, limit }), {
    limit,
    variable: 'QUERY_MAX_COST',
  });
}
