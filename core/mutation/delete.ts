/** Deletes items inside a transaction: locked first, judged, and then all of them at once. */
import { forbidden } from '#core/errors/service-error.ts';
import type { History } from '#core/history/history.ts';
import type { Key } from '#core/query/key.ts';
import { judgeAction, judgeDeletion } from './judge.ts';
import { refusedDeletion } from './relational/refusal.ts';
import { deleteRows, keysFrom } from './rows.ts';
import { lockStatement } from './statement.ts';
import type { Write } from './target.ts';

/**
 * Locks items.
 * @throws ServiceError FORBIDDEN unless all of them exist
 */
export async function lockItems(
  { client, collection }: Write,
  keys: readonly Key[],
): Promise<void> {
  const found = await keysFrom(client, lockStatement(collection, keys));
  if (found.length !== keys.length) throw forbidden();
}

/**
 * Deletes items; all of them exist and may be deleted, or nothing is done.
 * @param options.mayBeGone those that somebody else deleted meanwhile are passed over
 * @throws ServiceError FORBIDDEN
 */
export async function deleteItems(
  write: Write,
  wanted: readonly Key[],
  history: History,
  { mayBeGone = false } = {},
): Promise<void> {
  const { client, collection, rule } = write;
  await rule.begin?.(write);
  judgeAction(write, 'delete');
  if (wanted.length === 0) {
    if (!write.target.rights.admin) throw forbidden();
    return;
  }
  if (!mayBeGone) await lockItems(write, wanted);
  const keys = mayBeGone ? await keysFrom(client, lockStatement(collection, wanted)) : wanted;
  if (keys.length === 0) return;
  await judgeDeletion(write, keys);
  await rule.before?.(write, 'delete', keys);
  try {
    await deleteRows(client, collection, keys);
  } catch (error) {
    throw refusedDeletion(error, write.target, collection, keys);
  }
  await history.record(
    collection,
    'delete',
    keys.map((key) => ({ key, delta: {}, parent: null })),
  );
  await rule.after?.(write, { action: 'delete', keys, items: [] });
}
