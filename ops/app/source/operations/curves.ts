/** The statistics of queues as curves: one value for each interval of a period, null where nothing was recorded. */
import type { QueueInterval, QueueStatistics } from '../../../client/source/index.ts';

export type Period = QueueStatistics['period'];
export const PERIODS = ['hour', 'day', 'month'] as const satisfies readonly Period[];

/** How many intervals each period has. */
const INTERVALS: Readonly<Record<Period, number>> = { hour: 60, day: 96, month: 124 };

type Values = readonly (number | null)[];

export interface Curves {
  /** The beginning of each interval, ISO-8601. */
  readonly times: readonly string[];
  readonly completed: Values;
  readonly failed: Values;
  readonly cancelled: Values;
  readonly waiting: Values;
  /** In seconds, as all durations. */
  readonly oldest: Values;
  /** Null for all queues together: their durations are not those of one distribution. */
  readonly p50: Values | null;
  readonly p99: Values | null;
  readonly rowsPerSecond: Values;
  /** Failed jobs by reason, the most frequent reason first. */
  readonly reasons: readonly { readonly reason: string; readonly values: Values }[];
  readonly edges: Values;
  readonly workers: Values;
}

type Recorded = QueueStatistics['series'][number];

/** The intervals of the period up to now; null where no worker recorded anything. */
function intervalsOf({ period, interval, now, series }: QueueStatistics) {
  const length = interval * 1_000;
  const recorded = new Map(series.map((one) => [Date.parse(one.from), one]));
  const current = Math.floor(Date.parse(now.on) / length) * length;
  const last = Math.max(...recorded.keys(), current - length);
  return Array.from({ length: INTERVALS[period] }, (_, place) => {
    const from = last - (INTERVALS[period] - 1 - place) * length;
    return { from: new Date(from).toISOString(), found: recorded.get(from) ?? null };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** @param queue the name of a queue; null for all together */
export function curvesOf(statistics: QueueStatistics, queue: string | null): Curves {
  const intervals = intervalsOf(statistics);
  const ofQueues = (found: Recorded) =>
    found.queues.filter(({ name }) => queue === null || name === queue);
  const along = (value: (queues: readonly QueueInterval[], found: Recorded) => number | null) =>
    intervals.map(({ found }) => (found === null ? null : value(ofQueues(found), found)));
  const added = (member: 'completed' | 'failed' | 'cancelled' | 'waiting' | 'rows_per_second') =>
    along((queues) => sum(queues.map((one) => one[member])));
  const single = (member: 'p50' | 'p99') =>
    queue === null ? null : along(([one]) => one?.[member] ?? null);
  const counts = new Map<string, number>();
  for (const { found } of intervals) {
    for (const { reasons } of found === null ? [] : ofQueues(found)) {
      for (const [reason, jobs] of Object.entries(reasons)) {
        counts.set(reason, (counts.get(reason) ?? 0) + jobs);
      }
    }
  }
  const reasons = [...counts].toSorted(([, one], [, other]) => other - one);
  return {
    times: intervals.map(({ from }) => from),
    completed: added('completed'),
    failed: added('failed'),
    cancelled: added('cancelled'),
    waiting: added('waiting'),
    // Without a waiting job, no time passes for any.
    oldest: along((queues) => highest(queues.map(({ oldest }) => oldest)) ?? 0),
    p50: single('p50'),
    p99: single('p99'),
    rowsPerSecond: added('rows_per_second'),
    reasons: reasons.map(([reason]) => ({
      reason,
      values: along((queues) => sum(queues.map((one) => one.reasons[reason] ?? 0))),
    })),
    edges: along((_, { processes }) => processes.edge),
    workers: along((_, { processes }) => processes.worker),
  };
}

/** The sum of a curve over its period. */
export function total(values: Values): number {
  return sum(values.map((value) => value ?? 0));
}
