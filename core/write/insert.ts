/**
 * Inserts rows: a single row by plain values, which the planner never replans, and several rows by
 * one array per column.
 */

import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { StatementParameter } from '#core/read/plan/placeholder.ts';
import { tableOf } from './row-statements.ts';

/** One column of new rows. */
export type NewColumn = {
  readonly field: ColumnField;
} & (
  | {
      /**
       * The value's text for a single row, or an array with the texts of all rows; filled in on
       * sending.
       */
      readonly given: StatementParameter;
    }
  | {
      /** The value that all rows take. */
      readonly value: Sql;
    }
  | {
      /** A row source of values and their numbers, with the columns `key` and `n`. */
      readonly values: Sql;
      /** For each row the number of its value. */
      readonly numbers: StatementParameter;
    }
);

/** New rows of one collection that have the same columns. */
export interface InsertedRows {
  readonly collection: Collection;
  readonly columns: readonly NewColumn[];
  readonly isOne: boolean;
  /** The number of rows, for rows whose columns do not determine it. */
  readonly count: StatementParameter;
}

function columnNames(columns: readonly NewColumn[]): Sql {
  return join(columns.map(({ field }) => identifier(field.column.name)));
}

function insertOne({ collection, columns }: InsertedRows): Sql {
  const into = sql`INSERT INTO ${tableOf(collection)} AS t`;
  if (columns.length === 0) return sql`${into} DEFAULT VALUES`;
  const values = columns.map((column) => {
    if ('value' in column) return column.value;
    if ('given' in column) return sql`${column.given}::text::${bareType(column.field.column)}`;
    return sql`(SELECT r.key FROM ${column.values} AS r WHERE r.n = ${column.numbers}::int8)`;
  });
  return sql`${into} (${columnNames(columns)}) VALUES (${join(values)})`;
}

/** The row source of several rows, and the expression for each column in it. */
function sourceOf(columns: readonly NewColumn[]): { from: Sql; values: Sql[] } {
  const arrays: Sql[] = [];
  const names: Sql[] = [];
  const joins: Sql[] = [];
  const values = columns.map((column, index) => {
    if ('value' in column) return column.value;
    const name = raw(`c${index}`);
    names.push(name);
    if ('given' in column) {
      arrays.push(sql`${column.given}::text[]`);
      return sql`u.${name}::${bareType(column.field.column)}`;
    }
    arrays.push(sql`${column.numbers}::int8[]`);
    const source = raw(`r${index}`);
    joins.push(sql` JOIN ${column.values} AS ${source} ON ${source}.n = u.${name}`);
    return sql`${source}.key`;
  });
  const rows = sql`unnest(${join(arrays)}) WITH ORDINALITY AS u(${join([...names, raw('n')])})`;
  return { from: sql`${rows}${join(joins, '')}`, values };
}

function insertMany({ collection, columns, count }: InsertedRows): Sql {
  const into = sql`INSERT INTO ${tableOf(collection)} AS t`;
  const names = columns.length === 0 ? empty : sql` (${columnNames(columns)})`;
  const { from, values } = sourceOf(columns);
  // When no column has per-row values, the row count alone determines the rows.
  return columns.every((column) => 'value' in column)
    ? sql`${into}${names} SELECT ${join(values)} FROM generate_series(1, ${count}::int8)`
    : sql`${into}${names} SELECT ${join(values)} FROM ${from} ORDER BY u.n`;
}

/** Inserts rows, with the alias `t`, in their order; a RETURNING clause may follow. */
export function insertRowsSql(rows: InsertedRows): Sql {
  return rows.isOne ? insertOne(rows) : insertMany(rows);
}
