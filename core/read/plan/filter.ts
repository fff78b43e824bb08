/** Plans filters, across relations, as conditions. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { AnyToOne, ManyToOne, Relation, ToMany } from '#core/model/catalog/relation.ts';
import { parseFunctionCall } from '#core/query/function-call.ts';
import type { Filter } from '#core/query/query.ts';
import { planCall } from './call.ts';
import {
  type Condition,
  combineConditions,
  type Subject,
  VOID,
  whereVisible,
} from './condition.ts';
import { jsonPathSteps } from './json-path.ts';
import { mayBeList, planListOperation, quantifiedCondition } from './list-value.ts';
import { type Operation, operatorByFlag, planOperation } from './operation.ts';
import type { Column, Join, Match } from './plan.ts';
import {
  columnRef,
  endsMatch,
  enterScope,
  guardOf,
  type PlanContext,
  parseScopedName,
  type Scope,
  unknownField,
  visibleField,
  visibleRelation,
  visibleRelationEnd,
} from './scope.ts';

type FieldFilter = Extract<Filter, { kind: 'field' }>;

function subjectOf(column: Column): Subject {
  const { field, guard } = column;
  const value = { kind: 'column', column } as const;
  return { value, type: field.type, field, concealed: isConcealed(field), guard };
}

/** Plans the operations on one member of a document. */
function planMember(context: PlanContext, subject: Subject, filter: Filter): Condition {
  if (filter.kind === 'operation') return planOperation(context, subject, filter);
  if (filter.kind !== 'group') {
    throw invalidQuery(reason('member_operator_expected', { place: filter.place }));
  }
  const parts = filter.filters.map((part) => planMember(context, subject, part));
  return combineConditions(filter.connective, parts);
}

/** Plans conditions inside a document: each key is the whole path to one member. */
function planDocument(scope: Scope, subject: Subject, filter: Filter): Condition {
  if (filter.kind === 'group') {
    const parts = filter.filters.map((part) => planDocument(scope, subject, part));
    return combineConditions(filter.connective, parts);
  }
  if (filter.kind !== 'field') {
    throw invalidQuery(reason('document_path_expected', { place: filter.place }));
  }
  const steps = jsonPathSteps(filter.key, filter.place, scope.context.bounds.maxJsonDepth);
  const { field, guard, value: of } = subject;
  if (field === null) throw new TypeError('a document has a field behind it');
  const value = { kind: 'member', of, field, steps } as const;
  const member: Subject = { value, type: 'member', field: null, concealed: false, guard };
  return planMember(scope.context, member, filter.filter);
}

/** Plans the operations on one value; their group combines several. */
function planValue(scope: Scope, subject: Subject, name: string, filter: Filter): Condition {
  if (filter.kind === 'operation') {
    const ofList = mayBeList(subject) ? planListOperation(scope.context, subject, filter) : null;
    return ofList ?? planOperation(scope.context, subject, filter);
  }
  if (filter.kind === 'quantifier' && mayBeList(subject)) {
    const { filter: inner, quantifier } = filter;
    return quantifiedCondition(subject, quantifier === 'none', (element) =>
      planValue(scope, element, name, inner),
    );
  }
  if (filter.kind === 'document') {
    if (subject.type === 'json' && !subject.concealed) {
      return planDocument(scope, subject, filter.filter);
    }
    throw invalidQuery(reason('operator_needs_document', { place: filter.place, name }));
  }
  if (filter.kind === 'group') {
    return combineConditions(
      filter.connective,
      filter.filters.map((part) => planValue(scope, subject, name, part)),
    );
  }
  const { place } = filter;
  if (filter.kind === 'quantifier') {
    throw invalidQuery(reason('operator_needs_related_list', { place, name }));
  }
  if (filter.key.startsWith('_')) throw invalidQuery(reason('operator_unknown', { place }));
  throw unknownField(scope, `${name}.${filter.key}`, 'filter');
}

/** Whether a filter contains only operators, which apply to the field itself. */
function isOnValue(filter: Filter): boolean {
  if (filter.kind === 'operation' || filter.kind === 'document') return true;
  return filter.kind === 'group' && filter.filters.length > 0 && filter.filters.every(isOnValue);
}

function ofOne(scope: Scope, target: Scope, match: Match, node: FieldFilter): Condition {
  const field = parseScopedName(node.key).field;
  const join: Join = { table: target.table, match, guard: guardOf(scope, field) };
  const condition = planLevel(target, node.filter);
  return { kind: 'one', join, condition, strict: condition.strict, void: condition.void };
}

function throughOne(scope: Scope, relation: ManyToOne, node: FieldFilter): Condition {
  const target = enterScope(scope, relation, relation.one.collection, node.key);
  const match = endsMatch(
    { table: target.table, columns: relation.one.columns },
    { table: scope.table, columns: relation.many.columns },
  );
  return ofOne(scope, target, match, node);
}

function throughAny(scope: Scope, relation: AnyToOne, node: FieldFilter): Condition {
  const { collection } = parseScopedName(node.key);
  if (collection === null) {
    throw invalidQuery(reason('filter_collection_expected', { place: node.place, key: node.key }));
  }
  const end = visibleRelationEnd(scope, relation, collection);
  if (end === null) throw unknownField(scope, node.key, 'filter');
  const target = enterScope(scope, relation, collection, node.key);
  const match = { kind: 'any', from: scope.table, to: target.table, relation, end } as const;
  return ofOne(scope, target, match, node);
}

/** Whether some related item, or no related item, meets all of a filter. */
function ofMany(
  scope: Scope,
  relation: ToMany,
  key: string,
  { filter, none }: { readonly filter: Filter | null; readonly none: boolean },
): Condition {
  if (!relation.indexed) scope.level.scans = true;
  const child = enterScope(scope, relation, relation.many.collection, key);
  const condition = filter === null ? null : planMany(child, filter);
  const isVoid = condition?.void ?? false;
  // A comparison without a value is unknown, also when negated.
  if (none && isVoid === true) return VOID;
  const tables = { parent: scope.table, table: child.table };
  return { kind: 'many', ...tables, relation, none, condition, strict: !none, void: isVoid };
}

/** Plans a filter on related items; operators directly on the relation test the items' key. */
function planMany(child: Scope, filter: Filter): Condition {
  if (!isOnValue(filter)) return planLevel(child, filter);
  const [key, ...more] = child.collection.primaryKey;
  if (key === undefined || more.length > 0) {
    throw invalidQuery(reason('no_single_key_to_compare', { path: child.path.join('.') }));
  }
  return planValue(child, subjectOf(columnRef(child, key.name, 'filter')), key.name, filter);
}

/** `_null` tests for no related items, `_nnull` for some. */
function countTest(scope: Scope, relation: ToMany, key: string, operation: Operation): Condition {
  return ofMany(scope, relation, key, {
    filter: null,
    none: operatorByFlag(operation) === (operation.operator === '_null'),
  });
}

/**
 * Different related items may meet conditions under separate keys; `_some` requires one item for
 * all.
 */
function throughMany(scope: Scope, relation: ToMany, key: string, filter: Filter): Condition {
  if (filter.kind === 'group') {
    return combineConditions(
      filter.connective,
      filter.filters.map((part) => throughMany(scope, relation, key, part)),
    );
  }
  if (filter.kind === 'quantifier') {
    return ofMany(scope, relation, key, {
      filter: filter.filter,
      none: filter.quantifier === 'none',
    });
  }
  if (filter.kind === 'operation' && /^_n?null$/.test(filter.operator)) {
    return countTest(scope, relation, key, filter);
  }
  return ofMany(scope, relation, key, { filter, none: false });
}

function throughRelation(scope: Scope, relation: Relation, node: FieldFilter): Condition {
  if (relation.kind === 'm2o') return throughOne(scope, relation, node);
  if (relation.kind === 'a2o') return throughAny(scope, relation, node);
  // Where the caller may not see the list, the result is unknown, even for an empty list.
  const found = throughMany(scope, relation, node.key, node.filter);
  return whereVisible(guardOf(scope, relation.field), found);
}

function planFunction(scope: Scope, node: FieldFilter): Condition | null {
  const call = parseFunctionCall(node.key);
  if (call === null || call.name === 'json') return null;
  const value = planCall(scope, call, node.place);
  const subject: Subject = { value, type: 'integer', field: null, concealed: false, guard: null };
  // The count of an empty list is 0, not null.
  const inner = planValue(scope, subject, node.key, node.filter);
  return call.name === 'count' ? { ...inner, strict: false } : inner;
}

function planField(scope: Scope, node: FieldFilter): Condition {
  const { key, filter, place } = node;
  const field = visibleField(scope, key);
  const relation = visibleRelation(scope, parseScopedName(key).field);
  const isColumn = field !== null && field.column !== null;
  if (isColumn && (relation === null || isOnValue(filter))) {
    return planValue(scope, subjectOf(columnRef(scope, key, 'filter')), key, filter);
  }
  if (relation !== null) return throughRelation(scope, relation, node);
  const called = planFunction(scope, node);
  if (called !== null) return called;
  if (key.startsWith('_') && !scope.collection.fields.has(key)) {
    throw invalidQuery(reason('operator_or_field_unknown', { place }));
  }
  throw unknownField(scope, key, 'filter');
}

function planLevel(scope: Scope, filter: Filter): Condition {
  switch (filter.kind) {
    case 'group':
      return combineConditions(
        filter.connective,
        filter.filters.map((part) => planLevel(scope, part)),
      );
    case 'field':
      return planField(scope, filter);
    case 'quantifier':
      throw invalidQuery(reason('operator_without_related_list', { place: filter.place }));
    case 'document':
    case 'operation':
      throw invalidQuery(reason('field_expected', { place: filter.place }));
  }
}

/**
 * Plans a filter for the rows of a scope.
 * @throws ServiceError FORBIDDEN for a field that is unknown or may not be seen, INVALID_QUERY for
 *   an operator or a value that does not fit
 */
export function planFilter(scope: Scope, filter: Filter): Condition {
  scope.context.notes.conditions = true;
  return planLevel(scope, filter);
}
