/**
 * Compiles a query into the one statement that answers it. The result of a page or an item is the
 * finished JSON text of the answer; a stream has one JSON text for each item.
 */
import type { Caller, Grants } from '#core/access/grants.ts';
import type { Catalog, ColumnField } from '#core/catalog/catalog.ts';
import { join, quote, render, type Sql, type Statement, sql } from '#core/database/sql.ts';
import { forbidden, ServiceError } from '#core/errors/service-error.ts';
import type { Key } from '../key.ts';
import { DEFAULT_LIMITS, requireWithin } from '../limits.ts';
import type { MetaName, Path, Query, QueryBounds } from '../query.ts';
import { planBatch } from './batch.ts';
import { compileFilter } from './filter.ts';
import { anyKeyCondition, keyCondition, whereKeySeen } from './key.ts';
import { levelConditions, planLevel } from './level.ts';
import { pastOf } from './past.ts';
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
import { fill, Given, give, Slot } from './slot.ts';

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

/** Rows that a statement has just written itself. */
export interface Written {
  /** What they are selected from. */
  readonly source: Sql;
  /** Answered as a list. */
  readonly isList: boolean;
}

/** Who reads what a statement writes: it does so itself, another one after it, or nobody may. */
export type Readback = 'within' | 'after' | 'never';

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
    pastOf,
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
  requireWithin('binds', values.length, (target.bounds.limits ?? DEFAULT_LIMITS).binds);
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

function pageSql(open: () => Scope, query: Query, condition?: (scope: Scope) => Sql): Sql {
  const scope = open();
  const { rows, json } = planRoot(scope, query, condition === undefined ? [] : [condition(scope)]);
  const meta = query.meta.length === 0 ? sql`` : sql` || ',"meta":' || ${metaText(query, open)}`;
  return sql`SELECT '{"data":[' || coalesce(string_agg(${json}::text, ','), '') || ']'${meta} || '}' FROM (${rows}) AS r`;
}

function itemSql(scope: Scope, query: Query, conditions: readonly Sql[]): Sql {
  const single = { ...query, limit: null, offset: 0 };
  const { rows, json } = planRoot(scope, single, conditions, { ordered: false });
  return sql`SELECT '{"data":' || ${json}::text || '}' FROM (${rows}) AS r`;
}

/** A page: one row with the text `{"data":[…],"meta":{…}}`. */
export function compilePage(target: ReadTarget, query: Query): Compiled {
  return compiled(target, (notes) => pageSql(() => rootScope(target, query, notes), query));
}

/**
 * The items of several keys: a page of those that also meet the query.
 * @param isAsked the keys are what a caller asks by, so that hidden ones find nothing
 */
export function compileItems(
  target: ReadTarget,
  query: Query,
  keys: readonly Key[],
  isAsked: boolean,
): Compiled {
  return compiled(target, (notes) =>
    pageSql(
      () => rootScope(target, query, notes),
      query,
      (scope) => {
        const condition = anyKeyCondition(scope, keys);
        return isAsked ? whereKeySeen(scope, condition) : condition;
      },
    ),
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

/**
 * One item by a key that {@link give} fills in: one row with the text `{"data":{…}}`, or none.
 * @param isAsked the key is what a caller asks by, so that a hidden one finds nothing
 */
export function compileAnyItem(target: ReadTarget, query: Query, isAsked: boolean): Compiled {
  return compiled(target, (notes) => {
    const scope = rootScope(target, query, notes);
    const parts = scope.collection.primaryKey.map((_, index) => new Given(index));
    const condition = keyCondition(scope, parts);
    return itemSql(scope, query, [isAsked ? whereKeySeen(scope, condition) : condition]);
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
  return compiled(target, (notes) => {
    const open = () => rootScope(target, query, notes);
    if (isList) return pageSql(open, query, condition);
    const scope = open();
    return itemSql(scope, query, [condition(scope)]);
  });
}

/**
 * The text of written rows as {@link compileKept} reads them; null where it depends on other tables,
 * which the statement sees as they were when it began: before it wrote, and before it waited.
 */
function writtenSql(target: ReadTarget, query: Query, written: Written, notes: Notes): Sql | null {
  const context = contextOf(target, query, notes);
  let scopes = 0;
  const noteRead = (name: string) => {
    scopes += 1;
    context.noteRead(name);
  };
  const open = (): Scope => ({
    ...openScope({ ...context, noteRead }, target.collection),
    source: written.source,
  });
  const text = written.isList ? pageSql(open, query) : itemSql(open(), query, []);
  return scopes === 1 ? text : null;
}

/**
 * A statement that writes rows and, where it can, reads them back.
 * @param write makes the statement of a sub-select that yields the answer, or of none
 */
export function compileWriting(
  target: ReadTarget,
  query: Query,
  written: Written,
  write: (answer: Sql | null) => Sql,
): { readonly kind: Readback; readonly statement: Compiled } {
  let kind: Readback = 'within';
  const statement = compiled(target, (notes) => {
    try {
      const answer = writtenSql(target, query, written, notes);
      if (answer === null) kind = 'after';
      return write(answer);
    } catch (error) {
      // What is created need not be readable: then there is nothing to ask.
      if (!(error instanceof ServiceError && error.code === 'FORBIDDEN')) throw error;
      kind = 'never';
      return write(null);
    }
  });
  return { kind, statement };
}

/** The first item in the collection's own order: one row with the text `{"data":{…}}`, or none. */
export function compileSingleton(target: ReadTarget, query: Query): Compiled {
  return compiled(target, (notes) => {
    const single = { ...query, limit: 1, offset: 0 };
    const { rows, json } = planRoot(rootScope(target, query, notes), single, []);
    return sql`SELECT '{"data":' || ${json}::text || '}' FROM (${rows}) AS r`;
  });
}

/** One item by a key that is known: one row with the text `{"data":{…}}`, or none. */
export function compileItem(target: ReadTarget, query: Query, key: Key): Statement {
  return give(compileAnyItem(target, query, false), key);
}
