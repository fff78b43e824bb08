/**
 * Compiles a query into the one statement that answers it. The result of a page or an item is the
 * finished JSON text of the answer; a stream has one JSON text for each item.
 */
import type { Caller, Grants } from '#core/access/grant.ts';
import type { Catalog } from '#core/catalog/catalog.ts';
import { join, render, type Sql, type Statement, sql } from '#core/database/sql.ts';
import type { Key } from '../key.ts';
import type { MetaName, Query, QueryBounds } from '../query.ts';
import { compileFilter } from './filter.ts';
import { anyKeyCondition, keyCondition } from './key.ts';
import { levelConditions, planLevel } from './level.ts';
import { type Context, openScope, rowRule, type Scope, tableSql, whereSql } from './scope.ts';

/** What one read needs to know beside the query. */
export interface ReadTarget {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly caller: Caller;
  readonly bounds: QueryBounds;
  readonly collection: string;
}

function contextOf(target: ReadTarget, query: Query): Context {
  let aliases = 0;
  let fields = 0;
  return {
    catalog: target.catalog,
    grants: target.grants,
    caller: target.caller,
    bounds: target.bounds,
    now: new Date(),
    backlink: query.backlink,
    compileRule: compileFilter,
    planLevel,
    countFields: (more) => {
      fields += more;
      return fields;
    },
    nextAlias: () => {
      aliases += 1;
      return `t${aliases}`;
    },
  };
}

function rootScope(target: ReadTarget, query: Query): Scope {
  return openScope(contextOf(target, query), target.collection);
}

/** One number of the answer's `meta`. */
function metaSql(target: ReadTarget, query: Query, name: MetaName): Sql {
  const scope = rootScope(target, query);
  const conditions = name === 'filter_count' ? levelConditions(scope, query) : [rowRule(scope)];
  return sql`SELECT count(*) FROM ${tableSql(scope)}${whereSql(conditions)}`;
}

/** `,"meta":{…}` as text, or nothing. */
function metaText(target: ReadTarget, query: Query): Sql {
  if (query.meta.length === 0) return sql`''`;
  const members = query.meta.map(
    (name, index) =>
      sql`${`${index === 0 ? '' : ','}"${name}":`}::text || (${metaSql(target, query, name)})`,
  );
  return sql`',"meta":{' || ${join(members, ' || ')} || '}'`;
}

function pageSql(target: ReadTarget, query: Query, conditions: readonly Sql[], scope: Scope): Sql {
  const { rows, json } = planLevel(scope, query, conditions);
  const meta = query.meta.length === 0 ? sql`` : sql` || ${metaText(target, query)}`;
  return sql`SELECT '{"data":[' || coalesce(string_agg(${json}::text, ','), '') || ']'${meta} || '}' FROM (${rows}) AS r`;
}

/** A page: one row with the text `{"data":[…],"meta":{…}}`. */
export function compilePage(target: ReadTarget, query: Query): Statement {
  return render(pageSql(target, query, [], rootScope(target, query)));
}

/** The items of several keys: a page of those that also meet the query. */
export function compileItems(target: ReadTarget, query: Query, keys: readonly Key[]): Statement {
  const scope = rootScope(target, query);
  return render(pageSql(target, query, [anyKeyCondition(scope, keys)], scope));
}

/** A stream: one row with the JSON text of an item for each item. */
export function compileStream(target: ReadTarget, query: Query): Statement {
  const { rows, json } = planLevel(rootScope(target, query), query, []);
  return render(sql`SELECT ${json}::text FROM (${rows}) AS r`);
}

/** One item by its key: one row with the text `{"data":{…}}`, or none. */
export function compileItem(target: ReadTarget, query: Query, key: Key): Statement {
  const scope = rootScope(target, query);
  const single = { ...query, limit: null, offset: 0 };
  const { rows, json } = planLevel(scope, single, [keyCondition(scope, key)], { ordered: false });
  return render(sql`SELECT '{"data":' || ${json}::text || '}' FROM (${rows}) AS r`);
}
