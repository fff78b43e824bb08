/** The possible aggregates of a collection, and the scalars of their results. */

import { isColumn } from '#core/model/catalog/catalog.ts';
import {
  AGGREGATE_FUNCTIONS,
  type AggregateFunction,
  aggregatesField,
} from '#core/query/aggregate.ts';
import { type ScalarName, scalarOf } from './scalar-name.ts';
import type { SchemaShapes } from './schema-shapes.ts';
import type { AggregatePart } from './type-names.ts';

/** All functions except the one that counts items. */
type FieldFunction = Exclude<AggregateFunction, 'countAll'>;

const PARTS: Readonly<Record<FieldFunction, AggregatePart>> = {
  count: 'count',
  countDistinct: 'count',
  sum: 'sums',
  sumDistinct: 'sums',
  avg: 'fields',
  avgDistinct: 'fields',
  min: 'extremes',
  max: 'extremes',
};

/** The functions that aggregate fields. */
export const FIELD_FUNCTIONS = AGGREGATE_FUNCTIONS.filter((name) => name !== 'countAll');

export function isFieldFunction(name: string): name is FieldFunction {
  return Object.hasOwn(PARTS, name);
}

export function partOf(name: FieldFunction): AggregatePart {
  return PARTS[name];
}

/** The scalars of the results of a function, by the names of the fields. */
export function aggregatesOf(
  shapes: SchemaShapes,
  collection: string,
  name: FieldFunction,
): ReadonlyMap<string, ScalarName> {
  const found = new Map<string, ScalarName>();
  const fields = shapes.collection(collection)?.fields;
  const part = partOf(name);
  for (const key of shapes.of(collection).keys()) {
    const field = fields?.get(key);
    if (!isColumn(field)) continue;
    if (part === 'count') found.set(key, 'Int');
    else if (aggregatesField(name, field)) found.set(key, scalarIn(part, scalarOf(field, false)));
  }
  return found;
}

/** Sums and averages may exceed the range of the summed type; 64-bit integers stay exact. */
function scalarIn(part: AggregatePart, scalar: ScalarName): ScalarName {
  if (scalar === 'Int' || part === 'fields') return 'Float';
  return scalar === 'List' ? 'String' : scalar;
}
