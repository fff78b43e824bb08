/**
 * Compiles a query into the one statement that answers it. The result of a page or an item is the
 * finished JSON text of the answer; a stream has one JSON text for each item.
 */
import type { Grants } from '#core/access/grant.ts';
import type { Catalog, ColumnField } from '#core/catalog/catalog.ts';
import { identifier, join, render, type Sql, type Statement, sql } from '#core/database/sql.ts';
import type { Key } from '../key.ts';
import type { Query, SortTerm } from '../query.ts';
import { compileFilter } from './filter.ts';
import { anyKeyCondition, keyCondition } from './key.ts';
import { outputOf } from './output.ts';
import {
  columnOf,
  openScope,
  readableColumn,
  readableColumns,
  type Scope,
  tableOf,
} from './scope.ts';

/** Types that have no order. */
const UNSORTABLE = new Set(['json', 'xml', 'point', 'polygon', 'line', 'lseg', 'box', 'path']);

function selectedFields(scope: Scope, query: Query): ColumnField[] {
  const fields = new Map<string, ColumnField>();
  for (const path of query.fields) {
    const found = path === '*' ? readableColumns(scope) : [readableColumn(scope, path, 'fields')];
    for (const field of found) fields.set(field.name, field);
  }
  return [...fields.values()];
}

function selectList(scope: Scope, fields: readonly ColumnField[]): Sql {
  return join(
    fields.map(
      (field) => sql`${outputOf(field, columnOf(scope, field))} AS ${identifier(field.name)}`,
    ),
  );
}

/** The order of a collection when none is asked: its sort field, its key, its first column. */
function defaultSort(scope: Scope): SortTerm[] {
  const { collection } = scope;
  const sortField = collection.meta?.sortField;
  if (sortField && collection.fields.has(sortField)) {
    return [{ field: sortField, descending: false }];
  }
  if (collection.primaryKey.length > 0) return [];
  const first = readableColumns(scope).find((field) => !UNSORTABLE.has(field.column.typeName));
  return first === undefined ? [] : [{ field: first.name, descending: false }];
}

/** The asked order, then the key, so that pages never overlap. */
function orderBy(scope: Scope, query: Query): Sql {
  const terms = query.sort.length > 0 ? query.sort : defaultSort(scope);
  const named = new Set(terms.map((term) => term.field));
  const parts = terms.map((term) => {
    const column = columnOf(scope, readableColumn(scope, term.field, 'sort'));
    return term.descending ? sql`${column} DESC` : column;
  });
  for (const key of scope.collection.primaryKey) {
    if (!named.has(key.name)) parts.push(columnOf(scope, key));
  }
  return parts.length === 0 ? sql`` : sql` ORDER BY ${join(parts)}`;
}

function where(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`` : sql` WHERE ${join(conditions, ' AND ')}`;
}

/** The rows of the answer, one column for each selected field. */
function rows(scope: Scope, query: Query, conditions: readonly Sql[]): Sql {
  const filter = query.filter === null ? [] : [compileFilter(scope, query.filter)];
  const limit = query.limit === null ? sql`` : sql` LIMIT ${query.limit}::int8`;
  const offset = query.offset === 0 ? sql`` : sql` OFFSET ${query.offset}::int8`;
  const list = selectList(scope, selectedFields(scope, query));
  const from = sql`${tableOf(scope)} AS ${identifier(scope.alias)}`;
  const condition = where([...conditions, ...filter]);
  return sql`SELECT ${list} FROM ${from}${condition}${orderBy(scope, query)}${limit}${offset}`;
}

/** What one read needs to know beside the query. */
export interface ReadTarget {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly collection: string;
}

/** A page: one row with the text `{"data":[…]}`. */
export function compilePage(target: ReadTarget, query: Query): Statement {
  const scope = openScope(target.catalog, target.grants, target.collection);
  return render(
    sql`SELECT '{"data":[' || coalesce(string_agg(row_to_json(r)::text, ','), '') || ']}' FROM (${rows(scope, query, [])}) AS r`,
  );
}

/** A stream: one row with the JSON text of an item for each item. */
export function compileStream(target: ReadTarget, query: Query): Statement {
  const scope = openScope(target.catalog, target.grants, target.collection);
  return render(sql`SELECT row_to_json(r)::text FROM (${rows(scope, query, [])}) AS r`);
}

/** One item by its key: one row with the text `{"data":{…}}`, or none. */
export function compileItem(target: ReadTarget, query: Query, key: Key): Statement {
  const scope = openScope(target.catalog, target.grants, target.collection);
  const single = { ...query, sort: [], limit: null, offset: 0 };
  const found = rows(scope, single, [keyCondition(scope, key)]);
  return render(sql`SELECT '{"data":' || row_to_json(r)::text || '}' FROM (${found}) AS r`);
}

/**
 * The items of several keys after a write: one row with the text `{"data":[…]}`.
 * @param keys each in key order
 */
export function compileItems(target: ReadTarget, query: Query, keys: readonly Key[]): Statement {
  const scope = openScope(target.catalog, target.grants, target.collection);
  return render(
    sql`SELECT '{"data":[' || coalesce(string_agg(row_to_json(r)::text, ','), '') || ']}' FROM (${rows(scope, query, [anyKeyCondition(scope, keys)])}) AS r`,
  );
}
