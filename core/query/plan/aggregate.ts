/** Plans aggregates, in groups or over all rows of a level. */
import { isConcealed } from '#core/catalog/concealed-field.ts';
import { forbidden, invalidQuery } from '#core/errors/service-error.ts';
import { callOf, resultKey } from '../call.ts';
import type { AggregateTerm, Level } from '../query.ts';
import { planCall } from './call.ts';
import { isGeometry } from './geometry.ts';
import type { Aggregate, Aggregation, Group } from './plan.ts';
import { columnRef, noField, type Scope } from './scope.ts';

const NUMERIC: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const UNORDERED: ReadonlySet<string> = new Set(['json', 'boolean', 'binary', 'uuid']);

function aggregateOf(scope: Scope, term: AggregateTerm): Aggregate {
  const { aggregate, field: name } = term;
  if (name === '*') {
    if (aggregate === 'count' || aggregate === 'countAll') return { term, column: null };
    throw invalidQuery(`"aggregate.${aggregate}" needs the name of a field.`);
  }
  const column = columnRef(scope, name, 'aggregate');
  if (aggregate === 'count') return { term, column };
  if (isConcealed(column.field)) throw noField(scope, name, 'aggregate');
  if (aggregate === 'countDistinct') return { term, column };
  const { type } = column.field;
  const fits =
    aggregate === 'min' || aggregate === 'max'
      ? !UNORDERED.has(type) && !isGeometry(column.field)
      : NUMERIC.has(type);
  if (fits) return { term, column };
  throw invalidQuery(`"aggregate.${aggregate}" does not fit field "${name}" of type ${type}.`);
}

function groupOf(scope: Scope, asked: string): Group {
  const call = callOf(asked);
  if (call !== null && !scope.collection.fields.has(asked)) {
    return { asked, key: resultKey(call), value: planCall(scope, call, 'groupBy') };
  }
  const column = columnRef(scope, asked, 'groupBy');
  if (isConcealed(column.field)) throw noField(scope, asked, 'groupBy');
  if (column.field.type === 'json' || isGeometry(column.field)) {
    throw invalidQuery(
      `"groupBy": items cannot be grouped by "${asked}" of type ${column.field.type}.`,
    );
  }
  return { asked, key: asked, value: { kind: 'column', column } };
}

/** Whether a level is answered by groups of its items rather than by them. */
export function isAggregated(level: Level): boolean {
  return level.aggregate.length > 0 || level.groupBy.length > 0;
}

/**
 * Plans the aggregates of a level; a level that only groups has none.
 * @throws ServiceError FORBIDDEN, INVALID_QUERY
 */
export function planAggregation(scope: Scope, level: Level): Aggregation {
  const groups = level.groupBy.map((asked) => groupOf(scope, asked));
  const aggregates = level.aggregate.map((term) => aggregateOf(scope, term));
  const sortable = (path: readonly string[]): Group | Aggregate => {
    const [head = '', field] = path;
    const group = groups.find(
      (entry) => path.length === 1 && [entry.key, entry.asked].includes(head),
    );
    if (group !== undefined) return group;
    const found = aggregates.find(
      ({ term }) => term.aggregate === head && (field === undefined || term.field === field),
    );
    if (found !== undefined && path.length <= 2) return found;
    throw forbidden(
      `"sort" may name groups and aggregates of this query, not "${path.join('.')}".`,
    );
  };
  const asked = level.sort.map(({ path, descending }) => ({ value: sortable(path), descending }));
  const named = new Set(level.sort.map(({ path }) => path.join('.')));
  // The groups' own values decide ties.
  const ties = groups.filter(({ key, asked: name }) => !named.has(key) && !named.has(name));
  const terms = [...asked, ...ties.map((value) => ({ value, descending: false }))];
  return { kind: 'groups', groups, aggregates, terms, nullsLast: scope.through !== undefined };
}
