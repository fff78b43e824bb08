/** The aggregate functions and what they yield. */

export const AGGREGATE_FUNCTIONS = [
  'count',
  'countDistinct',
  'countAll',
  'sum',
  'sumDistinct',
  'avg',
  'avgDistinct',
  'min',
  'max',
] as const;

export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number];

const KNOWN: ReadonlySet<string> = new Set(AGGREGATE_FUNCTIONS);

export function isAggregateFunction(name: string): name is AggregateFunction {
  return KNOWN.has(name);
}
