/**
 * Checks permissions for a whole payload and prepares it before the first row is written. Each
 * level is checked by the permissions for its own collection and action.
 */
import { forbidden } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import { checkCreation, checkDeletion, checkUpdates, requireAction } from '../check-permissions.ts';
import { ItemPreparation, type PreparedItem } from '../item-preparation.ts';
import type { Item } from '../payload.ts';
import { VALUE_PENDING } from '../payload.ts';
import type { WriteContext } from '../write-context.ts';
import { checkLinks } from './check-links.ts';
import { withPath } from './error-path.ts';
import { keyOfRow, type RowNode, type ToManyWork, type Work } from './work.ts';

/** The item as permissions cover it, including the names of its lists. */
export function itemForPermissionCheck({ item, lists }: RowNode): Item {
  if (lists.length === 0) return item;
  return { ...Object.fromEntries(lists.map((name) => [name, VALUE_PENDING])), ...item };
}

/** The rows of a level that are created, or those that are changed; a bare key changes nothing. */
export function writtenNodes(work: Work, action: 'create' | 'update'): RowNode[] {
  const nodes = work.nodes.filter((node) => node.action === action);
  if (action === 'create' || work.root) return nodes;
  return nodes.filter((node) => changesMore(work.write, node));
}

/** Whether an item has more members than its key. */
function changesMore({ collection }: WriteContext, { item, lists }: RowNode): boolean {
  if (lists.length > 0) return true;
  return Object.keys(item).some((name) => collection.primaryKey.every((own) => own.name !== name));
}

async function prepare(
  work: Work,
  action: 'create' | 'update',
  nodes: readonly RowNode[],
): Promise<void> {
  if (nodes.length === 0) return;
  const preparation = await ItemPreparation.open(work.write, action);
  await preparation.judge(nodes);
  // An item that the client sent once for many keys is prepared once.
  const known = new Map<Item, PreparedItem>();
  const slice = new TimeSlice();
  for (const node of nodes) {
    if (slice.isOver()) await slice.pause();
    const prepared =
      known.get(node.item) ??
      (await withPath(work.write, node, () => preparation.of(node.item, node.sent)));
    known.set(node.item, prepared);
    node.stored = prepared.item;
    node.row = prepared.row;
  }
}

/**
 * Rejects rows that are not locked, because the caller's rules did not cover them.
 * @throws ServiceError FORBIDDEN
 */
function requireLocked(nodes: readonly RowNode[]): void {
  if (nodes.some(({ found }) => found?.isLocked === false)) throw forbidden();
}

async function judgeTaken({ step, taken }: ToManyWork): Promise<void> {
  if (taken.nodes.length === 0) return;
  if (step.relation.deselect === 'delete') {
    await checkDeletion(taken.write, taken.nodes.map(keyOfRow));
    requireLocked(taken.nodes);
    return;
  }
  await judgeLevel(taken);
}

/**
 * A caller without create permission gets the same error for missing items as for forbidden ones.
 * @throws ServiceError FORBIDDEN
 */
function requireExisting({ write }: Work, nodes: readonly RowNode[]): void {
  const { collection, target } = write;
  if (target.rights.of(collection.name, 'create').length > 0) return;
  if (!nodes.every(({ isNamed }) => isNamed)) return;
  if (nodes.some((node) => changesMore(write, node))) requireAction(write, 'update');
  throw forbidden();
}

async function judgeLevel(work: Work): Promise<void> {
  const { write } = work;
  const created = writtenNodes(work, 'create');
  if (created.length > 0) requireExisting(work, created);
  const slice = new TimeSlice();
  if (created.length > 0)
    await checkCreation(write, await slice.map(created, itemForPermissionCheck));
  const changed = writtenNodes(work, 'update');
  if (changed.length > 0) {
    const changes = await slice.map(changed, (node) => ({
      key: keyOfRow(node),
      item: itemForPermissionCheck(node),
    }));
    await checkUpdates(write, changes);
    requireLocked(changed);
  }
  await prepare(work, 'create', created);
  await prepare(work, 'update', changed);
}

/**
 * Checks permissions for a piece of work and prepares it, with all levels below it.
 * @throws ServiceError FORBIDDEN; ServiceErrors FAILED_VALIDATION naming the place
 */
export async function checkAndPrepare(work: Work): Promise<void> {
  for (const { work: targets } of work.toOne) await checkAndPrepare(targets);
  const slice = new TimeSlice();
  const created = writtenNodes(work, 'create');
  const isNew = created.length === work.nodes.length;
  const written = isNew ? null : new Set([...created, ...writtenNodes(work, 'update')]);
  if (slice.isSpent) await slice.pause();
  const untouched = written === null ? [] : work.nodes.filter((node) => !written.has(node));
  await checkLinks(work, untouched);
  if (slice.isSpent) await slice.pause();
  await judgeLevel(work);
  for (const step of work.toMany) {
    await judgeTaken(step);
    await checkAndPrepare(step.work);
  }
}
