/**
 * Paths of variables: `$CURRENT_USER.role.name` stands for the values at the end of the path from
 * the caller's own records. A subselect of the statement reads them; it is the same for every row.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import type { Family, PathOperand, RecordPath } from './condition.ts';
import { Placeholder } from './placeholder.ts';
import type { Column, Join, Match } from './plan.ts';
import {
  childrenMatch,
  columnRef,
  endsMatch,
  enterScope,
  guardOf,
  openScope,
  type PlanContext,
  parseScopedName,
  type Scope,
  unknownField,
  visibleField,
  visibleRelation,
  visibleRelationEnd,
} from './scope.ts';
import { NO_VALUE, resolveVariable } from './variable.ts';

const COLLECTION: Readonly<Record<string, string>> = {
  $CURRENT_USER: 'system_users',
  $CURRENT_ROLE: 'system_roles',
  $CURRENT_ROLES: 'system_roles',
  $CURRENT_POLICIES: 'system_policies',
};

/** Fields that no rule may compare with. */
const SECRETS: ReadonlySet<string> = new Set([
  'password',
  'token',
  'next_token',
  'tfa_secret',
  'auth_data',
]);

const FAMILIES: Readonly<Record<string, Family>> = {
  integer: 'number',
  bigInteger: 'number',
  float: 'number',
  decimal: 'number',
  string: 'text',
  text: 'text',
  csv: 'text',
  unknown: 'text',
  json: 'text',
  uuid: 'uuid',
  boolean: 'boolean',
  date: 'timestamp',
  dateTime: 'timestamp',
  timestamp: 'timestamp',
  time: 'time',
};

function conversionOf({ text, family }: RecordPath, field: ColumnField | null): PathOperand['as'] {
  const wanted = field === null ? 'number' : FAMILIES[field.type];
  const isText = wanted === 'text' || (wanted === 'uuid' && field?.column.typeName !== 'uuid');
  if (isText) return 'text';
  if (wanted === family) return null;
  if (family === 'text' && (wanted === 'uuid' || wanted === 'number')) return wanted;
  throw invalidQuery(reason('compared_field_of_other_type', { text }));
}

/**
 * All values of a path. @throws ServiceError INVALID_QUERY when they cannot be compared with the
 * field
 */
export function allValues(path: RecordPath, field: ColumnField | null): PathOperand {
  return { kind: 'path', path, as: conversionOf(path, field), all: true };
}

/** The only value of a path. @throws ServiceError INVALID_QUERY also when it may have several */
export function singleValue(path: RecordPath, field: ColumnField | null): PathOperand {
  if (path.single) return { ...allValues(path, field), all: false };
  throw invalidQuery(reason('compared_field_has_several_values', { text: path.text }));
}

/** The state of resolving a path: the current scope, and the joins that lead to it. */
interface Walk {
  scope: Scope;
  single: boolean;
  readonly joins: Join[];
}

function step(walk: Walk, relation: Relation, target: string, segment: string): void {
  const { scope } = walk;
  const next = enterScope(scope, relation, target, segment);
  const match = matchOf(scope, next, relation);
  walk.joins.push({ table: next.table, match, guard: guardOf(scope, relation.field) });
  walk.scope = next;
  walk.single &&= relation.kind === 'm2o' || relation.kind === 'a2o';
}

function matchOf(scope: Scope, next: Scope, relation: Relation): Match {
  if (relation.kind === 'a2o') {
    const end = visibleRelationEnd(scope, relation, next.collection.name);
    if (end === null) throw new TypeError(`${relation.field} does not lead there`);
    return { kind: 'any', from: scope.table, to: next.table, relation, end };
  }
  if (relation.kind !== 'm2o') return childrenMatch(scope, next, relation);
  const left = { table: next.table, columns: relation.one.columns };
  return endsMatch(left, { table: scope.table, columns: relation.many.columns });
}

function targetOf(scope: Scope, relation: Relation, scoped: string | null, place: string): string {
  if (relation.kind === 'm2o') return relation.one.collection;
  if (relation.kind !== 'a2o') return relation.many.collection;
  const end = visibleRelationEnd(scope, relation, scoped);
  if (end !== null) return end.collection;
  throw invalidQuery(reason('field_collection_expected', { place, field: relation.field }));
}

/** Resolves one segment; `item:collection` for a relation to several collections. */
function follow(walk: Walk, segment: string, place: string): void {
  const { field, collection } = parseScopedName(segment);
  const relation = visibleRelation(walk.scope, field);
  if (relation === null) throw unknownField(walk.scope, segment, 'filter');
  step(walk, relation, targetOf(walk.scope, relation, collection, place), segment);
}

/** The column that the last segment names; for a list of related items, their key. */
function lastColumn(walk: Walk, name: string, place: string): string {
  if (visibleField(walk.scope, name)?.column) return name;
  follow(walk, name, place);
  const [key, ...more] = walk.scope.collection.primaryKey;
  if (key === undefined || more.length > 0) throw unknownField(walk.scope, name, 'filter');
  return key.name;
}

/** The list type of a value, whose elements count as several values; null for a single value. */
function elementsOf({ field }: Column): RecordPath['elements'] {
  if (field.column.elementType !== null) return 'array';
  if (field.type === 'csv') return 'csv';
  return field.type === 'json' ? 'document' : null;
}

function familyOf({ field: { type, column } }: Column): Family | undefined {
  return type !== 'uuid' || column.typeName === 'uuid' ? FAMILIES[type] : 'text';
}

/** Whether a text is a variable with a path. */
export function isRecordPath(text: string): boolean {
  return /^\$CURRENT_(USER|ROLE|ROLES|POLICIES)\./.test(text);
}

/**
 * Resolves a variable with a path.
 * @returns {@link NO_VALUE} when the caller has no such record
 * @throws ServiceError FORBIDDEN for a field that is unknown, concealed, or may not be seen;
 * INVALID_QUERY for one whose values cannot be compared
 */
export function resolveRecordPath(
  context: PlanContext,
  text: string,
  place: string,
): RecordPath | typeof NO_VALUE {
  const [variable = '', ...segments] = text.split('.');
  const ids = resolveVariable(context, variable);
  if (ids === NO_VALUE) return NO_VALUE;
  const root = openScope(context, COLLECTION[variable] ?? '');
  const isList = variable === '$CURRENT_ROLES' || variable === '$CURRENT_POLICIES';
  const walk: Walk = { scope: root, single: !isList, joins: [] };
  for (const segment of segments.slice(0, -1)) follow(walk, segment, place);
  const name = lastColumn(walk, segments.at(-1) ?? '', place);
  const column = columnRef(walk.scope, name, 'filter');
  if (isConcealed(column.field) || (walk.scope.collection.system && SECRETS.has(name))) {
    throw unknownField(walk.scope, name, 'filter');
  }
  const elements = elementsOf(column);
  const family = elements === null ? familyOf(column) : 'text';
  if (family === undefined) throw invalidQuery(reason('variable_not_comparable', { place, text }));
  return {
    text,
    root: root.table,
    joins: walk.joins,
    ids: context.usesPlaceholders
      ? new Placeholder((binding) => resolveVariable(binding, variable))
      : ids,
    isList,
    column,
    elements,
    family,
    single: walk.single && elements === null,
  };
}
