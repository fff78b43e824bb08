/**
 * Paths behind variables: `$CURRENT_USER.role.name` stands for the values that the path leads to
 * from the caller's own records. They are read by a sub-select of the statement itself, which is
 * the same for every row.
 */
import type { ColumnField } from '#core/catalog/catalog.ts';
import type { AnyToOne, Relation } from '#core/catalog/relation.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { anyMatch } from './any-to-one.ts';
import { isConcealed } from './output.ts';
import {
  type Context,
  childrenMatch,
  columnRef,
  endsMatch,
  enterScope,
  noField,
  openScope,
  rowRule,
  type Scope,
  scopedOf,
  tableSql,
  visibleField,
  visibleRelation,
  visibleValue,
  whereSeen,
  whereSql,
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

type Family = 'number' | 'text' | 'uuid' | 'boolean' | 'moment' | 'time';

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
  date: 'moment',
  dateTime: 'moment',
  timestamp: 'moment',
  time: 'time',
};

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
const NUMBER = '^[+-]?[0-9]{1,100}([.][0-9]{1,100})?$';

/** The values at the end of a path. */
export class RecordValues {
  readonly #place: string;
  readonly #rows: Sql;
  readonly #family: Family;
  readonly #single: boolean;

  /** @param rows a select of one column `v`, as texts for families that are compared so */
  constructor(place: string, rows: Sql, family: Family, single: boolean) {
    this.#place = place;
    this.#rows = rows;
    this.#family = family;
    this.#single = single;
  }

  /** The value in a form that compares with this kind of field; texts become what they look like. */
  #converted(field: ColumnField | null): Sql {
    const wanted = field === null ? 'number' : FAMILIES[field.type];
    const isText = wanted === 'text' || (wanted === 'uuid' && field?.column.typeName !== 'uuid');
    if (isText) return sql`v::text`;
    if (wanted === this.#family) return sql`v`;
    if (this.#family === 'text' && wanted === 'uuid') {
      return sql`CASE WHEN v ~ ${UUID}::text THEN v::uuid END`;
    }
    if (this.#family === 'text' && wanted === 'number') {
      return sql`CASE WHEN v ~ ${NUMBER}::text THEN v::numeric END`;
    }
    throw invalidQuery(`"${this.#place}" is of another type than the field it is compared with.`);
  }

  #select(field: ColumnField | null): Sql {
    return sql`SELECT w FROM (SELECT ${this.#converted(field)} AS w FROM (${this.#rows}) AS r) AS s WHERE w IS NOT NULL`;
  }

  /** The one value, as it compares with a field; null when there is none. */
  one(field: ColumnField | null): Sql {
    if (!this.#single) throw invalidQuery(`"${this.#place}" has several values; use _in or _nin.`);
    return sql`(${this.#select(field)} LIMIT 1)`;
  }

  /** The value as JSON, numbers as texts; a list where there may be several; null for none. */
  json(): Sql {
    const value = this.#family === 'number' ? sql`v::text` : sql`v`;
    const values = sql`SELECT to_json(${value}) AS j FROM (${this.#rows}) AS r WHERE v IS NOT NULL`;
    return this.#single
      ? sql`(${values} LIMIT 1)`
      : sql`(SELECT json_agg(j) FROM (${values}) AS s)`;
  }

  /** All values as an array; null when there are none. */
  all(field: ColumnField | null): Sql {
    return sql`NULLIF(ARRAY(${this.#select(field)}), '{}')`;
  }
}

/** A path as it is compiled: the scope it has come to, and how it got there. */
interface Walk {
  scope: Scope;
  single: boolean;
  readonly joins: Sql[];
}

function step(walk: Walk, relation: Relation, target: string, segment: string): void {
  const { scope } = walk;
  const next = enterScope(scope, relation, target, segment);
  const rule = rowRule(next);
  const match = matchOf(scope, next, relation);
  const seen = whereSeen(scope, relation.field, match);
  walk.joins.push(
    sql` JOIN ${tableSql(next)} ON ${rule === null ? seen : sql`${seen} AND ${rule}`}`,
  );
  walk.scope = next;
  walk.single &&= relation.kind === 'm2o' || relation.kind === 'a2o';
}

function matchOf(scope: Scope, next: Scope, relation: Relation): Sql {
  if (relation.kind === 'a2o') {
    const end = endOf(relation, next.collection.name);
    return end === undefined ? sql`FALSE` : anyMatch(scope, next, relation, end);
  }
  if (relation.kind !== 'm2o') return childrenMatch(scope, next, relation);
  const left = { scope: next, columns: relation.one.columns };
  return endsMatch(left, { scope, columns: relation.many.columns });
}

function targetOf(relation: Relation, scoped: string | null, place: string): string {
  if (relation.kind === 'm2o') return relation.one.collection;
  if (relation.kind !== 'a2o') return relation.many.collection;
  const end = endOf(relation, scoped);
  if (end !== undefined) return end.collection;
  throw invalidQuery(`"${place}" must name a collection, as in "${relation.field}:collection".`);
}

function endOf(relation: AnyToOne, collection: string | null) {
  return relation.allowed.find((end) => end.collection === collection);
}

/** Follows one segment; `item:collection` where it may lead to several. */
function follow(walk: Walk, segment: string, place: string): void {
  const { field, collection } = scopedOf(segment);
  const relation = visibleRelation(walk.scope, field);
  if (relation === null) throw noField(walk.scope, segment, 'filter');
  step(walk, relation, targetOf(relation, collection, place), segment);
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
function elements(field: ColumnField, value: Sql): Sql | null {
  if (field.column.elementType !== null) return sql`unnest((${value})::text[])`;
  if (field.type === 'csv') return sql`unnest(string_to_array(${value}, ','))`;
  if (field.type !== 'json') return null;
  const document = sql`(${value})::jsonb`;
  return sql`jsonb_array_elements_text(CASE jsonb_typeof(${document}) WHEN 'array' THEN ${document} ELSE jsonb_build_array(${document}) END)`;
}

/** Whether a text is a variable with a path behind it. */
export function isRecordPath(text: string): boolean {
  return /^\$CURRENT_(USER|ROLE|ROLES|POLICIES)\./.test(text);
}

/**
 * Compiles a variable with a path.
 * @returns {@link NO_VALUE} when the caller has no such record
 * @throws ServiceError FORBIDDEN for a field that is unknown, concealed, or may not be seen;
 *   INVALID_QUERY for one whose values cannot be compared
 */
export function recordValues(
  context: Context,
  text: string,
  place: string,
): RecordValues | typeof NO_VALUE {
  const [variable = '', ...segments] = text.split('.');
  if (resolveVariable(context, variable) === NO_VALUE) return NO_VALUE;
  const root = openScope(context, COLLECTION[variable] ?? '');
  const many = variable === '$CURRENT_ROLES' || variable === '$CURRENT_POLICIES';
  const walk: Walk = { scope: root, single: !many, joins: [] };
  for (const segment of segments.slice(0, -1)) follow(walk, segment, place);
  const name = lastColumn(walk, segments.at(-1) ?? '', place);
  const ref = columnRef(walk.scope, name, 'filter');
  if (isConcealed(ref.field) || (walk.scope.collection.system && SECRETS.has(name))) {
    throw noField(walk.scope, name, 'filter');
  }
  const ids = context.slots
    ? new Slot((binding) => resolveVariable(binding, variable))
    : resolveVariable(context, variable);
  const key = identifier(root.alias, 'id');
  const mine = many ? sql`${key} = ANY(${ids}::uuid[])` : sql`${key} = ${ids}::uuid`;
  const from = sql`${tableSql(root)}${join(walk.joins, '')}`;
  const where = whereSql([mine, rowRule(root)]);
  const value = visibleValue(ref);
  const list = elements(ref.field, value);
  if (list !== null) {
    const rows = sql`SELECT e.v FROM ${from} CROSS JOIN LATERAL ${list} AS e (v)${where}`;
    return new RecordValues(text, rows, 'text', false);
  }
  const { type, column } = ref.field;
  const isUuid = type !== 'uuid' || column.typeName === 'uuid';
  const family = isUuid ? FAMILIES[type] : 'text';
  if (family === undefined) throw invalidQuery(`"${place}": "${text}" cannot be compared.`);
  return new RecordValues(
    text,
    sql`SELECT ${value} AS v FROM ${from}${where}`,
    family,
    walk.single,
  );
}
