/** The aggregate functions, and their supported fields. */

import type { Field } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';

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

const NUMERIC: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const UNORDERED: ReadonlySet<string> = new Set(['json', 'boolean', 'binary', 'uuid']);

/** Whether a function supports the values of a field; concealed ones are only counted. */
export function aggregatesField(
  aggregate: AggregateFunction,
  field: Pick<Field, 'type' | 'special'>,
) {
  const { type } = field;
  if (aggregate === 'countAll') return false;
  if (aggregate === 'count') return true;
  if (isConcealed(field)) return false;
  if (aggregate === 'countDistinct') return true;
  if (aggregate !== 'min' && aggregate !== 'max') return NUMERIC.has(type);
  return !UNORDERED.has(type) && !type.startsWith('geometry');
}
