/**
 * Creates items that bring nothing along: their rows, their history and, where nothing else decides
 * on it, their answer are one statement, made once for all that name the same fields.
 */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import { identifier, join, raw, type Sql, sql } from '#core/database/sql.ts';
import { deltaText, type History, hasHistory, recordRows } from '#core/history/history.ts';
import { Given } from '#core/query/plan/slot.ts';
import type { Written } from '#core/query/sql/compile.ts';
import { insertRowsSql } from './insert.ts';
import { KeptKeys } from './kept-key.ts';
import type { Row } from './payload.ts';

/** New items that name the same fields. */
export interface FlatItems {
  readonly collection: Collection;
  readonly fields: readonly ColumnField[];
  readonly rows: readonly Row[];
  /** What was written of each, for its history. */
  readonly delta: (place: number) => Readonly<Record<string, unknown>>;
}

/** The rows as the statement writes them. */
const ROWS = raw('w');

/** The items as the rest of the statement reads them. */
export function writtenRows(isList: boolean): Written {
  return { source: ROWS, isList };
}

/** The keys of the items, as later statements of the same transaction know them. */
export function keptOf({ collection, rows }: FlatItems): KeptKeys {
  const [key] = collection.primaryKey;
  if (key === undefined) throw new TypeError(`items of ${collection.name} have no key`);
  return new KeptKeys(0, key, rows.length);
}

/**
 * The statement that creates items and keeps their keys, with places for {@link flatValues}. It
 * yields one row: the text of the keys, and the answer.
 * @param schema that of the system tables
 * @param answer a select of the answer; null: none
 */
export function flatSql(items: FlatItems, schema: string, answer: Sql | null): Sql {
  const { collection, fields, rows } = items;
  const kept = keptOf(items);
  const isOne = rows.length === 1;
  let place = 0;
  const next = () => {
    const given = new Given(place);
    place += 1;
    return given;
  };
  const count = next();
  const columns = fields.map((field) => ({ field, given: next() }));
  const insert = insertRowsSql({ collection, columns, isOne, count });
  const deltas = next();
  const author = Array.from({ length: 4 }, next);
  const told = recordRows(schema, {
    collection,
    action: 'create',
    rows: ROWS,
    isOne,
    author,
    deltas,
  });
  const all = collection.table?.columns.map(({ name }) => identifier('t', name)) ?? [];
  const key = sql`${ROWS}.${identifier(kept.field.column.name)}::text`;
  const keys = kept.keep(isOne ? key : sql`array_agg(${key})::text`);
  const shown = answer === null ? sql`` : sql`, (${answer})`;
  return sql`WITH ${ROWS} AS (${insert} RETURNING ${join(all)})${told} SELECT (SELECT ${keys} FROM ${ROWS})${shown}`;
}

/** The values for the places of {@link flatSql}. */
export function flatValues(items: FlatItems, history: Pick<History, 'author'>): unknown[] {
  const { collection, fields, rows, delta } = items;
  const isOne = rows.length === 1;
  const each = <T>(make: (row: Row, place: number) => T) => {
    const [first] = rows;
    return isOne && first !== undefined ? make(first, 0) : rows.map(make);
  };
  const texts = fields.map((field) => each((row) => row.get(field) ?? null));
  const deltas = hasHistory(collection)
    ? each((_, place) => deltaText(collection, { delta: delta(place) }))
    : null;
  return [rows.length, ...texts, deltas, ...history.author];
}
