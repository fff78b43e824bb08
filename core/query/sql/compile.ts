/**
 * From a query to the statement that answers it: planned by the catalog and the caller's rights, then
 * written as SQL with slots for what depends on the caller and the time.
 */
import type { Caller } from '#core/access/grants.ts';
import type { ColumnField } from '#core/catalog/catalog.ts';
import { DEFAULT_LIMITS } from '#core/config/query-limits.ts';
import { render, renderLiterals, type Sql, type Statement, sql } from '#core/database/sql.ts';
import { ServiceError } from '#core/errors/service-error.ts';
import type { Key } from '../key.ts';
import { requireWithin } from '../limits.ts';
import type { Plan, RowChoice } from '../plan/plan.ts';
import { planFirst, planItem, planList } from '../plan/read.ts';
import type { ReadTarget } from '../plan/scope.ts';
import { fill, Given, give, Slot } from '../plan/slot.ts';
import type { Filter, Path, Query } from '../query.ts';
import type { CellForm } from './cell.ts';
import { cellsSql, exactRowsSql, itemSql, listSql, sequenceSql, streamSql } from './statement.ts';
import { changeableRows } from './table-rows.ts';

export type { ReadTarget } from '../plan/scope.ts';

/** A statement for the caller it was compiled for, which {@link bindTo} makes one for others. */
export interface Compiled extends Statement {
  /** The same question of whoever has the same rights may be answered with it again. */
  readonly reusable: boolean;
  /** The values, with slots for those that depend on the caller or the time; null: none does. */
  readonly slots: readonly unknown[] | null;
  /** The paths of the plain values in an item, in their order. */
  readonly columns: readonly Path[];
  /** The collections whose tables it reads; null: its answer depends on something else too. */
  readonly reads: ReadonlySet<string> | null;
  /** The number of items that it can touch, as the plan says. */
  readonly cost: number;
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

type Known = Pick<Plan, 'reusable' | 'columns' | 'reads' | 'cost'>;

function compiled(target: ReadTarget, piece: Sql, known: Known): Compiled {
  const { reusable, columns, reads, cost } = known;
  const { text, values } = render(piece);
  requireWithin('binds', values.length, (target.bounds.limits ?? DEFAULT_LIMITS).binds);
  const slots = values.some((value) => value instanceof Slot) ? values : null;
  return bindTo({ text, values, slots, reusable, columns, reads, cost }, target.caller);
}

/** The statement as another caller carries it out, who has the same rights, now. */
export function bindTo(statement: Compiled, caller: Caller): Compiled {
  const { slots } = statement;
  if (slots === null) return statement;
  return { ...statement, values: fill(slots, { caller, now: new Date() }) };
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

/** Rows that are found when the statement runs, which {@link give} tells them by. */
export interface FoundRows {
  /** By their keys. */
  readonly rows?: RowChoice;
  /** In the place of the table. */
  readonly source?: Sql;
}

/** One row with the texts of some items, which {@link RECORD_SEPARATOR} divides; null without items. */
export function compileFound(target: ReadTarget, query: Query, found: FoundRows): Compiled {
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
  readonly columns: readonly Path[];
}

/** `COPY … TO STDOUT` of items as lines of CSV that an import reads back. */
export function compileCopy(target: ReadTarget, query: Query, form: CellForm): CompiledCopy {
  const plan = planList(target, { ...query, meta: [] });
  const binding = { caller: target.caller, now: new Date() };
  const copy = sql`COPY (${cellsSql(plan, form)}) TO STDOUT WITH (FORMAT csv, NULL 'null')`;
  const filled = (value: unknown) => (value instanceof Slot ? value.fill(binding) : value);
  return { text: renderLiterals(copy, filled), columns: plan.columns };
}

/**
 * One item by a key that {@link give} fills in: one row with the text of its object, or none.
 * @param isAsked the key is what a caller asks by, so that a hidden one finds nothing
 * @param form `page` gives up on what is large, with an empty text or an error, for who then reads
 *   the same as a whole
 */
export function compileAnyItem(
  target: ReadTarget,
  query: Query,
  isAsked: boolean,
  form: 'page' | 'whole' = 'whole',
): Compiled {
  const collection = target.catalog.collections.get(target.collection);
  const parts = (collection?.primaryKey ?? []).map((_, index) => new Given(index));
  const plan = planItem(target, query, { rows: { kind: 'key', parts }, isAsked });
  return compiled(target, itemSql(plan, form), plan);
}

/** One item by a key that is known: one row with the text of its object, or none. */
export function compileItem(target: ReadTarget, query: Query, key: Key): Statement {
  return give(compileAnyItem(target, query, false), key);
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
export function compileKept(
  target: ReadTarget,
  query: Query,
  kept: Kept,
  isList: boolean,
): Compiled {
  const { field } = kept;
  const rows = { kind: 'kept', field, holds: (column: Sql) => kept.holds(column) } as const;
  const plan = isList ? planList(target, query, { rows }) : planItem(target, query, { rows });
  return compiled(target, isList ? listSql(plan, 'whole') : itemSql(plan), plan);
}

/** How written rows are read; null when the caller may not. */
function planWritten(target: ReadTarget, query: Query, { source, isList }: Written): Plan | null {
  try {
    return isList ? planList(target, query, { source }) : planItem(target, query, { source });
  } catch (error) {
    // What is created need not be readable: then there is nothing to ask.
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

function writtenSql(plan: Plan, { isList }: Written): Sql {
  return isList ? listSql(plan, 'whole') : itemSql(plan, 'written');
}

const UNREAD: Known = { reusable: true, columns: [], reads: new Set(), cost: 0 };

/** What a statement that changes rows is made of. */
export interface Changing {
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
export function compileChanging(
  target: ReadTarget,
  asked: { readonly query: Query | null; readonly rules: readonly (readonly Filter[])[] },
  written: Written,
  write: (changing: Changing) => Sql,
): CompiledChange {
  const { condition, reaches, reusable } = changeableRows(target, asked.rules);
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
export function compileWriting(
  target: ReadTarget,
  query: Query,
  written: Written,
  write: (answer: Sql | null) => Sql,
): { readonly kind: Readback; readonly statement: Compiled } {
  const { readback, statement } = compileChanging(
    target,
    { query, rules: [] },
    written,
    ({ answer }) => write(answer),
  );
  return { kind: readback, statement };
}
