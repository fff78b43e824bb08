/** Plans the order of rows, across relations, with the joins that it needs. */

import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import type { ToMany } from '#core/model/catalog/relation.ts';
import { parseFunctionCall } from '#core/query/function-call.ts';
import type { Level, Path } from '#core/query/query.ts';
import { anyEndIndexed } from './any-to-one.ts';
import { planCall } from './call.ts';
import type { Join, Match, Order, OrderTerm, RelatedExtremum, Value } from './plan.ts';
import {
  childrenMatch,
  columnRef,
  endsMatch,
  enterScope,
  guardOf,
  parseScopedName,
  type Scope,
  unknownField,
  visibleColumns,
  visibleField,
  visibleRelation,
  visibleRelationEnd,
} from './scope.ts';

const UNSORTABLE: ReadonlySet<string> = new Set(
  'json xml point polygon line lseg box path circle aclitem geometry'.split(' '),
);

function isSortable(field: ColumnField): boolean {
  const { typeName } = field.codec?.column ?? field.column;
  return !UNSORTABLE.has(typeName) && !isConcealed(field);
}

/** Joins of one statement level, each relation path once. */
class Joins {
  readonly #scopes = new Map<string, Scope>();
  readonly list: Join[] = [];
  /** The number of joins that yield several items for one row. */
  lists = 0;
  /** Whether indexes find the joined rows of one row. */
  indexed = true;

  /** The scope of the items that a segment leads to. */
  follow(scope: Scope, segment: string): Scope {
    const key = `${scope.table.alias}.${segment}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const { target, match } = this.#open(scope, segment);
    const guard = guardOf(scope, parseScopedName(segment).field);
    this.list.push({ table: target.table, match, guard });
    this.#scopes.set(key, target);
    return target;
  }

  #open(scope: Scope, segment: string): { target: Scope; match: Match } {
    const { field, collection } = parseScopedName(segment);
    const relation = visibleRelation(scope, field);
    if (relation === null) throw unknownField(scope, field, 'sort');
    if (relation.kind === 'm2o') {
      const target = enterScope(scope, relation, relation.one.collection, segment);
      const left = { table: target.table, columns: relation.one.columns };
      const right = { table: scope.table, columns: relation.many.columns };
      return { target, match: endsMatch(left, right) };
    }
    if (relation.kind !== 'a2o') {
      const target = enterScope(scope, relation, relation.many.collection, segment);
      this.lists += 1;
      this.indexed &&= relation.indexed;
      return { target, match: childrenMatch(scope, target, relation) };
    }
    const end = visibleRelationEnd(scope, relation, collection);
    if (end === null) throw unknownField(scope, segment, 'sort');
    const target = enterScope(scope, relation, end.collection, segment);
    this.indexed &&= anyEndIndexed(target.collection, end);
    const tables = { from: scope.table, to: target.table };
    return { target, match: { kind: 'any', ...tables, relation, end } };
  }
}

function sortValue(scope: Scope, name: string): Value {
  const call = parseFunctionCall(name);
  if (call !== null && visibleField(scope, name) === null) return planCall(scope, call, 'sort');
  const column = columnRef(scope, name, 'sort');
  if (isConcealed(column.field)) throw unknownField(scope, name, 'sort');
  if (!isSortable(column.field)) throw invalidQuery(reason('field_without_order', { name }));
  return { kind: 'column', column };
}

/** The list of related items that a segment leads to; null for another target. */
function listOf(scope: Scope, segment: string): ToMany | null {
  const relation = visibleRelation(scope, parseScopedName(segment).field);
  return relation === null || relation.kind === 'm2o' || relation.kind === 'a2o' ? null : relation;
}

/** The value at the end of a path, with the joins that lead to it. */
function follow(scope: Scope, path: Path, joins: Joins): Value {
  let current = scope;
  for (const segment of path.slice(0, -1)) current = joins.follow(current, segment);
  return sortValue(current, path.at(-1) ?? '');
}

/** A value of a list's items, of which one determines the order of the scope's row. */
function amongItems(scope: Scope, relation: ToMany, path: Path): Omit<OrderTerm, 'descending'> {
  const [segment = '', ...rest] = path;
  const { field } = parseScopedName(segment);
  const child = enterScope(scope, relation, relation.many.collection, field);
  const joins = new Joins();
  const value = follow(child, rest, joins);
  const indexed = relation.indexed && joins.indexed;
  if (!indexed) scope.level.scans = true;
  const among: RelatedExtremum = {
    ...{ parent: scope.table, table: child.table, relation, guard: guardOf(scope, field) },
    ...{ joins: joins.list, lists: joins.lists + 1, indexed },
  };
  return { value, among };
}

function termOf(scope: Scope, path: Path, joins: Joins): Omit<OrderTerm, 'descending'> {
  const [segment = '', ...rest] = path;
  if (rest.length === 0) return { value: sortValue(scope, segment), among: null };
  const list = listOf(scope, segment);
  if (list !== null) return amongItems(scope, list, path);
  return termOf(joins.follow(scope, segment), rest, joins);
}

/** The column with the manual order of the items. */
function sortField(scope: Scope): string | null {
  const { through, collection } = scope;
  const isList = through !== undefined && through.kind !== 'm2o' && through.kind !== 'a2o';
  const own = (isList ? (through satisfies ToMany).sortField : null) ?? collection.meta?.sortField;
  const field = own ? visibleField(scope, own) : null;
  return field?.column && !isConcealed(field) ? field.name : null;
}

/** The default order: by the sort field, else by the key, else by the first sortable column. */
function defaultSort(scope: Scope): Path[] {
  const own = sortField(scope);
  if (own !== null) return [[own]];
  if (visibleKey(scope).length > 0) return [];
  const first = visibleColumns(scope).find(isSortable);
  return first === undefined ? [] : [[first.name]];
}

/** The key, if the caller may see all of it on all rows; a hidden key may not even break ties. */
function visibleKey(scope: Scope): readonly ColumnField[] {
  const { primaryKey } = scope.collection;
  const seen = primaryKey.every(
    (field) =>
      visibleField(scope, field.name) !== null &&
      guardOf(scope, field.name) === null &&
      !isConcealed(field),
  );
  return seen ? primaryKey : [];
}

/** Plans the order of a level: the requested order, then the key, so that pages never overlap. */
export function planSort(scope: Scope, level: Pick<Level, 'sort' | 'alias'>): Order {
  const joins = new Joins();
  const asked =
    level.sort.length > 0
      ? level.sort
      : defaultSort(scope).map((path) => ({ path, descending: false }));
  const named = new Set<string>();
  const terms = asked.map(({ path, descending }): OrderTerm => {
    const [head = ''] = path;
    const real = [level.alias.get(head) ?? head, ...path.slice(1)];
    named.add(real.join('.'));
    return { ...termOf(scope, real, joins), descending };
  });
  for (const own of visibleKey(scope)) {
    if (named.has(own.name)) continue;
    // Ties are broken by the stored value, as the index contains it.
    const bare = { ...own, codec: null };
    const column = { table: scope.table, own: bare, field: bare, past: null, guard: null };
    terms.push({ value: { kind: 'column', column }, descending: false, among: null });
  }
  return { joins: joins.list, terms, nullsLast: scope.through !== undefined };
}
