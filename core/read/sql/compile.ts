/**
 * From a query to the statement that answers it: planned by the catalog and the caller's rights, then
 * written as SQL with placeholders for what depends on the caller and the time.
 */
import type { Caller } from '#core/access/grants.ts';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { render, renderLiterals, type Sql, type Statement, sql } from '#core/database/sql.ts';
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
import type { CellForm } from './csv-cell.ts';
import { cellsSql, exactRowsSql, itemSql, listSql, sequenceSql, streamSql } from './statement.ts';
import { permittedChangeRows } from './table-rows.ts';

export type { ReadTarget } from '../plan/scope.ts';

/** A statement for the caller it was compiled for, which {@link bindToCaller} makes one for others. */
export interface Compiled extends Statement {
  /** The same question of whoever has the same rights may be answered with it again. */
  readonly reusable: boolean;
  /** The values, with placeholders for those that depend on the caller or the time; null: none does. */
  readonly placeholders: readonly unknown[] | null;
  /** The paths of the plain values in an item, in their order. */
  readonly columns: readonly ItemColumn[];
  /** The collections whose tables it reads; null: its answer depends on something else too. */
  readonly reads: ReadonlySet<string> | null;
  /** The number of items that it can touch, as the plan says. */
  readonly cost: number;
}

/** Keys that are known within the transaction alone. */
export interface KeysInTransaction {
  readonly field: ColumnField;
  /** Whether a column holds one of them. */
  holds(column: Sql): Sql;
}

/** Rows that a statement has just written itself. */
export interface JustWrittenRows {
  /** What they are selected from. */
  readonly source: Sql;
  /** Answered as a list. */
  readonly isList: boolean;
}

/** Who reads what a statement writes: it does so itself, another one after it, or nobody may. */
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

/** The statement as another caller carries it out, who has the same rights, now. */
export function bindToCaller(statement: Compiled, caller: Caller): Compiled {
  const { placeholders } = statement;
  if (placeholders === null) return statement;
  return { ...statement, values: fillPlaceholders(placeholders, { caller, now: new Date() }) };
}

/**
 * A page: one row with the text `[…]`; before it, where `meta` is asked, its text and a line feed.
 * @param form `page` gives up on large rows, for who then reads the same by {@link compileStream}
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
 * @param isAsked the keys are what a caller asks by, so that hidden ones find nothing
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
 * A stream: one row with the JSON text of an item for each item, after a first row with the text of
 * `meta` when that is asked.
 */
export function compileStream(target: ReadTarget, query: Query): Compiled {
  const plan = planList(target, query);
  return compiled(target, streamSql(plan), plan);
}

/** Rows that are found when the statement runs, which {@link bindParameters} tells them by. */
export interface RowsFoundAtRuntime {
  /** By their keys. */
  readonly rows?: RowChoice;
  /** In the place of the table. */
  readonly source?: Sql;
}

/** One row with the texts of some items, which {@link RECORD_SEPARATOR} divides; null without items. */
export function compileFoundRows(
  target: ReadTarget,
  query: Query,
  found: RowsFoundAtRuntime,
): Compiled {
  const plan = planList(target, { ...query, limit: null, offset: 0, meta: [] }, found);
  return compiled(target, sequenceSql(plan), plan);
}

/** {@link compileStream} for a file that is read back: values are exact. */
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
  const copy = sql`COPY (${cellsSql(plan, form)}) TO STDOUT WITH (FORMAT csv, NULL 'null')`;
  const filled = (value: unknown) => (value instanceof Placeholder ? value.fill(binding) : value);
  return { text: renderLiterals(copy, filled), columns: plan.columns };
}

/**
 * One item by a key that {@link bindParameters} fills in: one row with the text of its object, or none.
 * @param isAsked the key is what a caller asks by, so that a hidden one finds nothing
 * @param form `page` gives up on what is large, with an empty text or an error, for who then reads
 *   the same as a whole
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

/** One item by a key that is known: one row with the text of its object, or none. */
export function compileItem(target: ReadTarget, query: Query, key: Key): Statement {
  return bindParameters(compileItemByParameter(target, query, false), key);
}

/** The first item in the collection's own order: one row with the text of its object, or none. */
export function compileSingleton(target: ReadTarget, query: Query): Compiled {
  const plan = planFirst(target, query);
  return compiled(target, itemSql(plan), plan);
}

/**
 * The items that a transaction has just created, by the keys that it keeps: one row with the text
 * of an object, or none; for a list the text `[…]`.
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

/** How written rows are read; null when the caller may not. */
function planWritten(
  target: ReadTarget,
  query: Query,
  { source, isList }: JustWrittenRows,
): Plan | null {
  try {
    return isList ? planList(target, query, { source }) : planItem(target, query, { source });
  } catch (error) {
    // What is created need not be readable: then there is nothing to ask.
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

function writtenSql(plan: Plan, { isList }: JustWrittenRows): Sql {
  return isList ? listSql(plan, 'whole') : itemSql(plan, 'written');
}

const UNREAD: Known = { reusable: true, columns: [], reads: new Set(), cost: 0 };

/** What a statement that changes rows is made of. */
export interface ChangeStatementParts {
  /** Holds for the rows of `t` that may be changed; null: for all. */
  readonly condition: Sql | null;
  /** A select of the answer; null: none. */
  readonly answer: Sql | null;
}

/** A statement that changes rows of `t` and, where it can, reads them back. */
export interface CompiledChange {
  readonly readback: Readback;
  /** Whether the rules look at other rows than those that are changed. */
  readonly reaches: boolean;
  readonly statement: Compiled;
}

/**
 * A statement that changes those rows for which the rules hold and, where it can, reads them back. It
 * cannot where the answer depends on other tables, which it sees as they were when it began: before
 * it wrote, and before it waited.
 * @param query asks for the rows as they are then; null: nobody asks
 * @param rules lists of rules of each of which one must hold
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
 * A statement that writes new rows and, where it can, reads them back.
 * @param write makes the statement of a sub-select that yields the answer, or of none
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
