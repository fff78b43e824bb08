/**
 * Inserts rows, one by values of its own, which the planner never looks at twice, and several by an
 * array for each column.
 */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Given } from '#core/query/plan/slot.ts';
import type { KeptKeys } from './kept-key.ts';
import { tableOf } from './statement.ts';

/** One column of new rows, in step with them. */
export type NewColumn = {
  readonly field: ColumnField;
} & (
  | { readonly texts: readonly (string | null)[] }
  /** The text of the only row's value, or an array of those of all, told when it is sent. */
  | { readonly given: Given }
  /** The keys of rows written before: for each new row the place of its one among them. */
  | { readonly kept: KeptKeys; readonly places: readonly number[] }
);

/** New rows of one collection that have the same columns. */
export interface NewRows {
  readonly collection: Collection;
  readonly columns: readonly NewColumn[];
  readonly isOne: boolean;
  /** How many they are, where their columns do not tell. */
  readonly count: number | Given;
}

/** What is sent for a column whose values are not in the database yet. */
function sent(column: Exclude<NewColumn, { kept: KeptKeys }>, isOne: boolean): unknown {
  if ('given' in column) return column.given;
  return isOne ? (column.texts[0] ?? null) : column.texts;
}

function columnNames(columns: readonly NewColumn[]): Sql {
  return join(columns.map(({ field }) => identifier(field.column.name)));
}

/** The n-th of some keys. */
function keptAt(kept: KeptKeys, place: number): Sql {
  return kept.count === 1 ? kept.text : sql`(${kept.texts})[${place + 1}::int4]`;
}

function insertOne({ collection, columns }: NewRows): Sql {
  const into = sql`INSERT INTO ${tableOf(collection)} AS t`;
  if (columns.length === 0) return sql`${into} DEFAULT VALUES`;
  const values = columns.map((column) => {
    const type = bareType(column.field.column);
    return 'kept' in column
      ? sql`${keptAt(column.kept, column.places[0] ?? 0)}::${type}`
      : sql`${sent(column, true)}::text::${type}`;
  });
  return sql`${into} (${columnNames(columns)}) VALUES (${join(values)})`;
}

/** The source of several rows, and what each of their columns is called in it. */
function sourceOf(columns: readonly NewColumn[]): { from: Sql; values: Sql[] } {
  const arrays: Sql[] = [];
  const names: Sql[] = [];
  const joins: Sql[] = [];
  const values = columns.map((column, index) => {
    const type = bareType(column.field.column);
    const name = raw(`c${index}`);
    if (!('kept' in column)) {
      arrays.push(sql`${sent(column, false)}::text[]`);
      names.push(name);
      return sql`u.${name}::${type}`;
    }
    const { kept, places } = column;
    if (kept.count === 1) return sql`${kept.text}::${type}`;
    arrays.push(sql`${places.map((place) => place + 1)}::int8[]`);
    names.push(name);
    const owner = raw(`o${index}`);
    joins.push(
      sql` JOIN unnest(${kept.texts}) WITH ORDINALITY AS ${owner}(k, n) ON ${owner}.n = u.${name}`,
    );
    return sql`${owner}.k::${type}`;
  });
  const rows = sql`unnest(${join(arrays)}) WITH ORDINALITY AS u(${join([...names, raw('n')])})`;
  return { from: sql`${rows}${join(joins, '')}`, values };
}

function insertMany({ collection, columns, count }: NewRows): Sql {
  const into = sql`INSERT INTO ${tableOf(collection)} AS t`;
  const names = columns.length === 0 ? empty : sql` (${columnNames(columns)})`;
  const { from, values } = sourceOf(columns);
  // Without a value of its own, a row is but one of so many.
  const isBare = columns.every((column) => 'kept' in column && column.kept.count === 1);
  return isBare
    ? sql`${into}${names} SELECT ${join(values)} FROM generate_series(1, ${count}::int8)`
    : sql`${into}${names} SELECT ${join(values)} FROM ${from} ORDER BY u.n`;
}

/** Inserts rows, named `t`, in their order; what is returned of them stands behind it. */
export function insertRowsSql(rows: NewRows): Sql {
  return rows.isOne ? insertOne(rows) : insertMany(rows);
}

/** Inserts rows and keeps their keys in the transaction; yields the text of these. */
export function insertKeeping(rows: NewRows, kept: KeptKeys): Sql {
  const key = sql`t.${identifier(kept.field.column.name)}::text`;
  const insert = insertRowsSql(rows);
  if (rows.isOne) return sql`${insert} RETURNING ${kept.keep(key)}`;
  return sql`WITH w AS (${insert} RETURNING ${key} AS k) SELECT ${kept.keep(sql`array_agg(w.k)::text`)} FROM w`;
}
