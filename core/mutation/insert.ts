/**
 * Statements that insert rows and keep their keys in the transaction. A single row is written by
 * values of its own, which the planner never looks at twice.
 */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import type { KeptKeys } from './kept-key.ts';
import { tableOf } from './statement.ts';

/** One column of new rows, in step with them. */
export type NewColumn = {
  readonly field: ColumnField;
} & (
  | { readonly texts: readonly (string | null)[] }
  /** The keys of rows written before: for each new row the place of its one among them. */
  | { readonly kept: KeptKeys; readonly places: readonly number[] }
);

/** New rows of one collection that have the same columns. */
export interface NewRows {
  readonly collection: Collection;
  readonly columns: readonly NewColumn[];
  readonly count: number;
}

function columnNames(columns: readonly NewColumn[]): Sql {
  return join(columns.map(({ field }) => identifier(field.column.name)));
}

/** The n-th of some keys. */
function keptAt(kept: KeptKeys, place: number): Sql {
  return kept.count === 1 ? kept.text : sql`(${kept.texts})[${place + 1}::int4]`;
}

function insertOne({ collection, columns }: NewRows, keep: Sql): Sql {
  const into = sql`INSERT INTO ${tableOf(collection)} AS t`;
  if (columns.length === 0) return sql`${into} DEFAULT VALUES RETURNING ${keep}`;
  const values = columns.map((column) => {
    const type = bareType(column.field.column);
    return 'texts' in column
      ? sql`${column.texts[0] ?? null}::text::${type}`
      : sql`${keptAt(column.kept, column.places[0] ?? 0)}::${type}`;
  });
  return sql`${into} (${columnNames(columns)}) VALUES (${join(values)}) RETURNING ${keep}`;
}

/** The source of several rows, and what each of their columns is called in it. */
function sourceOf(columns: readonly NewColumn[]): { from: Sql; values: Sql[] } {
  const arrays: Sql[] = [];
  const names: Sql[] = [];
  const joins: Sql[] = [];
  const values = columns.map((column, index) => {
    const type = bareType(column.field.column);
    const name = raw(`c${index}`);
    if ('texts' in column) {
      arrays.push(sql`${column.texts}::text[]`);
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

function insertMany({ collection, columns, count }: NewRows, keep: Sql, key: Sql): Sql {
  const into = sql`INSERT INTO ${tableOf(collection)} AS t`;
  const { from, values } = sourceOf(columns);
  const isBare = columns.every((column) => !('texts' in column) && column.kept.count === 1);
  const names = columns.length === 0 ? empty : sql` (${columnNames(columns)})`;
  // Without a value of its own, a row is but one of so many.
  const rows = isBare
    ? sql`SELECT ${join(values)} FROM generate_series(1, ${count}::int8)`
    : sql`SELECT ${join(values)} FROM ${from} ORDER BY u.n`;
  return sql`WITH w AS (${into}${names} ${rows} RETURNING ${key} AS k) SELECT ${keep} FROM w`;
}

/** Inserts rows and keeps their keys; yields the text of these. */
export function insertKeeping(rows: NewRows, kept: KeptKeys): Sql {
  const key = sql`t.${identifier(kept.field.column.name)}::text`;
  return rows.count === 1
    ? insertOne(rows, kept.keep(key))
    : insertMany(rows, kept.keep(sql`array_agg(w.k)::text`), key);
}
