/** Compiles functions on fields: parts of dates, counts of related items, places in documents. */
import { type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { type Call, DATE_FUNCTIONS, type FunctionName, TIME_FUNCTIONS } from '../call.ts';
import { relatedCount } from './count.ts';
import { stepsOf } from './document.ts';
import { isConcealed } from './output.ts';
import { columnRef, noField, type Scope, visibleRelation, visibleValue } from './scope.ts';

const PART: Readonly<Partial<Record<FunctionName, Sql>>> = {
  year: sql`year`,
  month: sql`month`,
  week: sql`week`,
  day: sql`day`,
  weekday: sql`dow`,
  hour: sql`hour`,
  minute: sql`minute`,
  second: sql`second`,
};

const DATES: ReadonlySet<string> = new Set(DATE_FUNCTIONS);
const TIMES: ReadonlySet<string> = new Set(TIME_FUNCTIONS);

function takes(name: FunctionName, type: string): boolean {
  if (type === 'dateTime' || type === 'timestamp') return DATES.has(name) || TIMES.has(name);
  if (type === 'date') return DATES.has(name);
  return type === 'time' && TIMES.has(name);
}

function countRelated(scope: Scope, call: Call): Sql | null {
  const relation = visibleRelation(scope, call.field);
  if (relation === null || relation.kind === 'm2o' || relation.kind === 'a2o') return null;
  if (!relation.indexed) scope.context.markScan();
  return relatedCount(scope, relation);
}

/**
 * The value of a call for a row of the scope.
 * @param clause the query parameter it stands in
 * @throws ServiceError FORBIDDEN for a field that may not be seen, INVALID_QUERY where the function
 *   does not fit the field
 */
export function callSql(scope: Scope, call: Call, clause: string): Sql {
  const { name, field: fieldName } = call;
  const text = `${name}(${fieldName})`;
  if (name === 'count') {
    const count = countRelated(scope, call);
    if (count !== null) return count;
  }
  const ref = columnRef(scope, fieldName, clause);
  // A part of a value that is never shown would show it after all.
  if (isConcealed(ref.field)) throw noField(scope, fieldName, clause);
  const value = visibleValue(ref);
  const { type, column } = ref.field;
  if (type === 'json' && column.elementType !== null && name === 'json') {
    const steps = stepsOf(call.path, clause, scope.context.bounds.maxJsonDepth);
    return sql`(to_jsonb(${value}) #> ${steps}::text[])`;
  }
  if (type === 'json' && column.elementType === null) {
    const document = sql`(${value})::jsonb`;
    if (name === 'json') {
      const steps = stepsOf(call.path, clause, scope.context.bounds.maxJsonDepth);
      return sql`(${document} #> ${steps}::text[])`;
    }
    if (name === 'count') {
      return sql`(CASE jsonb_typeof(${document}) WHEN 'array' THEN jsonb_array_length(${document}) END)`;
    }
  }
  if (name === 'count' && column.elementType !== null) return sql`cardinality(${value})`;
  const part = PART[name];
  if (part === undefined || !takes(name, type)) {
    throw invalidQuery(`"${clause}": ${text} does not fit a field of type ${type}.`);
  }
  // Seconds come with their fraction, which a cast alone would round up to the next minute.
  const number = sql`trunc(extract(${part} FROM ${value}))::int`;
  // `infinity` has no parts. Its year would fail the statement, even on rows that are hidden.
  return type === 'time' ? number : sql`CASE WHEN isfinite(${value}) THEN ${number} END`;
}

/** A call's value in the answer: counts and parts of dates are texts there, like all counts. */
export function callOutput(scope: Scope, call: Call, clause: string): Sql {
  const value = callSql(scope, call, clause);
  return call.name === 'json' ? value : sql`(${value})::text`;
}
