/** Variables: Queries. */
import { DEFAULT_LIMITS } from '../query-limits.ts';
import { define, integer, size } from '../variable.ts';

export const queryVariables = {
  QUERY_LIMIT_DEFAULT: define({
    parse: integer(1, 1_000_000),
    fallback: '100',
    meaning: 'Default limit of a read, in items',
  }),
  QUERY_LIMIT_MAX: define({
    parse: integer(1, 1_000_000_000),
    fallback: undefined,
    meaning: 'Highest limit that a read may name; unset: none',
  }),
  QUERY_MAX_FIELDS: define({
    parse: integer(1, 100_000),
    fallback: '500',
    meaning: 'Maximum fields and aliases in one read',
  }),
  QUERY_BODY_MAX_SIZE: define({
    parse: size,
    fallback: '1mb',
    meaning: 'Maximum body of a SEARCH and of a write by query',
  }),
  QUERY_MAX_CONDITIONS: define({
    parse: integer(1, 1_000_000),
    fallback: String(DEFAULT_LIMITS.conditions),
    meaning: 'Maximum conditions in one query, in a stored rule, and in a write by query',
  }),
  QUERY_MAX_LIST_VALUES: define({
    parse: integer(1, 10_000_000),
    fallback: String(DEFAULT_LIMITS.listValues),
    meaning: 'Maximum values in all lists of its conditions together',
  }),
  QUERY_MAX_SORT_TERMS: define({
    parse: integer(1, 10_000),
    fallback: String(DEFAULT_LIMITS.sortTerms),
    meaning: 'Maximum sort terms in one query',
  }),
  QUERY_MAX_GROUPS: define({
    parse: integer(1, 10_000),
    fallback: String(DEFAULT_LIMITS.groups),
    meaning: 'Maximum fields in groupBy of one query',
  }),
  QUERY_MAX_NESTING: define({
    parse: integer(4, 200),
    fallback: String(DEFAULT_LIMITS.nesting),
    meaning: 'Maximum nesting of a filter',
  }),
  QUERY_MAX_BINDS: define({
    parse: integer(100, 65_535),
    fallback: String(DEFAULT_LIMITS.binds),
    meaning: 'Maximum values that one statement of a query may send to PostgreSQL, including rules',
  }),
  QUERY_MAX_COST: define({
    parse: integer(1_000, Number.MAX_SAFE_INTEGER),
    fallback: String(DEFAULT_LIMITS.cost),
    meaning: 'Maximum product of the limits of a query and of the lists in it, in items',
  }),
  QUERY_MAX_NESTED_ITEMS: define({
    parse: integer(100, Number.MAX_SAFE_INTEGER),
    fallback: String(DEFAULT_LIMITS.nestedItems),
    meaning: 'Maximum items in the lists inside one item of an answer',
  }),
  ANSWER_MAX_SIZE: define({
    parse: size,
    fallback: '64mb',
    meaning:
      'Maximum bytes of the values of one item of an answer, or of an answer that is not a list',
  }),
  MAX_RELATIONAL_DEPTH: define({
    parse: integer(2, 100),
    fallback: '10',
    meaning: 'Maximum relations in a path of a query',
  }),
  MAX_JSON_QUERY_DEPTH: define({
    parse: integer(1, 100),
    fallback: '10',
    meaning: 'Maximum steps of a path into a document, in _json and json()',
  }),
  QUERY_MAX_SEARCH: define({
    parse: integer(1, 100_000),
    fallback: String(DEFAULT_LIMITS.search),
    meaning: 'Maximum length of a search term, in characters',
  }),
  QUERY_MAX_JOINS: define({
    parse: integer(1, 1_000_000),
    fallback: String(DEFAULT_LIMITS.joins),
    meaning: 'Maximum relations in all conditions of one query together',
  }),
};
