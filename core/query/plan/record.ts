/**
 * Paths behind variables: `$CURRENT_USER.role.name` stands for the values that the path leads to
 * from the caller's own records. They are read by a sub-select of the statement itself, which is
 * the same for every row.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import { isConcealed } from '#core/catalog/concealed-field.ts';
import type { Relation } from '#core/catalog/relation.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import type { Column, Join, Match, Table } from './plan.ts';
import {
  type Context,
  childrenMatch,
  columnRef,
  endsMatch,
  enterScope,
  guardOf,
  noField,
  openScope,
  type Scope,
  scopedOf,
  visibleEnd,
  visibleField,
  visibleRelation,
} from './scope.ts';
import { Slot } from './slot.ts';
import { NO_VALUE, resolveVariable } from './variable.ts';

const COLLECTION: Readonly<Record<string, string>> = {
  $CURRENT_USER: 'system_users',
  $CURRENT_ROLE: 'system_roles',
  $CURRENT_ROLES: 'system_roles',
  $CURRENT_POLICIES: 'system_policies',
};

/** What no rule may compare with, whoever wrote it. */
const SECRETS: ReadonlySet<string> = new Set([
  'password',
  'token',
  'next_token',
  'tfa_secret',
  'auth_data',
]);

type Family = 'number' | 'text' | 'uuid' | 'boolean' | 'timestamp' | 'time';

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

/** A path as it was followed from the caller's record. */
export interface RecordPath {
  /** As it was written. */
  readonly text: string;
  readonly root: Table;
  readonly joins: readonly Join[];
  /** The keys of the records, one or a list. */
  readonly ids: unknown;
  readonly isList: boolean;
  readonly column: Column;
  /** What the value is a list in, whose elements count as several values; null for one value. */
  readonly elements: 'array' | 'csv' | 'document' | null;
  readonly family: Family;
  /** There is at most one value. */
  readonly single: boolean;
}

/** The values of a path as they compare with a field. */
export interface PathOperand {
  readonly kind: 'path';
  readonly path: RecordPath;
  /** What the values are made: texts, or what texts look like; null: they stay what they are. */
  readonly as: 'text' | 'uuid' | 'number' | null;
  /** All of them; else the only one. */
  readonly all: boolean;
}

function conversionOf({ text, family }: RecordPath, field: ColumnField | null): PathOperand['as'] {
  const wanted = field === null ? 'number' : FAMILIES[field.type];
  const isText = wanted === 'text' || (wanted === 'uuid' && field?.column.typeName !== 'uuid');
  if (isText) return 'text';
  if (wanted === family) return null;
  if (family === 'text' && (wanted === 'uuid' || wanted === 'number')) return wanted;
  throw invalidQuery(`"${text}" is of another type than the field it is compared with.`);
}

/** All values of a path. @throws ServiceError INVALID_QUERY when they do not compare with the field */
export function allOf(path: RecordPath, field: ColumnField | null): PathOperand {
  return { kind: 'path', path, as: conversionOf(path, field), all: true };
}

/** The one value of a path. @throws ServiceError INVALID_QUERY also where there may be several */
export function oneOf(path: RecordPath, field: ColumnField | null): PathOperand {
  if (path.single) return { ...allOf(path, field), all: false };
  throw invalidQuery(`"${path.text}" has several values; use _in or _nin.`);
}

/** A path while it is followed: the scope it has come to, and how it got there. */
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
    const end = visibleEnd(scope, relation, next.collection.name);
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
  const end = visibleEnd(scope, relation, scoped);
  if (end !== null) return end.collection;
  throw invalidQuery(`"${place}" must name a collection, as in "${relation.field}:collection".`);
}

/** Follows one segment; `item:collection` where it may lead to several. */
function follow(walk: Walk, segment: string, place: string): void {
  const { field, collection } = scopedOf(segment);
  const relation = visibleRelation(walk.scope, field);
  if (relation === null) throw noField(walk.scope, segment, 'filter');
  step(walk, relation, targetOf(walk.scope, relation, collection, place), segment);
}

/** The column that the last segment names; for a list of related items their key. */
function lastColumn(walk: Walk, name: string, place: string): string {
  if (visibleField(walk.scope, name)?.column) return name;
  follow(walk, name, place);
  const [key, ...more] = walk.scope.collection.primaryKey;
  if (key === undefined || more.length > 0) throw noField(walk.scope, name, 'filter');
  return key.name;
}

/** Lists inside a value count as several values; null for a value that is no list. */
function elementsOf({ field }: Column): RecordPath['elements'] {
  if (field.column.elementType !== null) return 'array';
  if (field.type === 'csv') return 'csv';
  return field.type === 'json' ? 'document' : null;
}

function familyOf({ field: { type, column } }: Column): Family | undefined {
  return type !== 'uuid' || column.typeName === 'uuid' ? FAMILIES[type] : 'text';
}

/** Whether a text is a variable with a path behind it. */
export function isRecordPath(text: string): boolean {
  return /^\$CURRENT_(USER|ROLE|ROLES|POLICIES)\./.test(text);
}

/**
 * Follows a variable with a path.
 * @returns {@link NO_VALUE} when the caller has no such record
 * @throws ServiceError FORBIDDEN for a field that is unknown, concealed, or may not be seen;
 *   INVALID_QUERY for one whose values cannot be compared
 */
export function recordPath(
  context: Context,
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
    throw noField(walk.scope, name, 'filter');
  }
  const elements = elementsOf(column);
  const family = elements === null ? familyOf(column) : 'text';
  if (family === undefined) throw invalidQuery(`"${place}": "${text}" cannot be compared.`);
  return {
    text,
    root: root.table,
    joins: walk.joins,
    ids: context.slots ? new Slot((binding) => resolveVariable(binding, variable)) : ids,
    isList,
    column,
    elements,
    family,
    single: walk.single && elements === null,
  };
}
