/** Carries out writes inside a transaction: locks what exists, then a few set-based statements. */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import type { Client } from '#core/database/pool.ts';
import { render, type Sql } from '#core/database/sql.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import { type Key, keyOfBody } from '#core/query/key.ts';
import { type Item, parseItem, type Row, rowOf } from './payload.ts';
import {
  batchesOf,
  deleteStatement,
  insertStatement,
  lockStatement,
  sequenceStatement,
  updateBatchStatement,
  updateStatement,
} from './statement.ts';

/** How an item of a list is called in errors. */
export function itemPlace(index: number): string {
  return `Item ${index + 1} of the body`;
}

/** Runs a statement that returns keys. */
async function keysFrom(client: Client, statement: Sql): Promise<Key[]> {
  const { text, values } = render(statement);
  const { rows } = await client.query<string[]>({ text, values, rowMode: 'array' });
  return rows;
}

/** Inserts rows; returns their keys in the same order. Sequences move past keys that were given. */
export async function insertRows(
  client: Client,
  collection: Collection,
  rows: readonly Row[],
): Promise<Key[]> {
  const keys: Key[] = [];
  const given = new Set<ColumnField>();
  for (const batch of batchesOf(rows)) {
    for (const field of batch.fields) given.add(field);
    const found = await keysFrom(client, insertStatement(collection, batch));
    for (const [index, key] of found.entries()) keys[batch.places[index] ?? 0] = key;
  }
  const explicit = collection.primaryKey.filter((field) => given.has(field));
  const move = sequenceStatement(collection, explicit);
  if (move !== null) await client.query(render(move));
  return keys;
}

/** All of the keys must exist, or nothing is done. */
async function lockRows(
  client: Client,
  collection: Collection,
  keys: readonly Key[],
): Promise<void> {
  if (keys.length === 0) return;
  const found = await keysFrom(client, lockStatement(collection, keys));
  if (found.length !== keys.length) throw forbidden();
}

/** Gives all items of the keys the same values; all of them exist, or nothing is done. */
export async function updateRows(
  client: Client,
  collection: Collection,
  keys: readonly Key[],
  row: Row,
): Promise<void> {
  await lockRows(client, collection, keys);
  if (row.size > 0 && keys.length > 0) {
    await keysFrom(client, updateStatement(collection, keys, row));
  }
}

/**
 * Gives each item its own values. Each names its key; a key named twice gets the members of both,
 * the later one winning.
 * @returns the keys
 */
export async function updateEach(
  client: Client,
  collection: Collection,
  body: readonly unknown[],
): Promise<Key[]> {
  const merged = new Map<string, { key: Key; item: Item }>();
  for (const [index, value] of body.entries()) {
    const item = parseItem(value, itemPlace(index));
    const values = collection.primaryKey.map((field) => item[field.name]);
    if (values.some((part) => part === undefined || part === null)) {
      throw invalidPayload(`${itemPlace(index)} lacks its key.`);
    }
    const key = keyOfBody(collection, values);
    const text = JSON.stringify(key);
    merged.set(text, { key, item: { ...merged.get(text)?.item, ...item } });
  }
  const entries = [...merged.values()];
  const keys = entries.map((entry) => entry.key);
  await lockRows(client, collection, keys);
  for (const batch of batchesOf(entries.map((entry) => rowOf(collection, entry.item, 'update')))) {
    if (batch.fields.length === 0) continue;
    const batchKeys = batch.places.flatMap((place) =>
      entries[place]?.key ? [entries[place].key] : [],
    );
    await keysFrom(client, updateBatchStatement(collection, batchKeys, batch));
  }
  return keys;
}

/** Deletes the items of the keys; all of them exist, or nothing is done. */
export async function deleteRows(
  client: Client,
  collection: Collection,
  keys: readonly Key[],
): Promise<void> {
  if (keys.length === 0) return;
  await lockRows(client, collection, keys);
  await keysFrom(client, deleteStatement(collection, keys));
}
