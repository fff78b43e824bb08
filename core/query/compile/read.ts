/**
 * Compiles a query into the one statement that answers it. The result of a page or an item is the
 * finished JSON text of the answer; a stream has one JSON text for each item.
 */
import type { Caller, Grants } from '#core/access/grant.ts';
import type { Catalog, ColumnField } from '#core/catalog/catalog.ts';
import { join, quote, render, type Sql, type Statement, sql } from '#core/database/sql.ts';
import { forbidden } from '#core/errors/service-error.ts';
import type { Key } from '../key.ts';
import type { MetaName, Path, Query, QueryBounds } from '../query.ts';
import { planBatch } from './batch.ts';
import { compileFilter } from './filter.ts';
import { anyKeyCondition, keyCondition } from './key.ts';
import { levelConditions, planLevel } from './level.ts';
import { planRoot } from './root.ts';
import {
  type Context,
  columnNamed,
  openScope,
  rowRule,
  type Scope,
  tableSql,
  whereSql,
} from './scope.ts';
import { fill, Slot } from './slot.ts';

/** What one read needs to know beside the query. */
export interface ReadTarget {
  readonly catalog: Catalog;
  readonly grants: Grants;
  readonly caller: Caller;
  readonly bounds: QueryBounds;
  readonly collection: string;
}

/** A statement for the caller it was compiled for, which {@link bindTo} makes one for others. */
export interface Compiled extends Statement {
  /** The same question of whoever has the same rights may be answered with it again. */
  readonly reusable: boolean;
  /** The values, with slots for those that depend on the caller or the moment; null: none does. */
  readonly slots: readonly unknown[] | null;
  /** The paths of the plain values in an item, in their order. */
  readonly columns: readonly Path[];
  /** The collections whose tables it reads; null: its answer depends on something else too. */
  readonly reads: ReadonlySet<string> | null;
}

/** Keys that are known within the transaction alone. */
export interface Kept {
  readonly field: ColumnField;
  /** Whether a column holds one of them. */
  holds(column: Sql): Sql;
}

/** The place of a key's value in a statement that is compiled before the key is known. */
class KeyPart {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** What is told about a statement while it is compiled. */
interface Notes {
  reusable: boolean;
  columns: readonly Path[];
  /** The collections that are read, where somebody wants to know. */
  readonly reads?: Set<string>;
  fleeting?: boolean;
}

/** What is the same all over a statement that asks for a target. */
export function contextOf(
  target: ReadTarget,
  query: Pick<Query, 'backlink'>,
  notes: Notes,
): Context {
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
    planBatch,
    batches: new Set(),
    scans: new Set(),
    markScan: () => undefined,
    slots: notes.reusable,
    noteRead: (collection) => {
      notes.reads?.add(collection);
    },
    markFleeting: () => {
      notes.fleeting = true;
    },
    markVolatile: () => {
      notes.reusable = false;
    },
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

function rootScope(target: ReadTarget, query: Query, notes: Notes): Scope {
  return openScope(contextOf(target, query, notes), target.collection);
}

function compiled(target: ReadTarget, compile: (notes: Notes) => Sql): Compiled {
  const reads = new Set<string>();
  const notes: Notes = { reusable: true, columns: [], reads };
  const { text, values } = render(compile(notes));
  const slots = values.some((value) => value instanceof Slot) ? values : null;
  const { reusable, columns, fleeting } = notes;
  const known = { reusable, columns, reads: fleeting ? null : reads };
  return bindTo({ text, values, slots, ...known }, target.caller);
}

/** The statement as another caller carries it out, who has the same rights, now. */
export function bindTo(statement: Compiled, caller: Caller): Compiled {
  const { slots } = statement;
  if (slots === null) return statement;
  return { ...statement, values: fill(slots, { caller, now: new Date() }) };
}

/** What the planner believes; it knows of no rule, so it tells only those whom none restricts. */
function estimate(scope: Scope): Sql {
  const { table } = scope.collection;
  if (rowRule(scope) !== null || table === null) {
    throw forbidden('"estimated_count" counts items that you may not see.');
  }
  scope.context.markFleeting();
  const name = `${quote(table.schema)}.${quote(table.name)}`;
  return sql`SELECT greatest(reltuples, 0)::int8 FROM pg_class WHERE oid = ${name}::regclass`;
}

/** One number of the answer's `meta`. */
function metaSql(scope: Scope, query: Query, name: MetaName): Sql {
  if (name === 'estimated_count') return estimate(scope);
  const conditions = name === 'filter_count' ? levelConditions(scope, query) : [rowRule(scope)];
  return sql`SELECT count(*) FROM ${tableSql(scope)}${whereSql(conditions)}`;
}

/** `{"total_count":…}` as text. */
function metaText(query: Query, open: () => Scope): Sql {
  const members = query.meta.map(
    (name, index) =>
      sql`${`${index === 0 ? '' : ','}"${name}":`}::text || (${metaSql(open(), query, name)})`,
  );
  return sql`'{' || ${join(members, ' || ')} || '}'`;
}

function pageSql(
  target: ReadTarget,
  query: Query,
  notes: Notes,
  condition?: (scope: Scope) => Sql,
): Sql {
  const open = () => rootScope(target, query, notes);
  const scope = open();
  const { rows, json } = planRoot(scope, query, condition === undefined ? [] : [condition(scope)]);
  const meta = query.meta.length === 0 ? sql`` : sql` || ',"meta":' || ${metaText(query, open)}`;
  return sql`SELECT '{"data":[' || coalesce(string_agg(${json}::text, ','), '') || ']'${meta} || '}' FROM (${rows}) AS r`;
}

/** A page: one row with the text `{"data":[…],"meta":{…}}`. */
export function compilePage(target: ReadTarget, query: Query): Compiled {
  return compiled(target, (notes) => pageSql(target, query, notes));
}

/** The items of several keys: a page of those that also meet the query. */
export function compileItems(target: ReadTarget, query: Query, keys: readonly Key[]): Compiled {
  return compiled(target, (notes) =>
    pageSql(target, query, notes, (scope) => anyKeyCondition(scope, keys)),
  );
}

/**
 * A stream: one row with the JSON text of an item for each item, after a first row with the text of
 * `meta` when that is asked.
 */
export function compileStream(target: ReadTarget, query: Query): Compiled {
  return compiled(target, (notes) => {
    const open = () => rootScope(target, query, notes);
    const { rows, json, columns } = planRoot(open(), query, []);
    notes.columns = columns;
    const items = sql`SELECT ${json}::text FROM (${rows}) AS r`;
    if (query.meta.length === 0) return items;
    return sql`SELECT ${metaText(query, open)} UNION ALL (${items})`;
  });
}

/** One item by a key that {@link withKey} fills in: one row with the text `{"data":{…}}`, or none. */
export function compileAnyItem(target: ReadTarget, query: Query): Compiled {
  return compiled(target, (notes) => {
    const scope = rootScope(target, query, notes);
    const parts = scope.collection.primaryKey.map((_, index) => new KeyPart(index));
    const single = { ...query, limit: null, offset: 0 };
    const { rows, json } = planRoot(scope, single, [keyCondition(scope, parts)], {
      ordered: false,
    });
    return sql`SELECT '{"data":' || ${json}::text || '}' FROM (${rows}) AS r`;
  });
}

/**
 * The items that a transaction has just created, by the keys that it keeps: one row with the text
 * `{"data":{…}}`, or none; for a list the text `{"data":[…]}`.
 */
export function compileKept(
  target: ReadTarget,
  query: Query,
  kept: Kept,
  isList: boolean,
): Compiled {
  const condition = (scope: Scope) => kept.holds(columnNamed(scope, kept.field.column.name));
  if (isList) return compiled(target, (notes) => pageSql(target, query, notes, condition));
  return compiled(target, (notes) => {
    const scope = rootScope(target, query, notes);
    const single = { ...query, limit: null, offset: 0 };
    const { rows, json } = planRoot(scope, single, [condition(scope)], { ordered: false });
    return sql`SELECT '{"data":' || ${json}::text || '}' FROM (${rows}) AS r`;
  });
}

/** The first item in the collection's own order: one row with the text `{"data":{…}}`, or none. */
export function compileSingleton(target: ReadTarget, query: Query): Compiled {
  return compiled(target, (notes) => {
    const single = { ...query, limit: 1, offset: 0 };
    const { rows, json } = planRoot(rootScope(target, query, notes), single, []);
    return sql`SELECT '{"data":' || ${json}::text || '}' FROM (${rows}) AS r`;
  });
}

/** The statement with the key's values in their places. */
export function withKey(statement: Statement, key: Key): Statement {
  const values = statement.values.map((value) =>
    value instanceof KeyPart ? key[value.index] : value,
  );
  return { text: statement.text, values };
}

/** One item by its key: one row with the text `{"data":{…}}`, or none. */
export function compileItem(target: ReadTarget, query: Query, key: Key): Statement {
  return withKey(compileAnyItem(target, query), key);
}
