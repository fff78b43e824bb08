/**
 * How often the screens of operations look again, in milliseconds. What is not seen does not look: TanStack
 * Query stops in tabs that are hidden.
 */

/** While something changes by the second. */
export const QUICK = 1_000;
/** While nothing is known to change. */
export const CALM = 5_000;
