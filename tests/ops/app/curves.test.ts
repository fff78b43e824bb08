// @newest @quick
/** The curves of queues: one value for each interval of a period, with gaps where nothing was recorded. */
import t from 'tap';
import { curvesOf, total } from '../../../ops/app/source/operations/curves.ts';
import type { QueueStatistics } from '../../../ops/client/source/index.ts';

const MINUTE = 60_000;
const NOW = '2026-03-01T10:00:30.000Z';

function queue(name: string, completed: number, reasons: Readonly<Record<string, number>> = {}) {
  const failed = Object.values(reasons).reduce((sum, jobs) => sum + jobs, 0);
  return {
    ...{ name, completed, failed, cancelled: 0, rows: 60, rows_per_second: 1, waiting: completed },
    ...{ oldest: completed === 0 ? null : completed, p50: 0.5, p99: 2, reasons },
  };
}

/** Statistics of an hour that recorded the minutes that began so many minutes ago. */
function hour(minutes: readonly number[]): QueueStatistics {
  const current = Date.parse('2026-03-01T10:00:00.000Z');
  return {
    ...{ period: 'hour', interval: 60 },
    now: { on: NOW, processes: { edge: 1, worker: 1 }, queues: [] },
    series: minutes.map((ago) => ({
      from: new Date(current - ago * MINUTE).toISOString(),
      minutes: 1,
      processes: { edge: 2, worker: 3 },
      queues: [queue('transfer', ago, { FEW: 1, MANY: 2 }), queue('images', 1)],
    })),
  };
}

t.test('an hour has sixty minutes up to now, and gaps for those without a record', async (t) => {
  const { times, completed, waiting, workers } = curvesOf(hour([3, 1]), 'transfer');
  t.equal(times.length, 60);
  t.equal(times.at(-1), '2026-03-01T09:59:00.000Z');
  t.strictSame(completed.slice(-3), [3, null, 1]);
  t.strictSame(waiting.slice(-3), [3, null, 1]);
  t.strictSame(workers.slice(-3), [3, null, 3]);
  t.equal(total(completed), 4);
});

t.test('all queues together are added; the oldest job is the oldest of any', async (t) => {
  const { completed, oldest, p50, rowsPerSecond } = curvesOf(hour([2]), null);
  t.equal(completed.at(-2), 3);
  t.equal(oldest.at(-2), 2);
  t.equal(rowsPerSecond.at(-2), 2);
  t.equal(p50, null, 'durations of several queues have no common quantile');
  t.equal(curvesOf(hour([2]), 'images').p50?.at(-2), 0.5);
});

t.test('the most frequent reason comes first', async (t) => {
  const { reasons } = curvesOf(hour([2, 1]), null);
  t.strictSame(
    reasons.map(({ reason, values }) => [reason, total(values)]),
    [
      ['MANY', 4],
      ['FEW', 2],
    ],
  );
});
