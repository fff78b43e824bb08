/**
 * Carries out writes inside a transaction: what exists is locked, the whole request is judged and
 * prepared, and then a few set-based statements write, however many rows there are.
 */
import type { Collection, ColumnField } from '#core/catalog/catalog.ts';
import type { Client } from '#core/database/pool.ts';
import { render, type Sql } from '#core/database/sql.ts';
import { forbidden, invalidPayload } from '#core/errors/service-error.ts';
import { type Key, keyOfBody } from '#core/query/key.ts';
import { judgeAction, judgeChanges, judgeCreation, judgeDeletion } from './judge.ts';
import { type Item, parseItem, type Row } from './payload.ts';
import { Preparation } from './prepare.ts';
import {
  batchesOf,
  deleteStatement,
  insertStatement,
  lockStatement,
  sequenceStatement,
  updateBatchStatement,
  updateStatement,
} from './statement.ts';
import type { Change, Write } from './target.ts';

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
async function insertRows(
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

/**
 * Creates items.
 * @returns their keys in the same order
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD
 */
export async function createItems(write: Write, items: readonly Item[]): Promise<Key[]> {
  const { client, collection, rule } = write;
  await rule.begin?.(write);
  judgeAction(write, 'create');
  judgeCreation(write, items);
  const preparation = new Preparation(write, 'create');
  const prepared = [];
  for (const item of items) prepared.push(await preparation.of(item));
  const rows = prepared.map(({ row }) => row);
  const keys = await insertRows(client, collection, rows);
  await rule.after?.(write, { action: 'create', keys, items: prepared.map(({ item }) => item) });
  return keys;
}

/** All of the keys must exist, or nothing is done. */
async function lockItems({ client, collection }: Write, keys: readonly Key[]): Promise<void> {
  const found = await keysFrom(client, lockStatement(collection, keys));
  if (found.length !== keys.length) throw forbidden();
}

/** Writes rows to items; those that share one row get it by one statement. */
async function updateRows(
  { client, collection }: Write,
  keys: readonly Key[],
  rows: readonly Row[],
): Promise<void> {
  const [row] = rows;
  if (row !== undefined && rows.every((other) => other === row)) {
    if (row.size > 0) await keysFrom(client, updateStatement(collection, keys, row));
    return;
  }
  for (const batch of batchesOf(rows)) {
    if (batch.fields.length === 0) continue;
    const batchKeys = batch.places.flatMap((place) => (keys[place] ? [keys[place]] : []));
    await keysFrom(client, updateBatchStatement(collection, batchKeys, batch));
  }
}

/**
 * Changes items; all of them exist and may be changed so, or nothing is done.
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD
 */
export async function updateItems(write: Write, changes: readonly Change[]): Promise<void> {
  const { rule } = write;
  await rule.begin?.(write);
  judgeAction(write, 'update');
  if (changes.length === 0) {
    if (!write.target.rights.admin) throw forbidden();
    return;
  }
  const keys = changes.map(({ key }) => key);
  await lockItems(write, keys);
  await judgeChanges(write, changes);
  await rule.before?.(write, 'update', keys);
  const preparation = new Preparation(write, 'update');
  const known = new Map<Item, Awaited<ReturnType<Preparation['of']>>>();
  for (const { item } of changes) {
    if (!known.has(item)) known.set(item, await preparation.of(item));
  }
  const prepared = changes.flatMap(({ item }) => known.get(item) ?? []);
  await updateRows(
    write,
    keys,
    prepared.map(({ row }) => row),
  );
  await rule.after?.(write, { action: 'update', keys, items: prepared.map(({ item }) => item) });
}

/**
 * The changes that a list of items with their keys asks for; a key named twice gets the members of
 * both, the later one winning.
 * @throws ServiceError INVALID_PAYLOAD for an item without its key
 */
export function changesOf(collection: Collection, body: readonly unknown[]): Change[] {
  const merged = new Map<string, Change>();
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
  return [...merged.values()];
}

/**
 * Deletes items; all of them exist and may be deleted, or nothing is done.
 * @throws ServiceError FORBIDDEN
 */
export async function deleteItems(write: Write, keys: readonly Key[]): Promise<void> {
  const { client, collection, rule } = write;
  await rule.begin?.(write);
  judgeAction(write, 'delete');
  if (keys.length === 0) {
    if (!write.target.rights.admin) throw forbidden();
    return;
  }
  await lockItems(write, keys);
  await judgeDeletion(write, keys);
  await rule.before?.(write, 'delete', keys);
  await keysFrom(client, deleteStatement(collection, keys));
  await rule.after?.(write, { action: 'delete', keys, items: [] });
}
