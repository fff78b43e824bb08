/** Runs the statements that write prepared rows, a few statements at a time. */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Client } from '#core/database/pool.ts';
import { rowsOf } from '#core/database/prepared.ts';
import { render, type Sql } from '#core/database/sql.ts';
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import type { Key } from '#core/query/key.ts';
import { MAX_KEYS } from './changes/change.ts';
import type { Row } from './payload.ts';
import { recordCascades } from './record-cascades.ts';
import {
  batchesOf,
  deleteStatement,
  insertStatement,
  keepDeletedStatement,
  sequenceStatement,
  updateBatchStatement,
  updateStatement,
} from './row-statements.ts';
import type { WriteContext } from './write-context.ts';

/** Runs a statement that returns keys. */
export function keysFrom(client: Client, statement: Sql): Promise<Key[]> {
  return rowsOf<string[]>(client, render(statement));
}

/** Inserts rows; returns their keys in the same order. Sequences advance beyond given keys. */
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
    // A trigger may drop rows; then the keys cannot be assigned to their rows.
    if (found.length !== batch.rows.length) {
      const why = reason('items_not_kept_by_database', { collection: collection.name });
      throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: why });
    }
    for (const [index, key] of found.entries()) keys[batch.places[index] ?? 0] = key;
  }
  const explicit = collection.primaryKey.filter((field) => given.has(field));
  const move = sequenceStatement(collection, explicit);
  if (move !== null) await rowsOf(client, render(move));
  return keys;
}

/** Updates items; items that share one row object are updated by one statement. */
export async function updateRows(
  client: Client,
  collection: Collection,
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
 * Deletes the rows of the keys. Rows that subscribers may be notified of are stored for a while.
 */
export async function deleteRows(write: WriteContext, keys: readonly Key[]): Promise<void> {
  const { client, collection, listeners = null } = write;
  await recordCascades(write, keys);
  if (listeners !== null && keys.length <= MAX_KEYS) {
    await rowsOf(client, render(keepDeletedStatement(collection, keys, listeners)));
  }
  await keysFrom(client, deleteStatement(collection, keys));
}
