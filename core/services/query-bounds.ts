/** The limits of queries, from the configuration. */
import type { Config } from '#core/base/config/variables.ts';
import type { QueryBounds } from '#core/query/query.ts';

export function queryBounds(config: Config): QueryBounds {
  return {
    limitDefault: config.QUERY_LIMIT_DEFAULT,
    limitMax: config.QUERY_LIMIT_MAX,
    maxDepth: config.MAX_RELATIONAL_DEPTH,
    maxJsonDepth: config.MAX_JSON_QUERY_DEPTH,
    maxFields: config.QUERY_MAX_FIELDS,
    limits: {
      conditions: config.QUERY_MAX_CONDITIONS,
      listValues: config.QUERY_MAX_LIST_VALUES,
      sortTerms: config.QUERY_MAX_SORT_TERMS,
      groups: config.QUERY_MAX_GROUPS,
      nesting: config.QUERY_MAX_NESTING,
      joins: config.QUERY_MAX_JOINS,
      search: config.QUERY_MAX_SEARCH,
      binds: config.QUERY_MAX_BINDS,
      cost: config.QUERY_MAX_COST,
      answerSize: config.ANSWER_MAX_SIZE,
      nestedItems: config.QUERY_MAX_NESTED_ITEMS,
    },
  };
}
