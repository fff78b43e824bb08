/** Plans aggregates, in groups or over all rows of a level. */

import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidQuery } from '#core/base/errors/service-error.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import { aggregatesField } from '#core/query/aggregate.ts';
import { functionResultKey, parseFunctionCall } from '#core/query/function-call.ts';
import type { AggregateTerm, Level } from '#core/query/query.ts';
import { planCall } from './call.ts';
import { isGeometry } from './geometry.ts';
import type { Aggregate, Aggregation, Group } from './plan.ts';
import { columnRef, type Scope, unknownField } from './scope.ts';

function aggregateOf(scope: Scope, term: AggregateTerm): Aggregate {
  const { aggregate, field: name } = term;
  if (name === '*') {
    if (aggregate === 'count' || aggregate === 'countAll') return { term, column: null };
    throw invalidQuery(reason('aggregate_field_name_expected', { aggregate }));
  }
  const column = columnRef(scope, name, 'aggregate');
  if (aggregatesField(aggregate, column.field)) return { term, column };
  if (isConcealed(column.field)) throw unknownField(scope, name, 'aggregate');
  const { type } = column.field;
  throw invalidQuery(reason('aggregate_misfits_field_type', { aggregate, name, type }));
}

function groupOf(scope: Scope, asked: string): Group {
  const call = parseFunctionCall(asked);
  if (call !== null && !scope.collection.fields.has(asked)) {
    return { asked, key: functionResultKey(call), value: planCall(scope, call, 'groupBy') };
  }
  const column = columnRef(scope, asked, 'groupBy');
  if (isConcealed(column.field)) throw unknownField(scope, asked, 'groupBy');
  if (column.field.type === 'json' || isGeometry(column.field)) {
    throw invalidQuery(
      reason('group_by_misfits_field_type', { field: asked, type: column.field.type }),
    );
  }
  return { asked, key: asked, value: { kind: 'column', column } };
}

/** Whether a level returns groups of items instead of items. */
export function isAggregated(level: Level): boolean {
  return level.aggregate.length > 0 || level.groupBy.length > 0;
}

/**
 * Plans the aggregates of a level; a level that only groups has no aggregates.
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
    throw forbidden(reason('sort_outside_groups', { path: path.join('.') }));
  };
  const asked = level.sort.map(({ path, descending }) => ({ value: sortable(path), descending }));
  const named = new Set(level.sort.map(({ path }) => path.join('.')));
  // The remaining groups break ties.
  const ties = groups.filter(({ key, asked: name }) => !named.has(key) && !named.has(name));
  const terms = [...asked, ...ties.map((value) => ({ value, descending: false }))];
  return { kind: 'groups', groups, aggregates, terms, nullsLast: scope.through !== undefined };
}
