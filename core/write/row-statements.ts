/**
 * The statements that write rows. Rows with the same members share a statement, with one array of
 * texts per column. The number of statements therefore never depends on the number of rows.
 */

import { forbidden } from '#core/base/errors/service-error.ts';
import { bareType } from '#core/database/column-type.ts';
import { empty, identifier, join, quote, raw, type Sql, sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import { saveDeletedRowsSql } from './changes/deleted-items.ts';
import { itemText } from './history/history.ts';
import type { Row } from './payload.ts';

/** Rows that name the same fields, with their positions in the request. */
export interface Batch {
  readonly fields: readonly ColumnField[];
  readonly rows: readonly Row[];
  readonly places: readonly number[];
}

/** Groups rows by the set of fields they name. */
export function batchesOf(rows: readonly Row[]): Batch[] {
  const groups = new Map<string, { fields: ColumnField[]; rows: Row[]; places: number[] }>();
  for (const [place, row] of rows.entries()) {
    const fields = [...row.keys()].sort((a, b) => a.column.position - b.column.position);
    const key = fields.map((field) => field.column.position).join();
    const group = groups.get(key) ?? { fields, rows: [], places: [] };
    group.rows.push(row);
    group.places.push(place);
    groups.set(key, group);
  }
  return [...groups.values()];
}

export function tableOf(collection: Collection): Sql {
  if (collection.table === null) throw forbidden();
  return identifier(collection.table.schema, collection.table.name);
}

function columnSql(field: ColumnField): Sql {
  return identifier(field.column.name);
}

/** `unnest(…) WITH ORDINALITY AS u(c1, c2, …, n)`: one array of texts for each field. */
function unnest(batch: Batch): Sql {
  const arrays = batch.fields.map(
    (field) => sql`${batch.rows.map((row) => row.get(field) ?? null)}::text[]`,
  );
  const names = batch.fields.map((_, index) => identifier(`c${index + 1}`));
  return sql`unnest(${join(arrays)}) WITH ORDINALITY AS u(${join([...names, identifier('n')])})`;
}

function castColumn(field: ColumnField, index: number): Sql {
  return sql`${identifier('u', `c${index + 1}`)}::${bareType(field.column)}`;
}

/** The key columns as texts, for RETURNING. */
function returnedKey(collection: Collection, alias: string): Sql {
  return join(
    collection.primaryKey.map((field) => sql`${identifier(alias, field.column.name)}::text`),
  );
}

/** Inserts a batch; returns the keys as texts, in the order of the batch. */
export function insertStatement(collection: Collection, batch: Batch): Sql {
  const table = tableOf(collection);
  const key = returnedKey(collection, 't');
  if (batch.fields.length === 0) {
    const rows = sql`SELECT FROM generate_series(1, ${batch.rows.length}::int8)`;
    return sql`INSERT INTO ${table} AS t ${rows} RETURNING ${key}`;
  }
  const columns = join(batch.fields.map(columnSql));
  const values = join(batch.fields.map(castColumn));
  return sql`INSERT INTO ${table} AS t (${columns}) SELECT ${values} FROM ${unnest(batch)} ORDER BY u.n RETURNING ${key}`;
}

/** The given keys as rows: one array of texts per key column. */
function keysFrom(collection: Collection, keys: readonly Key[]): Sql {
  const arrays = collection.primaryKey.map(
    (_, index) => sql`${keys.map((key) => key[index] ?? null)}::text[]`,
  );
  const names = collection.primaryKey.map((_, index) => identifier(`k${index + 1}`));
  return sql`unnest(${join(arrays)}) AS k(${join(names)})`;
}

function keysMatch(collection: Collection): Sql {
  return join(
    collection.primaryKey.map(
      (field, index) =>
        sql`t.${columnSql(field)} = ${identifier('k', `k${index + 1}`)}::${bareType(field.column)}`,
    ),
    ' AND ',
  );
}

/** Sets the same values in every item of the keys; returns the keys of the items found. */
export function updateStatement(collection: Collection, keys: readonly Key[], row: Row): Sql {
  const set = [...row].map(
    ([field, text]) => sql`${columnSql(field)} = ${text}::text::${bareType(field.column)}`,
  );
  return sql`UPDATE ${tableOf(collection)} AS t SET ${join(set)} FROM ${keysFrom(collection, keys)} WHERE ${keysMatch(collection)} RETURNING ${returnedKey(collection, 't')}`;
}

/** Sets separate values in each item of the keys; rows and keys have the same order. */
export function updateBatchStatement(
  collection: Collection,
  keys: readonly Key[],
  batch: Batch,
): Sql {
  const set = batch.fields.map(
    (field, index) => sql`${columnSql(field)} = ${castColumn(field, index)}`,
  );
  const keyArrays = collection.primaryKey.map(
    (_, index) => sql`${keys.map((key) => key[index] ?? null)}::text[]`,
  );
  const keyNames = collection.primaryKey.map((_, index) => identifier(`k${index + 1}`));
  const valueArrays = batch.fields.map(
    (field) => sql`${batch.rows.map((row) => row.get(field) ?? null)}::text[]`,
  );
  const valueNames = batch.fields.map((_, index) => identifier(`c${index + 1}`));
  const match = collection.primaryKey.map(
    (field, index) =>
      sql`t.${columnSql(field)} = ${identifier('u', `k${index + 1}`)}::${bareType(field.column)}`,
  );
  return sql`UPDATE ${tableOf(collection)} AS t SET ${join(set)} FROM unnest(${join([...keyArrays, ...valueArrays])}) AS u(${join([...keyNames, ...valueNames])}) WHERE ${join(match, ' AND ')} RETURNING ${returnedKey(collection, 't')}`;
}

/** Deletes the items of the keys; returns the keys of the items found. */
export function deleteStatement(collection: Collection, keys: readonly Key[]): Sql {
  return sql`DELETE FROM ${tableOf(collection)} AS t USING ${keysFrom(collection, keys)} WHERE ${keysMatch(collection)} RETURNING ${returnedKey(collection, 't')}`;
}

/**
 * Stores the rows of the keys, which are deleted next, for subscribers.
 * @param schema the schema of the system tables
 */
export function keepDeletedStatement(
  collection: Collection,
  keys: readonly Key[],
  schema: string,
): Sql {
  const arrays = collection.primaryKey.map(
    (_, index) => sql`${keys.map((key) => key[index] ?? null)}::text[]`,
  );
  const names = collection.primaryKey.map((_, index) => identifier(`k${index + 1}`));
  const items = sql`${keys.map(itemText)}::text[]`;
  const rows = sql`FROM ${tableOf(collection)} AS t,
    unnest(${join([...arrays, items])}) AS k(${join([...names, raw('item')])}) WHERE ${keysMatch(collection)}`;
  return saveDeletedRowsSql(schema, collection, rows, raw('k.item'));
}

/**
 * Locks the items of the keys in key order, so that two writers cannot deadlock.
 * @param condition holds for the rows of `t` that may be locked; null: for all
 */
export function lockStatement(
  collection: Collection,
  keys: readonly Key[],
  condition: Sql | null,
): Sql {
  const order = join(collection.primaryKey.map((field) => sql`t.${columnSql(field)}`));
  const covered = condition === null ? empty : sql` WHERE ${condition}`;
  return sql`SELECT ${returnedKey(collection, 't')} FROM ${tableOf(collection)} AS t JOIN ${keysFrom(collection, keys)} ON ${keysMatch(collection)}${covered} ORDER BY ${order} FOR UPDATE OF t`;
}

/** Reads the keys of the items that exist, without locking them. */
export function existingKeysStatement(collection: Collection, keys: readonly Key[]): Sql {
  return sql`SELECT ${returnedKey(collection, 't')} FROM ${tableOf(collection)} AS t JOIN ${keysFrom(collection, keys)} ON ${keysMatch(collection)}`;
}

/** The next value of a sequence: before its first call, this is its `last_value`. */
const NEXT = raw('last_value + is_called::int');

/** Advances a sequence beyond a value, never backwards; yields a row when the sequence moved. */
function moveSql([schema, name]: readonly [string, string], value: Sql, more: Sql = empty): Sql {
  const move = sql`setval(${`${quote(schema)}.${quote(name)}`}::regclass, ${value})`;
  return sql`SELECT ${move} FROM ${identifier(schema, name)}${more} WHERE ${NEXT} <= ${value}`;
}

/** Given and generated keys of the same insert. */
export interface GivenAndGeneratedKeys {
  readonly given: readonly bigint[];
  /** The highest given key that precedes a generated one; null: there is no such key. */
  readonly highestBefore: bigint | null;
  readonly generated: number;
}

/**
 * Advances a field's sequence beyond given keys of the next insert: those that precede generated
 * keys, and those that generated keys would collide with. Null when the field has no sequence.
 */
export function reserveStatement(
  { column }: ColumnField,
  { given, highestBefore, generated }: GivenAndGeneratedKeys,
): Sql | null {
  const before = highestBefore === null ? sql`NULL` : sql`${String(highestBefore)}`;
  const highest = sql`, LATERAL (SELECT max(v) AS high FROM unnest(${given.map(String)}::int8[]) AS v
    WHERE v <= ${before}::int8 OR v < ${NEXT} + ${generated}::int8) AS g`;
  return column.sequence && moveSql(column.sequence, raw('g.high'), highest);
}

/**
 * Advances the fields' sequences beyond the highest value in the table, never backwards. Null when
 * no field has a sequence.
 */
export function sequenceStatement(
  collection: Collection,
  fields: readonly ColumnField[],
): Sql | null {
  const moves = fields.flatMap((field) => {
    const { sequence } = field.column;
    if (sequence === null) return [];
    const highest = sql`(SELECT max(${columnSql(field)}) FROM ${tableOf(collection)})`;
    return [sql`(${moveSql(sequence, highest)})`];
  });
  return moves.length === 0 ? null : sql`SELECT ${join(moves)}`;
}
