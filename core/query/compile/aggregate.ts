/** Compiles aggregates, in groups or over all rows of a level. */
import { empty, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { forbidden, invalidQuery } from '#core/errors/service-error.ts';
import { callOf, resultKey } from '../call.ts';
import type { AggregateTerm, Level } from '../query.ts';
import { callSql } from './call.ts';
import { isGeometry } from './geometry.ts';
import { isConcealed, outputOf } from './output.ts';
import { objectSql } from './row.ts';
import { columnRef, guardOf, noField, type Scope, visibleValue } from './scope.ts';

/** One value of a result row, for the answer and for sorting. */
interface Value {
  readonly output: Sql;
  readonly raw: Sql;
}

const NUMERIC: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'float', 'decimal']);

function countOf(argument: Sql): Value {
  const count = sql`count(${argument})`;
  return { raw: count, output: sql`${count}::text` };
}

/** Floats are numbers in the answer; exact numbers are texts. */
function valueOfTerm(scope: Scope, term: AggregateTerm): Value {
  const { aggregate, field: name } = term;
  if (name === '*') {
    if (aggregate === 'count' || aggregate === 'countAll') return countOf(sql`*`);
    throw invalidQuery(`"aggregate.${aggregate}" needs the name of a field.`);
  }
  const ref = columnRef(scope, name, 'aggregate');
  const value = visibleValue(ref);
  const { type } = ref.field;
  if (aggregate === 'count') return countOf(value);
  if (isConcealed(ref.field)) throw noField(scope, name, 'aggregate');
  if (aggregate === 'countDistinct') {
    return countOf(type === 'json' ? sql`DISTINCT (${value})::text` : sql`DISTINCT ${value}`);
  }
  if (aggregate === 'min' || aggregate === 'max') {
    if (['json', 'boolean', 'binary', 'uuid'].includes(type) || isGeometry(ref.field)) {
      throw invalidQuery(`"aggregate.${aggregate}" does not fit field "${name}" of type ${type}.`);
    }
    const extreme = sql`${aggregate === 'min' ? sql`min` : sql`max`}(${value})`;
    return { raw: extreme, output: outputOf(ref.field, extreme) };
  }
  if (!NUMERIC.has(type)) {
    throw invalidQuery(`"aggregate.${aggregate}" does not fit field "${name}" of type ${type}.`);
  }
  const distinct = aggregate.endsWith('Distinct') ? sql`DISTINCT ` : sql``;
  const total = sql`${aggregate.startsWith('sum') ? sql`sum` : sql`avg`}(${distinct}${value})`;
  return { raw: total, output: type === 'float' ? total : sql`${total}::text` };
}

interface Group extends Value {
  readonly key: string;
  readonly asked: string;
  /** What has to be joined to the table for the value; empty for most. */
  readonly join: Sql;
}

/**
 * A value with parameters, computed beside the row: repeated, its parameters would be different
 * ones to PostgreSQL, and the group another one.
 */
function besideRow(scope: Scope, value: Sql): { raw: Sql; join: Sql } {
  const alias = raw(scope.context.nextAlias());
  return {
    raw: sql`${alias}.value`,
    join: sql` CROSS JOIN LATERAL (SELECT ${value} AS value) AS ${alias}`,
  };
}

function groupOf(scope: Scope, asked: string): Group {
  const call = callOf(asked);
  if (call !== null && !scope.collection.fields.has(asked)) {
    const key = resultKey(call);
    const value = callSql(scope, call, 'groupBy');
    if (call.name !== 'json' && guardOf(scope, call.field) === null) {
      return { asked, key, raw: value, output: sql`(${value})::text`, join: empty };
    }
    const beside = besideRow(scope, value);
    const output = call.name === 'json' ? beside.raw : sql`(${beside.raw})::text`;
    return { asked, key, ...beside, output };
  }
  const ref = columnRef(scope, asked, 'groupBy');
  if (isConcealed(ref.field)) throw noField(scope, asked, 'groupBy');
  if (ref.field.type === 'json' || isGeometry(ref.field)) {
    throw invalidQuery(
      `"groupBy": items cannot be grouped by "${asked}" of type ${ref.field.type}.`,
    );
  }
  if (ref.guard !== null) {
    const beside = besideRow(scope, visibleValue(ref));
    return { asked, key: asked, ...beside, output: outputOf(ref.field, beside.raw) };
  }
  const { column } = ref;
  return { asked, key: asked, raw: column, output: outputOf(ref.field, column), join: empty };
}

/** `{count: "5"}` for `*`, `{sum: {price: "12.5"}}` for fields. */
function outputs(terms: readonly { term: AggregateTerm; value: Value }[]): Map<string, Sql> {
  const byFunction = new Map<string, { field: string; output: Sql }[]>();
  for (const { term, value } of terms) {
    const entries = byFunction.get(term.aggregate) ?? [];
    entries.push({ field: term.field, output: value.output });
    byFunction.set(term.aggregate, entries);
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

/** What a level with aggregates selects, groups by and is ordered by. */
export interface Aggregation {
  readonly values: ReadonlyMap<string, Sql>;
  readonly joins: Sql;
  /** What the rows are grouped by; empty for one group of all. */
  readonly groups: readonly Sql[];
  readonly orderBy: Sql;
}

/**
 * Compiles the aggregates of a level; a level that only groups has none.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export function compileAggregation(scope: Scope, level: Level): Aggregation {
  const groups = level.groupBy.map((asked) => groupOf(scope, asked));
  const terms = level.aggregate.map((term) => ({ term, value: valueOfTerm(scope, term) }));
  const values = new Map(groups.map((group) => [group.key, group.output]));
  for (const [name, output] of outputs(terms)) values.set(name, output);
  const sortable = (path: readonly string[]): Sql => {
    const [head = '', field] = path;
    const group = groups.find(
      (entry) => path.length === 1 && [entry.key, entry.asked].includes(head),
    );
    if (group !== undefined) return group.raw;
    const found = terms.find(
      ({ term }) => term.aggregate === head && (field === undefined || term.field === field),
    );
    if (found !== undefined && path.length <= 2) return found.value.raw;
    throw forbidden(
      `"sort" may name groups and aggregates of this query, not "${path.join('.')}".`,
    );
  };
  // Related items have nulls last whatever the direction; the groups' own values decide ties.
  const down = scope.through === undefined ? sql` DESC` : sql` DESC NULLS LAST`;
  const asked = level.sort.map(({ path, descending }) =>
    descending ? sql`${sortable(path)}${down}` : sortable(path),
  );
  const named = new Set(level.sort.map(({ path }) => path.join('.')));
  const ties = groups.filter(({ key, asked: name }) => !named.has(key) && !named.has(name));
  const order = [...asked, ...ties.map((group) => group.raw)];
  return {
    values,
    joins: join(
      groups.map((group) => group.join),
      '',
    ),
    groups: groups.map((group) => group.raw),
    orderBy: order.length === 0 ? sql`` : sql` ORDER BY ${join(order)}`,
  };
}
