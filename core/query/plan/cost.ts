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
 * The cost of a plan.
 * @param pageLimit above it, and without a limit, the root is a stream, whose items count one by one
 */
export function costOf(root: LevelPlan, pageLimit: number): number {
  const isPage = root.limit !== null && root.limit <= pageLimit;
  return (isPage ? (root.limit ?? 1) : 1) * itemCostOf(root, UNLIMITED_ITEMS);
}
