/**
 * Compiles a query to its statement: plans it with the catalog and the caller's permissions, then
 * writes it as SQL. Values that depend on the caller and the time are placeholders.
 */
import type { Caller } from '#core/access/grants.ts';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import {
  literal,
  render,
  renderLiterals,
  type Sql,
  type Statement,
  sql,
} from '#core/database/sql.ts';
import type { ColumnField } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import { requireWithin } from '#core/query/limits.ts';
import type { Filter, ItemColumn, Query } from '#core/query/query.ts';
import {
  bindParameters,
  fillPlaceholders,
  Placeholder,
  StatementParameter,
} from '../plan/placeholder.ts';
import type { Plan, RowChoice } from '../plan/plan.ts';
import { planFirst, planItem, planList } from '../plan/plan-read.ts';
import type { ReadTarget } from '../plan/scope.ts';
import { type CellForm, nullCell } from './csv-cell.ts';
import { cellsSql, exactRowsSql, itemSql, listSql, sequenceSql, streamSql } from './statement.ts';
import { permittedChangeRows } from './table-rows.ts';

export type { ReadTarget } from '../plan/scope.ts';

/** A statement compiled for one caller; {@link bindToCaller} converts it for other callers. */
export interface Compiled extends Statement {
  /** Callers with the same permissions can reuse it for the same query. */
  readonly reusable: boolean;
  /**
   * The values, with placeholders for those that depend on the caller or the time; null without
   * placeholders.
   */
  readonly placeholders: readonly unknown[] | null;
  /** The paths of the plain values in an item, in order. */
  readonly columns: readonly ItemColumn[];
  /** The collections whose tables it reads; null: its result also depends on something else. */
  readonly reads: ReadonlySet<string> | null;
  /** The number of items that it may touch, from the plan. */
  readonly cost: number;
}

/** Keys that are known only within the transaction. */
export interface KeysInTransaction {
  readonly field: ColumnField;
  /** The condition that a column contains one of them. */
  holds(column: Sql): Sql;
}

/** Rows that the statement itself has just written. */
export interface JustWrittenRows {
  /** The row source that contains them. */
  readonly source: Sql;
  /** The result is a list. */
  readonly isList: boolean;
}

/**
 * How written rows are read: by the writing statement, by a later one, or never, without
 * permission.
 */
export type Readback = 'within' | 'after' | 'never';

type Known = Pick<Plan, 'reusable' | 'columns' | 'reads' | 'cost'>;

function compiled(target: ReadTarget, piece: Sql, known: Known): Compiled {
  const { reusable, columns, reads, cost } = known;
  const { text, values } = render(piece);
  requireWithin('binds', values.length, (target.bounds.limits ?? DEFAULT_LIMITS).binds);
  const placeholders = values.some((value) => value instanceof Placeholder) ? values : null;
  return bindToCaller(
    { text, values, placeholders, reusable, columns, reads, cost },
    target.caller,
  );
}

/** The statement bound to another caller with the same permissions, and to the current time. */
export function bindToCaller(statement: Compiled, caller: Caller): Compiled {
  const { placeholders } = statement;
  if (placeholders === null) return statement;
  return { ...statement, values: fillPlaceholders(placeholders, { caller, now: new Date() }) };
}

/**
 * A page: one row with the text `[…]`, preceded by the text of `meta` and a line feed if requested.
 * @param form `page` fails on large rows; read those with {@link compileStream}
 */
export function compilePage(
  target: ReadTarget,
  query: Query,
  form: 'page' | 'whole' = 'page',
): Compiled {
  const plan = planList(target, query);
  return compiled(target, listSql(plan, form), plan);
}

/**
 * The items of several keys: a page of those that also meet the query.
 * @param isAsked the caller supplied the keys, so that hidden keys find no item
 */
export function compileItems(
  target: ReadTarget,
  query: Query,
  keys: readonly Key[],
  isAsked: boolean,
): Compiled {
  const plan = planList(target, query, { rows: { kind: 'keys', keys }, isAsked });
  return compiled(target, listSql(plan, 'whole'), plan);
}

/**
 * A stream: one row with the JSON text per item, preceded by a row with the text of `meta` if
 * requested.
 */
export function compileStream(target: ReadTarget, query: Query): Compiled {
  const plan = planList(target, query);
  return compiled(target, streamSql(plan), plan);
}

/** Rows that are determined at execution, through {@link bindParameters}. */
export interface RowsFoundAtRuntime {
  /** By their keys. */
  readonly rows?: RowChoice;
  /** A row source that replaces the table. */
  readonly source?: Sql;
}

/**
 * One row with the texts of some items, separated by {@link RECORD_SEPARATOR}; null without items.
 */
export function compileFoundRows(
  target: ReadTarget,
  query: Query,
  found: RowsFoundAtRuntime,
): Compiled {
  const plan = planList(target, { ...query, limit: null, offset: 0, meta: [] }, found);
  return compiled(target, sequenceSql(plan), plan);
}

/** {@link compileStream} for a file that an import reads back: values are exact. */
export function compileExactRows(target: ReadTarget, query: Query): Compiled {
  const plan = planList(target, { ...query, meta: [] });
  return compiled(target, exactRowsSql(plan), plan);
}

/** A statement that yields the lines of a CSV file, without its header. */
export interface CompiledCopy {
  readonly text: string;
  /** The paths of the columns. */
  readonly columns: readonly ItemColumn[];
}

/** `COPY … TO STDOUT` of items as lines of CSV that an import reads back. */
export function compileCopy(target: ReadTarget, query: Query, form: CellForm): CompiledCopy {
  const plan = planList(target, { ...query, meta: [] });
  const binding = { caller: target.caller, now: new Date() };
  const copy = sql`COPY (${cellsSql(plan, form)}) TO STDOUT WITH (FORMAT csv, NULL ${literal(nullCell(form))})`;
  const filled = (value: unknown) => (value instanceof Placeholder ? value.fill(binding) : value);
  return { text: renderLiterals(copy, filled), columns: plan.columns };
}

/**
 * One item by a key that {@link bindParameters} fills in: one row with the text of its object, or
 * no row.
 * @param isAsked the caller supplied the key, so that a hidden key finds no item
 * @param form `page` fails on a large item, with an empty text or an error; read it with `whole`
 * then
 */
export function compileItemByParameter(
  target: ReadTarget,
  query: Query,
  isAsked: boolean,
  form: 'page' | 'whole' = 'whole',
): Compiled {
  const collection = target.catalog.collections.get(target.collection);
  const parts = (collection?.primaryKey ?? []).map((_, index) => new StatementParameter(index));
  const plan = planItem(target, query, { rows: { kind: 'key', parts }, isAsked });
  return compiled(target, itemSql(plan, form), plan);
}

/** One item by a known key: one row with the text of its object, or no row. */
export function compileItem(target: ReadTarget, query: Query, key: Key): Statement {
  return bindParameters(compileItemByParameter(target, query, false), key);
}

/** The first item in the collection's own order: one row with the text of its object, or no row. */
export function compileSingleton(target: ReadTarget, query: Query): Compiled {
  const plan = planFirst(target, query);
  return compiled(target, itemSql(plan), plan);
}

/**
 * The items that a transaction has just created, by its stored keys. Yields one row with the text
 * of an object, or no row; for a list the text `[…]`.
 */
export function compileCreatedItems(
  target: ReadTarget,
  query: Query,
  kept: KeysInTransaction,
  isList: boolean,
): Compiled {
  const { field } = kept;
  const rows = { kind: 'kept', field, holds: (column: Sql) => kept.holds(column) } as const;
  const plan = isList ? planList(target, query, { rows }) : planItem(target, query, { rows });
  return compiled(target, isList ? listSql(plan, 'whole') : itemSql(plan), plan);
}

/** The plan for reading written rows; null when the caller may not read them. */
function planWritten(
  target: ReadTarget,
  query: Query,
  { source, isList }: JustWrittenRows,
): Plan | null {
  try {
    return isList ? planList(target, query, { source }) : planItem(target, query, { source });
  } catch (error) {
    // A caller may create items that it may not read: then nothing is returned.
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

function writtenSql(plan: Plan, { isList }: JustWrittenRows): Sql {
  return isList ? listSql(plan, 'whole') : itemSql(plan, 'written');
}

const UNREAD: Known = { reusable: true, columns: [], reads: new Set(), cost: 0 };

/** The parts of a statement that changes rows. */
export interface ChangeStatementParts {
  /** Holds for the rows of `t` that may be changed; null: for all. */
  readonly condition: Sql | null;
  /** A SELECT of the answer; null: no answer. */
  readonly answer: Sql | null;
}

/** A statement that changes rows of `t` and reads them back if possible. */
export interface CompiledChange {
  readonly readback: Readback;
  /** Whether the rules read other rows than those that are changed. */
  readonly reaches: boolean;
  readonly statement: Compiled;
}

/**
 * A statement that changes the rows for which the rules hold, and reads them back if possible. It
 * cannot when the answer depends on other tables: the statement sees their state from its start,
 * before its write and before it waited for locks.
 * @param query the query for the changed rows; null: the rows are not read back
 * @param rules lists of rules; one rule of each list must hold
 */
export function compileChange(
  target: ReadTarget,
  asked: { readonly query: Query | null; readonly rules: readonly (readonly Filter[])[] },
  written: JustWrittenRows,
  write: (changing: ChangeStatementParts) => Sql,
): CompiledChange {
  const { condition, reaches, reusable } = permittedChangeRows(target, asked.rules);
  const plan = asked.query === null ? null : planWritten(target, asked.query, written);
  const readback = plan === null ? 'never' : plan.tables === 1 ? 'within' : 'after';
  const answer = readback === 'within' && plan !== null ? writtenSql(plan, written) : null;
  const known = plan ?? UNREAD;
  const statement = compiled(target, write({ condition, answer }), {
    ...known,
    reusable: known.reusable && reusable,
  });
  return { readback, reaches, statement };
}

/**
 * A statement that writes new rows and reads them back if possible.
 * @param write builds the statement around the subselect for the answer, or without it
 */
export function compileInsert(
  target: ReadTarget,
  query: Query,
  written: JustWrittenRows,
  write: (answer: Sql | null) => Sql,
): { readonly kind: Readback; readonly statement: Compiled } {
  const { readback, statement } = compileChange(
    target,
    { query, rules: [] },
    written,
    ({ answer }) => write(answer),
  );
  return { kind: readback, statement };
}
