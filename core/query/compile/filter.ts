/** Compiles filters, across relations, into predicates. */
import type { AnyToOne, ManyToOne, Relation, ToMany } from '#core/catalog/relation.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { forbidden, invalidQuery } from '#core/errors/service-error.ts';
import { callOf } from '../call.ts';
import type { Filter } from '../query.ts';
import { anyMatch } from './any-to-one.ts';
import { callSql } from './call.ts';
import { compileOperation, flagOf, type Operation, type Subject } from './comparison.ts';
import { memberText, stepsOf } from './document.ts';
import { compileListOperation, mayBeList, quantified } from './list-value.ts';
import { isConcealed } from './output.ts';
import { apartOf, connect, none, type Predicate } from './predicate.ts';
import {
  type ColumnRef,
  type Context,
  childEnds,
  childrenMatch,
  columnRef,
  endsMatch,
  enterScope,
  noField,
  rowRule,
  type Scope,
  scopedOf,
  tableSql,
  visibleField,
  visibleRelation,
  whereSeen,
  whereSql,
} from './scope.ts';

type FieldFilter = Extract<Filter, { kind: 'field' }>;

function subjectOf(ref: ColumnRef): Subject {
  const { field, column, bare, guard } = ref;
  return { sql: column, bare, type: field.type, field, concealed: isConcealed(field), guard };
}

/** The operations on one member of a document. */
function compileMember(context: Context, subject: Subject, filter: Filter): Predicate {
  if (filter.kind === 'operation') return compileOperation(context, subject, filter);
  if (filter.kind !== 'group') {
    throw invalidQuery(`"${filter.place}" stands where an operator on a member is expected.`);
  }
  const parts = filter.filters.map((part) => compileMember(context, subject, part));
  return connect(filter.connective, parts);
}

/** Conditions inside a document: each key is the whole path to one member. */
function compileDocument(scope: Scope, subject: Subject, filter: Filter): Predicate {
  if (filter.kind === 'group') {
    const parts = filter.filters.map((part) => compileDocument(scope, subject, part));
    return connect(filter.connective, parts);
  }
  if (filter.kind !== 'field') {
    throw invalidQuery(`"${filter.place}" stands where a path into the document is expected.`);
  }
  const steps = stepsOf(filter.key, filter.place, scope.context.bounds.maxJsonDepth);
  const isList = (subject.field?.column.elementType ?? null) !== null;
  const document = isList ? sql`to_jsonb(${subject.sql})` : sql`(${subject.sql})::jsonb`;
  const member = sql`(${document} #> ${steps}::text[])`;
  const { guard } = subject;
  return compileMember(
    scope.context,
    { sql: memberText(member), type: 'member', field: null, member, concealed: false, guard },
    filter.filter,
  );
}

/** The operations on one value: several are joined by their group. */
function compileValue(scope: Scope, subject: Subject, name: string, filter: Filter): Predicate {
  if (filter.kind === 'operation') {
    const ofList = mayBeList(subject) ? compileListOperation(scope.context, subject, filter) : null;
    return ofList ?? compileOperation(scope.context, subject, filter);
  }
  if (filter.kind === 'quantifier' && mayBeList(subject)) {
    const { filter: inner, quantifier } = filter;
    return quantified(subject, quantifier === 'none', (element) =>
      compileValue(scope, element, name, inner),
    );
  }
  if (filter.kind === 'document') {
    if (subject.type === 'json' && !subject.concealed) {
      return compileDocument(scope, subject, filter.filter);
    }
    throw invalidQuery(`"${filter.place}" stands on "${name}", which is no document.`);
  }
  if (filter.kind === 'group') {
    return connect(
      filter.connective,
      filter.filters.map((part) => compileValue(scope, subject, name, part)),
    );
  }
  const { place } = filter;
  if (filter.kind === 'quantifier') {
    throw invalidQuery(`"${place}" stands on "${name}", which is not a list of related items.`);
  }
  if (filter.key.startsWith('_')) throw invalidQuery(`"${place}" is not an operator.`);
  throw forbidden(
    `You have no permission to access field "${name}.${filter.key}" or it does not exist (queried in ${place}).`,
  );
}

/** Whether a filter stands on the field itself: on operators only. */
function isOnValue(filter: Filter): boolean {
  if (filter.kind === 'operation' || filter.kind === 'document') return true;
  return filter.kind === 'group' && filter.filters.length > 0 && filter.filters.every(isOnValue);
}

/**
 * Whether the one related item fits. Without one, its fields count as null: a condition that holds
 * for nulls then holds too.
 */
function ofOne(target: Scope, match: Sql, inner: Predicate): Predicate {
  const rule = rowRule(target);
  const { void: isVoid } = inner;
  if (inner.strict) {
    const exists = (condition: Sql) =>
      sql`EXISTS (SELECT FROM ${tableSql(target)}${whereSql([match, rule, condition])})`;
    return { sql: exists(inner.sql), apart: exists(apartOf(inner)), strict: true, void: isVoid };
  }
  const on = rule === null ? match : sql`${match} AND ${rule}`;
  return {
    sql: sql`(SELECT ${apartOf(inner)} FROM (VALUES (1)) AS one LEFT JOIN ${tableSql(target)} ON ${on})`,
    strict: false,
    void: isVoid,
  };
}

function throughOne(scope: Scope, relation: ManyToOne, node: FieldFilter): Predicate {
  const target = enterScope(scope, relation, relation.one.collection, node.key);
  const match = endsMatch(
    { scope: target, columns: relation.one.columns },
    { scope, columns: relation.many.columns },
  );
  const seen = whereSeen(scope, relation.field, match);
  return ofOne(target, seen, compileLevel(target, node.filter));
}

function throughAny(scope: Scope, relation: AnyToOne, node: FieldFilter): Predicate {
  const { collection } = scopedOf(node.key);
  const end = relation.allowed.find((entry) => entry.collection === collection);
  if (collection === null) {
    throw invalidQuery(`"${node.place}" must name a collection, as in "${node.key}:collection".`);
  }
  if (end === undefined) throw noField(scope, node.key, 'filter');
  const target = enterScope(scope, relation, collection, node.key);
  const match = whereSeen(scope, relation.field, anyMatch(scope, target, relation, end));
  return ofOne(target, match, compileLevel(target, node.filter));
}

/** Whether some related item, or none, meets all of a filter. */
function ofMany(
  scope: Scope,
  relation: ToMany,
  key: string,
  condition: { readonly filter: Filter | null; readonly none: boolean },
): Predicate {
  if (!relation.indexed) scope.context.markScan();
  const child = enterScope(scope, relation, relation.many.collection, key);
  const inner = condition.filter === null ? null : compileMany(child, condition.filter);
  const conditions = [rowRule(child), inner?.sql ?? null];
  const where = whereSql([childrenMatch(scope, child, relation), ...conditions]);
  const exists = sql`EXISTS (SELECT FROM ${tableSql(child)}${where})`;
  const isVoid = inner?.void ?? false;
  const found: Predicate = condition.none
    ? none(exists, isVoid)
    : { sql: exists, strict: true, void: isVoid };
  if (relation.indexed) return found;
  const listed = amongOwners(scope, child, relation, conditions);
  return { ...found, apart: condition.none ? none(listed, isVoid).sql : listed };
}

/**
 * Whether some related item meets the conditions, by a list of all owners that have one: made once
 * for all rows, where `EXISTS` would scan the table for each.
 */
function amongOwners(
  scope: Scope,
  child: Scope,
  relation: ToMany,
  conditions: readonly (Sql | null)[],
): Sql {
  const { keys, owner } = childEnds(scope, child, relation);
  const owned = owner.map((column) => sql`${column} IS NOT NULL`);
  const owners = join(owner);
  const list = sql`SELECT ${owners} FROM ${tableSql(child)}${whereSql([...owned, ...conditions])} GROUP BY ${owners}`;
  return sql`((${join(keys)}) IN (${list}) IS TRUE)`;
}

/** A filter on related items; operators that stand on the relation itself judge their key. */
function compileMany(child: Scope, filter: Filter): Predicate {
  if (!isOnValue(filter)) return compileLevel(child, filter);
  const [key, ...more] = child.collection.primaryKey;
  if (key === undefined || more.length > 0) {
    throw invalidQuery(`"${child.path.join('.')}" has no single key to compare.`);
  }
  return compileValue(child, subjectOf(columnRef(child, key.name, 'filter')), key.name, filter);
}

/** `_null` asks for no related items, `_nnull` for any. */
function countTest(scope: Scope, relation: ToMany, key: string, operation: Operation): Predicate {
  const subject: Subject = {
    sql: sql`1`,
    type: 'json',
    field: null,
    concealed: false,
    guard: null,
  };
  // The operator is judged like one on a document: it takes no value but true and false.
  compileOperation(scope.context, subject, operation);
  return ofMany(scope, relation, key, {
    filter: null,
    none: flagOf(operation) === (operation.operator === '_null'),
  });
}

/** Conditions under separate keys may be met by different related items; `_some` binds them. */
function throughMany(scope: Scope, relation: ToMany, key: string, filter: Filter): Predicate {
  if (filter.kind === 'group') {
    return connect(
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

function throughRelation(scope: Scope, relation: Relation, node: FieldFilter): Predicate {
  if (relation.kind === 'm2o') return throughOne(scope, relation, node);
  if (relation.kind === 'a2o') return throughAny(scope, relation, node);
  // Where the list may not be seen nothing is known of it, not even that it is empty.
  const found = throughMany(scope, relation, node.key, node.filter);
  const seen = (condition: Sql) => whereSeen(scope, relation.field, condition);
  return { ...found, sql: seen(found.sql), apart: seen(apartOf(found)) };
}

function compileFunction(scope: Scope, node: FieldFilter): Predicate | null {
  const call = callOf(node.key);
  if (call === null || call.name === 'json') return null;
  const subject: Subject = {
    sql: callSql(scope, call, node.place),
    type: 'integer',
    field: null,
    concealed: false,
    guard: null,
  };
  // A count of nothing is 0, which is not null.
  const inner = compileValue(scope, subject, node.key, node.filter);
  return call.name === 'count' ? { ...inner, strict: false } : inner;
}

function compileField(scope: Scope, node: FieldFilter): Predicate {
  const { key, filter, place } = node;
  const field = visibleField(scope, key);
  const relation = visibleRelation(scope, scopedOf(key).field);
  const isColumn = field !== null && field.column !== null;
  if (isColumn && (relation === null || isOnValue(filter))) {
    return compileValue(scope, subjectOf(columnRef(scope, key, 'filter')), key, filter);
  }
  if (relation !== null) return throughRelation(scope, relation, node);
  const called = compileFunction(scope, node);
  if (called !== null) return called;
  if (key.startsWith('_') && !scope.collection.fields.has(key)) {
    throw invalidQuery(`"${place}" is neither an operator nor a field.`);
  }
  throw noField(scope, key, 'filter');
}

function compileLevel(scope: Scope, filter: Filter): Predicate {
  switch (filter.kind) {
    case 'group':
      return connect(
        filter.connective,
        filter.filters.map((part) => compileLevel(scope, part)),
      );
    case 'field':
      return compileField(scope, filter);
    case 'quantifier':
      throw invalidQuery(`"${filter.place}" stands where no list of related items is.`);
    case 'document':
    case 'operation':
      throw invalidQuery(`"${filter.place}" stands where a field is expected.`);
  }
}

/**
 * Compiles a filter for the rows of a scope.
 * @param apart it will stand beside an OR, or in a CASE
 * @throws ServiceError FORBIDDEN for a field that is unknown or may not be seen, INVALID_QUERY for
 *   an operator or a value that does not fit
 */
export function compileFilter(scope: Scope, filter: Filter, apart = false): Sql {
  const predicate = compileLevel(scope, filter);
  return apart ? apartOf(predicate) : predicate.sql;
}
