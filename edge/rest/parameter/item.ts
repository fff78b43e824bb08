/** The parameters of an item query, for descriptions of the API. */
import * as v from 'valibot';
import { EXPORT_FORMATS } from '#core/jobs/message/export.ts';
import { META_NAMES } from '#core/query/query.ts';
import type { ParameterTable } from '../route-facts.ts';

/** A parameter that means true when it is there, unless its value says false. */
export const flagParameter = v.picklist(['', 'true', 'false']);

const whole = (min: number) => v.pipe(v.number(), v.integer(), v.minValue(min));
const ofLists = true;

/** All parameters of `parseQuery` in core; a test compares them. */
export const ITEM_PARAMETERS = {
  fields: {
    summary: 'What to return: `*`, names, paths through relations, functions',
    schema: 'fields',
    spelling: 'list',
  },
  filter: { summary: 'Conditions', schema: 'filter', spelling: 'json', ofLists },
  search: {
    summary: 'A term looked for in the fields of the collection itself',
    schema: v.pipe(v.string(), v.regex(/\S/), v.maxLength(1_000)),
    ofLists,
  },
  sort: {
    summary: 'Fields to sort by, `-` for descending',
    schema: 'sort',
    spelling: 'list',
    ofLists,
  },
  limit: { summary: 'Most items; -1 for all', schema: whole(-1), ofLists },
  offset: { summary: 'Items to skip', schema: whole(0), ofLists },
  page: { summary: 'The page, from 1; wins over `offset`', schema: whole(0), ofLists },
  alias: { summary: 'Further names of fields', schema: 'alias', spelling: 'json' },
  aggregate: {
    summary: 'Aggregate functions, each with its fields',
    schema: 'aggregate',
    spelling: 'json',
    ofLists,
  },
  groupBy: { summary: 'Fields to group by', schema: 'groupBy', spelling: 'list', ofLists },
  deep: {
    summary: 'The same parameters for related items, with `_` before their names',
    schema: 'deep',
    spelling: 'json',
  },
  meta: {
    summary: 'Counts beside the items; `*` for total_count and filter_count',
    schema: v.array(v.picklist([...META_NAMES, '*'])),
    spelling: 'list',
    ofLists,
  },
  backlink: {
    summary: 'Whether wildcards go back over the relation just followed',
    schema: v.boolean(),
  },
  version: {
    summary: 'Items are as they are under both names',
    schema: v.picklist(['main', 'published']),
  },
  export: {
    summary: 'The list as a file of this format',
    schema: v.picklist(EXPORT_FORMATS),
    ofLists,
  },
  export_safe: {
    summary: 'Disarms formulas in a CSV file',
    schema: flagParameter,
    ofLists,
  },
  export_sep: {
    summary: 'Begins a CSV file with the line sep=, for Excel',
    schema: flagParameter,
    ofLists,
  },
  null_values: {
    summary: 'The text of a null in a CSV file, as in the import that reads it',
    schema: v.string(),
    ofLists,
  },
} as const satisfies ParameterTable;
