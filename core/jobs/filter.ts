/** The filter and sort of `GET /jobs`. */
import * as v from 'valibot';
import { empty, join, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';

const text = v.string();
const uuid = v.pipe(text, v.uuid());
const time = v.pipe(text, v.isoTimestamp());
const number = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2_147_483_647));

/** The fields for filter and sort. */
const FIELDS: ReadonlyMap<string, { readonly column: Sql; readonly value: v.GenericSchema }> =
  new Map<string, { readonly column: Sql; readonly value: v.GenericSchema }>([
    ['id', { column: sql`id`, value: uuid }],
    ['kind', { column: sql`kind`, value: text }],
    ['state', { column: sql`state`, value: text }],
    ['collection', { column: sql`collection`, value: text }],
    ['created_on', { column: sql`created_on`, value: time }],
    ['started_on', { column: sql`started_on`, value: time }],
    ['finished_on', { column: sql`finished_on`, value: time }],
    ['attempts', { column: sql`attempt`, value: number }],
  ]);

const COMPARISONS: ReadonlyMap<string, (column: Sql, value: unknown) => Sql> = new Map([
  ['_eq', (column, value) => sql`${column} = ${value}`],
  ['_neq', (column, value) => sql`${column} <> ${value}`],
  ['_lt', (column, value) => sql`${column} < ${value}`],
  ['_lte', (column, value) => sql`${column} <= ${value}`],
  ['_gt', (column, value) => sql`${column} > ${value}`],
  ['_gte', (column, value) => sql`${column} >= ${value}`],
]);

const LISTS: ReadonlyMap<string, Sql> = new Map([
  ['_in', sql`IN`],
  ['_nin', sql`NOT IN`],
]);

const MAX_DEPTH = 10;
const MAX_VALUES = 1_000;
const object = v.record(v.string(), v.unknown());

function parse<T>(schema: v.GenericSchema<unknown, T>, value: unknown, where: string): T {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw invalidQuery(`filter: ${where} has a value of the wrong type.`);
}

function condition(name: string, operator: string, value: unknown): Sql {
  const field = FIELDS.get(name);
  const where = `${name}.${operator}`;
  if (field === undefined) throw invalidQuery(`filter: jobs have no field ${name}.`);
  const comparison = COMPARISONS.get(operator);
  if (comparison !== undefined) return comparison(field.column, parse(field.value, value, where));
  const list = LISTS.get(operator);
  if (list !== undefined) {
    const values = parse(v.pipe(v.array(field.value), v.maxLength(MAX_VALUES)), value, where);
    if (values.length === 0) throw invalidQuery(`filter: ${where} must not be an empty list.`);
    return sql`${field.column} ${list} (${join(values.map((one) => sql`${one}`))})`;
  }
  if (operator !== '_null' && operator !== '_nnull') {
    throw invalidQuery(`filter: there is no operator ${operator} for ${name}.`);
  }
  const isNull = parse(v.boolean(), value, where) === (operator === '_null');
  return isNull ? sql`${field.column} IS NULL` : sql`${field.column} IS NOT NULL`;
}

/** The conditions of one object. An empty alternative would match everything. */
function conditionsOf(filter: unknown, depth: number): readonly Sql[] {
  if (depth > MAX_DEPTH) throw invalidQuery('filter: it is nested too deeply.');
  return Object.entries(parse(object, filter, 'it')).flatMap(([name, value]) => {
    if (name === '_and' || name === '_or') {
      const parts = parse(v.array(v.unknown()), value, name).map((part) =>
        conditionsOf(part, depth + 1),
      );
      if (name === '_and') return parts.flat();
      if (parts.length > 0 && parts.every((part) => part.length > 0)) {
        return [sql`(${join(parts.map(all), ' OR ')})`];
      }
      throw invalidQuery('filter: _or holds no condition.');
    }
    const operations = Object.entries(parse(object, value, name));
    if (operations.length === 0) throw invalidQuery(`filter: ${name} holds no condition.`);
    return operations.map(([operator, operand]) => condition(name, operator, operand));
  });
}

function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql`(${join(conditions, ' AND ')})`;
}

/**
 * Compiles a filter such as `{state: {_in: ['waiting', 'running']}}`, with `_and` and `_or`. Throws
 * INVALID_QUERY with the path.
 */
export function jobCondition(filter: unknown): Sql {
  return all(conditionsOf(filter, 0));
}

/** Compiles a sort such as `['-created_on', 'kind']`; by default the latest job first. */
export function jobOrder(sort: readonly string[]): Sql {
  const keys = sort.map((key) => {
    const field = FIELDS.get(key.replace(/^-/, ''));
    if (field === undefined) throw invalidQuery(`sort: jobs have no field ${key}.`);
    return sql`${field.column} ${key.startsWith('-') ? sql`DESC` : empty}`;
  });
  return join([...keys, sql`sequence DESC`]);
}
