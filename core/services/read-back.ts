/** Reads items back within the transaction that wrote them, or before the write. */

import { forbidden, ServiceError } from '#core/base/errors/service-error.ts';
import type { Client } from '#core/database/pool.ts';
import { rowsOf } from '#core/database/prepared.ts';
import type { Statement } from '#core/database/sql.ts';
import type { Key } from '#core/query/key.ts';
import type { Query } from '#core/query/query.ts';
import { compileItem, compileItems, compileSingleton } from '#core/read/sql/compile.ts';
import { lockItems } from '#core/write/delete.ts';
import type { WriteContext } from '#core/write/write-context.ts';
import { itemData, listData, type ReadData } from './envelope.ts';
import { defaultsText } from './singleton.ts';

/** The written data, read back; null when the caller may not read it. */
export type WriteAnswer = ReadData | null;

/** Evaluates the text of an item: whether it is still in the state that the caller knows. */
export type Precondition = (text: string) => boolean;

/** @throws ServiceError PRECONDITION_FAILED */
function requireSame(text: string, precondition: Precondition): void {
  if (!precondition(text)) throw new ServiceError('PRECONDITION_FAILED');
}

/** Locks an item and evaluates the precondition on it as the caller reads it. */
export async function requireUnchanged(
  write: WriteContext,
  query: Query,
  [action, key]: readonly ['update' | 'delete', Key],
  precondition: Precondition,
): Promise<void> {
  await lockItems(write, action, [key]);
  const text = await readItemText(write.client, compileItem(write.target, query, key));
  if (text === null) throw forbidden();
  requireSame(text, precondition);
}

/** Locks the item of a singleton, if it exists, and evaluates the precondition. */
export async function requireSameSingleton(
  write: WriteContext,
  query: Query,
  key: Key | null,
  precondition: Precondition,
): Promise<void> {
  const { client, collection, target } = write;
  if (key !== null) await lockItems(write, 'update', [key]);
  const text =
    (await readItemText(client, compileSingleton(target, query))) ??
    (await readItemText(client, defaultsText(target, collection, query)));
  requireSame(text ?? '', precondition);
}

export async function readItemText(client: Client, statement: Statement): Promise<string | null> {
  const rows = await rowsOf<[string | null]>(client, statement);
  return rows[0]?.[0] ?? null;
}

/** A caller may write items that it may not read: then the answer is null. */
export async function orNullIfForbidden(
  dataOf: (text: string) => ReadData,
  read: () => Promise<string | null>,
): Promise<WriteAnswer> {
  try {
    const text = await read();
    return text === null ? null : dataOf(text);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

export function readBackOne(
  write: WriteContext,
  query: Query,
  key: Key | undefined,
): Promise<WriteAnswer> {
  if (key === undefined) return Promise.resolve(null);
  return orNullIfForbidden(itemData, async () =>
    readItemText(write.client, compileItem(write.target, query, key)),
  );
}

export function readBack(
  write: WriteContext,
  query: Query,
  keys: readonly Key[],
): Promise<WriteAnswer> {
  if (keys.length === 0) return Promise.resolve(listData('[]'));
  return orNullIfForbidden(listData, async () =>
    readItemText(write.client, compileItems(write.target, query, keys, false)),
  );
}
