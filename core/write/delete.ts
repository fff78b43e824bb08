/**
 * Deletes items inside a transaction: locks them, checks permissions, then deletes all of them at
 * once.
 */
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Key } from '#core/query/key.ts';
import { checkDeletion, permittedRows, requireAction } from './check-permissions.ts';
import type { History } from './history/history.ts';
import { translateDeletionFailure } from './relational/translate-failure.ts';
import { existingKeysStatement, lockStatement } from './row-statements.ts';
import type { WriteContext } from './write-context.ts';
import { deleteRows, keysFrom } from './write-rows.ts';

/**
 * Locks items. It never locks an item that the caller may not write.
 * @throws ServiceError FORBIDDEN unless all of them exist and a permission holds for each
 */
export async function lockItems(
  write: WriteContext,
  action: 'update' | 'delete',
  keys: readonly Key[],
): Promise<void> {
  const { client, collection } = write;
  const statement = lockStatement(collection, keys, permittedRows(write, action));
  const found = await keysFrom(client, statement);
  if (found.length !== keys.length) throw forbidden();
}

/**
 * Locks those of the given items that still exist.
 * @returns their keys
 * @throws ServiceError FORBIDDEN when the caller may not delete an item that exists
 */
async function lockThere(write: WriteContext, keys: readonly Key[]): Promise<Key[]> {
  const { client, collection } = write;
  const condition = permittedRows(write, 'delete');
  const found = await keysFrom(client, lockStatement(collection, keys, condition));
  if (condition === null || found.length === keys.length) return found;
  const locked = new Set(found.map((key) => JSON.stringify(key)));
  const there = await keysFrom(client, existingKeysStatement(collection, keys));
  if (there.some((key) => !locked.has(JSON.stringify(key)))) throw forbidden();
  return found;
}

/**
 * Deletes items; all of them must exist and be deletable, or nothing is done.
 * @param options.mayBeGone skip items that another transaction deleted meanwhile
 * @throws ServiceError FORBIDDEN
 */
export async function deleteItems(
  write: WriteContext,
  wanted: readonly Key[],
  history: History,
  { mayBeGone = false } = {},
): Promise<void> {
  const { collection, rule } = write;
  await rule.begin?.(write);
  requireAction(write, 'delete');
  if (wanted.length === 0) {
    if (!write.target.rights.admin) throw forbidden();
    return;
  }
  if (!mayBeGone) await lockItems(write, 'delete', wanted);
  const keys = mayBeGone ? await lockThere(write, wanted) : wanted;
  if (keys.length === 0) return;
  await checkDeletion(write, keys);
  await rule.before?.(write, { action: 'delete', keys, items: [] });
  try {
    await deleteRows(write, keys);
  } catch (error) {
    throw translateDeletionFailure(error, write.target, collection, keys);
  }
  await history.record(
    collection,
    'delete',
    keys.map((key) => ({ key, delta: {}, parent: null })),
  );
  await rule.after?.(write, { action: 'delete', keys, items: [] });
}
