/** Plans functions on fields: parts of dates, counts of related items, places in documents. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import { DATE_FUNCTIONS, type FunctionCall, TIME_FUNCTIONS } from '#core/query/function-call.ts';
import { jsonPathSteps } from './json-path.ts';
import type { Value } from './plan.ts';
import {
  columnRef,
  enterScope,
  guardOf,
  type Scope,
  unknownField,
  visibleRelation,
} from './scope.ts';

const DATES: ReadonlySet<string> = new Set(DATE_FUNCTIONS);
const TIMES: ReadonlySet<string> = new Set(TIME_FUNCTIONS);

function takes(name: string, type: string): boolean {
  if (type === 'dateTime' || type === 'timestamp') return DATES.has(name) || TIMES.has(name);
  if (type === 'date') return DATES.has(name);
  return type === 'time' && TIMES.has(name);
}

/** The number of list items that the caller may see, for a row of the scope. */
function relatedCount(scope: Scope, relation: ToMany): Value {
  const child = enterScope(scope, relation, relation.many.collection, relation.field);
  const guard = guardOf(scope, relation.field);
  return { kind: 'count', parent: scope.table, table: child.table, relation, guard };
}

function countRelated(scope: Scope, call: FunctionCall): Value | null {
  const relation = visibleRelation(scope, call.field);
  if (relation === null || relation.kind === 'm2o' || relation.kind === 'a2o') return null;
  if (!relation.indexed) scope.level.scans = true;
  return relatedCount(scope, relation);
}

/**
 * The value of a call for a row of the scope.
 * @param clause the query parameter that contains it
 * @throws ServiceError FORBIDDEN for a field that may not be seen, INVALID_QUERY when the function
 * does not fit the field
 */
export function planCall(scope: Scope, call: FunctionCall, clause: string): Value {
  const { name, field: fieldName } = call;
  if (name === 'count') {
    const count = countRelated(scope, call);
    if (count !== null) return count;
  }
  const column = columnRef(scope, fieldName, clause);
  // A part of a concealed value would disclose it.
  if (isConcealed(column.field)) throw unknownField(scope, fieldName, clause);
  const { type, column: described } = column.field;
  if (name === 'json' && type === 'json') {
    const steps = jsonPathSteps(call.path, clause, scope.context.bounds.maxJsonDepth);
    return { kind: 'call', name, column, steps };
  }
  const isCounted = name === 'count' && (type === 'json' || described.elementType !== null);
  if (isCounted || (name !== 'count' && name !== 'json' && takes(name, type))) {
    return { kind: 'call', name, column, steps: [] };
  }
  throw invalidQuery(
    reason('function_misfits_field_type', { clause, name, field: fieldName, type }),
  );
}
