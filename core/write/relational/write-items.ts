/**
 * Writes items with their related items, in this order: parse the payload, lock existing rows, check
 * permissions and values, write rows, record history. The transaction around it publishes the changes
 * after COMMIT. The number of statements depends on the payload's shape alone.
 */
import { forbidden } from '#core/base/errors/service-error.ts';
import type { Key } from '#core/query/key.ts';
import { requireAction } from '../check-permissions.ts';
import { WriteBudget } from '../write-budget.ts';
import type { WriteContext } from '../write-context.ts';
import { checkAndPrepare } from './check-and-prepare.ts';
import { lockNamedRows } from './lock.ts';
import { type InputItem, PayloadPlanner } from './payload-planner.ts';
import type { Level } from './plan.ts';
import { type Recorder, recordHistory } from './record-history.ts';
import { Resolver, type WriteOf } from './resolve.ts';
import { keyOfRow } from './work.ts';
import { writeRows } from './write-rows.ts';

export type { InputItem } from './payload-planner.ts';

/** The context of a payload beyond the write context of its own collection. */
export interface RelationalWriteContext {
  /** The write contexts of the other collections in the payload. */
  readonly writeOf: WriteOf;
  /** The maximum number of items that the payload may write; undefined: no limit. */
  readonly maxItems: number | undefined;
  readonly history: Recorder;
}

/** Calls the `begin` rule of each collection in a plan once. */
async function begin(level: Level, writeOf: WriteOf, begun = new Set<string>()): Promise<void> {
  const { name } = level.collection;
  if (!begun.has(name)) {
    begun.add(name);
    const write = writeOf(name);
    await write.rule.begin?.(write);
  }
  const steps = [...level.toOne, ...level.toMany];
  for (const step of steps) await begin(step.level, writeOf, begun);
}

/**
 * Writes items and their related items.
 * @returns their keys, in the order of the inputs
 * @throws ServiceError FORBIDDEN, FAILED_VALIDATION, INVALID_PAYLOAD naming the place
 */
export async function writeItems(
  write: WriteContext,
  inputs: readonly InputItem[],
  { writeOf, maxItems, history }: RelationalWriteContext,
): Promise<Key[]> {
  const { catalog } = write.target;
  const allowance = new WriteBudget(maxItems);
  const level = await new PayloadPlanner(write.target, allowance).level(write.collection, inputs);
  await begin(level, writeOf);
  for (const action of new Set(inputs.map(({ intent }) => intent))) {
    if (action !== 'either') requireAction(write, action);
  }
  if (inputs.length === 0) {
    if (!write.target.rights.admin) throw forbidden();
    return [];
  }
  const found = await lockNamedRows(level, catalog, writeOf);
  const resolver = new Resolver(found, writeOf, allowance);
  const { work, nodeOf } = await resolver.resolve(level);
  await checkAndPrepare(work);
  await writeRows(work);
  await recordHistory(history, work);
  return nodeOf.map(keyOfRow);
}
