/** The default limits of one query: far above the needs of a legitimate client. */
export const DEFAULT_LIMITS = Object.freeze({
  conditions: 1_000,
  listValues: 50_000,
  sortTerms: 50,
  groups: 50,
  joins: 250,
  search: 1_000,
  binds: 20_000,
  nesting: 64,
  cost: 1_000_000_000_000_000,
  answerSize: 67_108_864,
  nestedItems: 100_000,
});

/** Maximum of each part of a query. */
export type QueryLimits = Readonly<Record<keyof typeof DEFAULT_LIMITS, number>>;
