/**
 * The maximum cost of a plan, from its page sizes and its depth: the number of items that it may
 * touch. The sizes of the tables are unknown here.
 */
import { type LevelPlan, levelsBelow } from './plan.ts';

/** The assumed number of items in a list without a limit below the root. */
const UNLIMITED_ITEMS = 1_000;

/**
 * The cost of one item, with all levels below it.
 * @param unlimited the assumed number of items in a list without a limit
 */
export function itemCostOf(level: LevelPlan, unlimited: number): number {
  return levelsBelow(level).reduce((sum, below) => sum + levelCost(below, unlimited), 1);
}

function levelCost(level: LevelPlan, unlimited: number): number {
  const isOne = level.content.kind === 'items' && level.content.order === null;
  return (isOne ? 1 : (level.limit ?? unlimited)) * itemCostOf(level, unlimited);
}

/**
 * The items that sorting a level and the levels below it touches. Each list in the sort path counts
 * as a list without a limit, for every item that is sorted.
 * @param parents the number of items that the level is read for
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
