// @newest @quick
/** The curves of the monitor: SVG with gaps, of one queue or all, without content of a job. */
import t from 'tap';
import type { QueueStatistics } from '#core/jobs/queue-statistics.ts';
import { curvesPart, pathOf } from '#ops/run/monitor/curves.ts';

const QUEUE = {
  ...{ name: 'transfer', completed: 4, failed: 1, cancelled: 0, rows: 60, rows_per_second: 1 },
  ...{ waiting: 2, oldest: 1.5, p50: 0.5, p99: 2, reasons: { 'A<B': 1 } },
};
const STATISTICS: QueueStatistics = {
  ...{ period: 'hour', interval: 60 },
  now: { on: '2026-03-01T10:00:30.000Z', processes: { edge: 1, worker: 1 }, queues: [] },
  series: [
    {
      ...{ from: '2026-03-01T09:59:00.000Z', minutes: 1, processes: { edge: 2, worker: 3 } },
      queues: [QUEUE, { ...QUEUE, name: 'images', completed: 1, reasons: {} }],
    },
  ],
};

t.test('a line breaks where a value is missing', async (t) => {
  t.equal(pathOf([0, 2, null, 1], 2), 'M0 80h0L100 0M300 40h0');
  t.equal(pathOf([null, null], 1), '');
});

t.test('all queues are added, one is alone', async (t) => {
  t.match(curvesPart(STATISTICS, null), 'Ended jobs: completed 5, failed 2, cancelled 0');
  const own = curvesPart(STATISTICS, 'images');
  t.match(own, 'Ended jobs: completed 1, failed 1');
  t.match(own, 'edges 2, workers 3');
  t.notMatch(own, 'A&lt;B');
  t.match(curvesPart(STATISTICS, 'transfer'), 'A&lt;B 1', 'a reason is escaped');
});

t.test('without a record there is no curve', async (t) => {
  const none = curvesPart({ ...STATISTICS, series: [] }, null);
  t.match(none, 'No values yet.');
  t.notMatch(none, '<path');
});
