/** Writes aggregates, in groups or over all rows of a level. */

import { empty, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Field } from '#core/model/catalog/catalog.ts';
import type { Aggregate, Aggregation, Group, Value } from '../plan/plan.ts';
import { valueSql, visibleSql } from './expression.ts';
import type { Aliases } from './materialized-rows.ts';
import { outputOf } from './output.ts';
import { objectSql } from './row.ts';

/** One value of a result row, for output and for sorting. */
interface Written {
  readonly output: Sql;
  readonly raw: Sql;
}

function countOf(argument: Sql): Written {
  const count = sql`count(${argument})`;
  return { raw: count, output: sql`${count}::text` };
}

/**
 * Numbers from this absolute value on count as infinite in a sum or an average. PostgreSQL fails
 * when a total, or a square that an average needs, is outside the range of the type.
 */
const LARGEST = { sum: '1e290', avg: '1e140', exact: '1e131000' } as const;
/** The largest total of a `real` column that fits into `real`. */
const LARGEST_REAL = '3.4e38';

function isReal(column: Field['column']): boolean {
  return column?.typeName === 'float4';
}

/** A value for sums and averages that cannot overflow. */
function addend(value: Sql, { type, column }: Field, aggregate: 'sum' | 'avg'): Sql {
  const bounded = (largest: string, typeName: string) =>
    sql`CASE WHEN abs(${value}) >= ${raw(`'${largest}'::${typeName}`)}
      THEN ${value} * ${raw(`'Infinity'::${typeName}`)} ELSE ${value} END`;
  if (type === 'decimal' && column?.numericPrecision === null) {
    return bounded(LARGEST.exact, 'numeric');
  }
  if (type !== 'float') return value;
  return isReal(column) ? sql`(${value})::float8` : bounded(LARGEST[aggregate], 'float8');
}

/** A total of `real` values has their precision, unless it is too large for `real`. */
function totalOfReals(total: Sql): Sql {
  return sql`CASE WHEN abs(${total}) < ${raw(LARGEST_REAL)}::float8
    THEN (${total})::real::text::float8 ELSE ${total} END`;
}

/** Floats are numbers in the result; exact numbers are texts. */
function aggregateSql({ term: { aggregate }, column }: Aggregate): Written {
  if (column === null) return countOf(sql`*`);
  const value = visibleSql(column);
  const { field } = column;
  if (aggregate === 'count') return countOf(value);
  if (aggregate === 'countDistinct') {
    return countOf(field.type === 'json' ? sql`DISTINCT (${value})::text` : sql`DISTINCT ${value}`);
  }
  if (aggregate === 'min' || aggregate === 'max') {
    const extreme = sql`${raw(aggregate)}(${value})`;
    return { raw: extreme, output: outputOf(field, extreme) };
  }
  const distinct = aggregate.endsWith('Distinct') ? sql`DISTINCT ` : empty;
  const name = aggregate.startsWith('sum') ? 'sum' : 'avg';
  const made = sql`${raw(name)}(${distinct}${addend(value, field, name)})`;
  const total = name === 'sum' && isReal(field.column) ? totalOfReals(made) : made;
  return { raw: total, output: field.type === 'float' ? total : sql`${total}::text` };
}

interface WrittenGroup extends Written {
  /** The join that the value needs; usually empty. */
  readonly join: Sql;
}

/** Whether the value has parameters: PostgreSQL would treat repeated ones as different. */
function hasParameters(value: Value): boolean {
  if (value.kind === 'call') return value.name === 'json' || value.column.guard !== null;
  if (value.kind === 'count') return value.guard !== null;
  return value.kind === 'column' && value.column.guard !== null;
}

function outputSql(value: Value, made: Sql): Sql {
  if (value.kind === 'column') return outputOf(value.column.field, made);
  return value.kind === 'call' && value.name === 'json' ? made : sql`(${made})::text`;
}

/**
 * A value with parameters is computed in a lateral join, so that the group and the value are the
 * same expression.
 */
function groupSql({ value }: Group, aliases: Aliases): WrittenGroup {
  const made = valueSql(value);
  if (!hasParameters(value)) return { raw: made, output: outputSql(value, made), join: empty };
  const alias = raw(aliases.next());
  const beside = sql`${alias}.value`;
  return {
    raw: beside,
    output: outputSql(value, beside),
    join: sql` CROSS JOIN LATERAL (SELECT ${made} AS value) AS ${alias}`,
  };
}

/** `{count: "5"}` for `*`, `{sum: {price: "12.5"}}` for fields. */
function outputs(aggregates: readonly Aggregate[], written: ReadonlyMap<Aggregate, Written>) {
  const byFunction = new Map<string, { field: string; output: Sql }[]>();
  for (const one of aggregates) {
    const { aggregate, field } = one.term;
    const entries = byFunction.get(aggregate) ?? [];
    const output = written.get(one)?.output;
    if (output !== undefined) entries.push({ field, output });
    byFunction.set(aggregate, entries);
  }
  const result = new Map<string, Sql>();
  for (const [name, entries] of byFunction) {
    const [only] = entries;
    if (only !== undefined && entries.length === 1 && only.field === '*') {
      result.set(name, only.output);
      continue;
    }
    result.set(name, objectSql(entries.map(({ field, output }) => [field, output])));
  }
  return result;
}

/** The select list, groups and order of a level with aggregates. */
export interface AggregationSql {
  readonly values: ReadonlyMap<string, Sql>;
  readonly joins: Sql;
  /** The grouping expressions; empty for one group of all rows. */
  readonly groups: readonly Sql[];
  readonly orderBy: Sql;
}

export function aggregationSql(plan: Aggregation, aliases: Aliases): AggregationSql {
  const { groups, aggregates, terms, nullsLast } = plan;
  const byGroup = new Map(groups.map((group) => [group, groupSql(group, aliases)]));
  const byTerm = new Map(aggregates.map((one) => [one, aggregateSql(one)]));
  const values = new Map<string, Sql>();
  for (const [{ key }, { output }] of byGroup) values.set(key, output);
  for (const [name, output] of outputs(aggregates, byTerm)) values.set(name, output);
  const down = nullsLast ? sql` DESC NULLS LAST` : sql` DESC`;
  const order = terms.flatMap(({ value, descending }) => {
    const written = 'key' in value ? byGroup.get(value) : byTerm.get(value);
    if (written === undefined) return [];
    return [descending ? sql`${written.raw}${down}` : written.raw];
  });
  const written = [...byGroup.values()];
  return {
    values,
    joins: join(
      written.map((group) => group.join),
      '',
    ),
    groups: written.map((group) => group.raw),
    orderBy: order.length === 0 ? empty : sql` ORDER BY ${join(order)}`,
  };
}
