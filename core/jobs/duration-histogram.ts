/**
 * A small histogram of durations. Its classes grow by the factor √2, so that 40 of them reach from
 * ten milliseconds to two hours. Histograms of several intervals are added class by class.
 */
import { type Sql, sql } from '#core/database/sql.ts';

/** The number of classes; the last one has no upper bound. */
export const CLASSES = 40;
/** The upper bound of the first class, in seconds. */
const FIRST = 0.01;
const CLASSES_PER_DOUBLING = 2;

/** The class of a duration in seconds, as an SQL expression; the first one is 0. */
export function durationClass(seconds: Sql): Sql {
  return sql`least(${CLASSES - 1}::int, greatest(0, ceil(
    ln(greatest(${seconds}, 0.001)::float8 / ${FIRST}::float8) / ln(2::float8)
      * ${CLASSES_PER_DOUBLING}::float8)))::int`;
}

/**
 * The duration in seconds within which a share of the jobs ended: the upper bound of its class.
 * @param counts the jobs of each class; the last empty classes may be missing
 * @param longest the longest duration in seconds
 * @returns null without jobs
 */
export function quantile(
  counts: readonly number[],
  share: number,
  longest: number | null,
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0 || longest === null) return null;
  const wanted = Math.ceil(total * share);
  let reached = 0;
  const place = counts.findIndex((count) => {
    reached += count;
    return reached >= wanted;
  });
  const bound = place === CLASSES - 1 ? longest : FIRST * 2 ** (place / CLASSES_PER_DOUBLING);
  return Math.round(Math.min(bound, longest) * 1_000) / 1_000;
}
