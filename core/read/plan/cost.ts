/**
 * What a plan may cost at most, as its page sizes and its depth say: the number of items that it can
 * touch. What the tables hold is not known here.
 */
import { type LevelPlan, levelsBelow } from './plan.ts';

/** A list without a limit below the root counts as one of so many items. */
const UNLIMITED_ITEMS = 1_000;

/**
 * Of one item, with all below it.
 * @param unlimited what a list without a limit counts as
 */
export function itemCostOf(level: LevelPlan, unlimited: number): number {
  return levelsBelow(level).reduce((sum, below) => sum + levelCost(below, unlimited), 1);
}

function levelCost(level: LevelPlan, unlimited: number): number {
  const isOne = level.content.kind === 'items' && level.content.order === null;
  return (isOne ? 1 : (level.limit ?? unlimited)) * itemCostOf(level, unlimited);
}

/**
 * What the order of a level and of those below it touches: each list that it goes through counts as one
 * without a limit, for all items of the level that are put in order.
 * @param parents how many items the level is read for
 */
function orderCost(level: LevelPlan, parents: number): number {
  const order = level.content.kind === 'items' ? level.content.order : null;
  const lists = (order?.terms ?? []).flatMap(({ among }) => among?.lists ?? []);
  const own = lists.reduce((sum, count) => sum + UNLIMITED_ITEMS ** (count + 1), 0) * parents;
  const items = parents * (order === null ? 1 : (level.limit ?? UNLIMITED_ITEMS));
  return levelsBelow(level).reduce((sum, below) => sum + orderCost(below, items), own);
}

/**
 * The cost of a plan.
 * @param pageLimit above it, and without a limit, the root is a stream, whose items count one by one
 */
export function costOf(root: LevelPlan, pageLimit: number): number {
  const isPage = root.limit !== null && root.limit <= pageLimit;
  const items = isPage ? (root.limit ?? 1) : 1;
  return items * itemCostOf(root, UNLIMITED_ITEMS) + orderCost(root, 1);
}
