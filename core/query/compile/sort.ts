/** Compiles the order of rows, across many-to-ones, with the joins that it needs. */
import type { ColumnField } from '#core/catalog/catalog.ts';
import type { ToMany } from '#core/catalog/relation.ts';
import { identifier, join, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery } from '#core/errors/service-error.ts';
import { callOf } from '../call.ts';
import type { Level, Path } from '../query.ts';
import { anyMatch } from './any-to-one.ts';
import { callSql } from './call.ts';
import { isConcealed } from './output.ts';
import {
  columnRef,
  endsMatch,
  enterScope,
  noField,
  refOf,
  rowRule,
  type Scope,
  scopedOf,
  tableSql,
  visibleColumns,
  visibleField,
  visibleRelation,
  visibleValue,
  whereSeen,
} from './scope.ts';

/** The order, and the joins without which it cannot be computed. */
export interface Order {
  readonly orderBy: Sql;
  readonly joins: Sql;
}

const UNSORTABLE: ReadonlySet<string> = new Set(
  'json xml point polygon line lseg box path circle aclitem geometry'.split(' '),
);

function isSortable(field: ColumnField): boolean {
  const { typeName } = field.stored?.column ?? field.column;
  return !UNSORTABLE.has(typeName) && !isConcealed(field);
}

/** Joins of one statement level, each relation path once. */
class Joins {
  readonly #scopes = new Map<string, Scope>();
  readonly parts: Sql[] = [];

  /** The scope of the item that a segment leads to. */
  follow(scope: Scope, segment: string): Scope {
    const key = `${scope.alias}.${segment}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const { target, match } = this.#open(scope, segment);
    const rule = rowRule(target);
    this.parts.push(
      sql` LEFT JOIN ${tableSql(target)} ON ${match}${rule === null ? sql`` : sql` AND ${rule}`}`,
    );
    this.#scopes.set(key, target);
    return target;
  }

  #open(scope: Scope, segment: string): { target: Scope; match: Sql } {
    const { field, collection } = scopedOf(segment);
    const relation = visibleRelation(scope, field);
    if (relation === null) throw noField(scope, field, 'sort');
    if (relation.kind === 'm2o') {
      const target = enterScope(scope, relation, relation.one.collection, segment);
      const left = { scope: target, columns: relation.one.columns };
      const match = endsMatch(left, { scope, columns: relation.many.columns });
      return { target, match: whereSeen(scope, relation.field, match) };
    }
    if (relation.kind !== 'a2o') {
      throw invalidQuery(`"sort" cannot go through "${segment}", which has several items.`);
    }
    const end = relation.allowed.find((entry) => entry.collection === collection);
    if (end === undefined) throw noField(scope, segment, 'sort');
    const target = enterScope(scope, relation, end.collection, segment);
    const match = anyMatch(scope, target, relation, end);
    return { target, match: whereSeen(scope, relation.field, match) };
  }
}

function sortValue(scope: Scope, name: string): Sql {
  const call = callOf(name);
  if (call !== null && visibleField(scope, name) === null) {
    const value = callSql(scope, call, 'sort');
    // A null inside a document and a member that is missing read the same, and sort the same.
    return call.name === 'json' ? sql`nullif(${value}, 'null'::jsonb)` : value;
  }
  const ref = columnRef(scope, name, 'sort');
  if (isConcealed(ref.field)) throw noField(scope, name, 'sort');
  if (!isSortable(ref.field)) throw invalidQuery(`"sort": "${name}" has no order.`);
  // What keeps the order of the values has an index that serves.
  const inOrder = ref.field.stored?.comparable === true;
  return visibleValue(inOrder ? { ...ref, column: ref.bare } : ref);
}

function pathValue(scope: Scope, path: Path, joins: Joins): Sql {
  let current = scope;
  for (const segment of path.slice(0, -1)) current = joins.follow(current, segment);
  return sortValue(current, path.at(-1) ?? '');
}

/** The column that keeps items in the order people gave them. */
function sortField(scope: Scope): string | null {
  const { through, collection } = scope;
  const isList = through !== undefined && through.kind !== 'm2o' && through.kind !== 'a2o';
  const own = (isList ? (through satisfies ToMany).sortField : null) ?? collection.meta?.sortField;
  const field = own ? visibleField(scope, own) : null;
  return field?.column && !isConcealed(field) ? field.name : null;
}

/** The order when none is asked: the sort field, the key, the first column that has an order. */
function defaultSort(scope: Scope): Path[] {
  const own = sortField(scope);
  if (own !== null) return [[own]];
  if (visibleKey(scope).length > 0) return [];
  const first = visibleColumns(scope).find(isSortable);
  return first === undefined ? [] : [[first.name]];
}

/** The key, if the caller sees all of it on all rows; a hidden key may not even decide ties. */
function visibleKey(scope: Scope): readonly ColumnField[] {
  const { primaryKey } = scope.collection;
  const seen = primaryKey.every(
    (field) =>
      visibleField(scope, field.name) !== null &&
      refOf(scope, field).guard === null &&
      !isConcealed(field),
  );
  return seen ? primaryKey : [];
}

/**
 * Compiles the order of a level: what was asked, then the key, so that pages never overlap.
 * Related items have nulls last whatever the direction.
 */
export function compileSort(scope: Scope, level: Level): Order {
  const joins = new Joins();
  const terms =
    level.sort.length > 0
      ? level.sort
      : defaultSort(scope).map((path) => ({ path, descending: false }));
  const named = new Set<string>();
  const nested = scope.through !== undefined;
  const parts = terms.map(({ path, descending }) => {
    const [head = ''] = path;
    const real = [level.alias.get(head) ?? head, ...path.slice(1)];
    named.add(real.join('.'));
    const value = pathValue(scope, real, joins);
    if (!descending) return value;
    return nested ? sql`${value} DESC NULLS LAST` : sql`${value} DESC`;
  });
  for (const field of visibleKey(scope)) {
    if (!named.has(field.name)) parts.push(identifier(scope.alias, field.column.name));
  }
  return {
    orderBy: parts.length === 0 ? sql`` : sql` ORDER BY ${join(parts)}`,
    joins: join(joins.parts, ''),
  };
}
