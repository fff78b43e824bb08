/** Reasons that concern GraphQL. */
export const graphqlReasons = {
  too_many_schema_readers: 'Too many clients ask for the schema at the same time.',
  schema_not_describable: 'The schema cannot be described at the moment.',
  graphql_number_beyond_exact_range:
    'A number is beyond the exact range of JSON numbers; send it as text.',
  persisted_query_incomplete: '"extensions.persistedQuery" needs version 1 and sha256Hash.',
  persisted_query_hash_differs:
    '"extensions.persistedQuery.sha256Hash" is not the hash of "query".',
  graphql_query_missing: 'The body must be an object with "query".',
  graphql_document_expected: '"query" must be a GraphQL document.',
  member_json_expected: '"{name}" must be JSON.',
  graphql_body_type: 'The body must be {type}.',
  selection_too_many_relations_deep:
    'The selection goes through more than {maxDepth} relations (MAX_RELATIONAL_DEPTH).',
  graphql_list_too_large:
    'A list beside other fields may have {limit} characters; set a lower limit.',
  change_continues_as_job: 'The change takes long and continues; see the list of jobs.',
} as const;
