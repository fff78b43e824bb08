/** The statistics of the queues, as workers record them and administrators read them. */
import t from 'tap';
import * as v from 'valibot';
import { queueStatisticsSchema } from '#edge/rest/answer/job.ts';
import { createEditor } from '#tests/edge/rest/fixture/editor.ts';
import { outcome } from '#tests/edge/rest/fixture/sign-in.ts';
import { backends } from '#tests/harness/backend.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

for (const backend of backends) {
  t.test(`statistics on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { workers: 2, env: backend.env });
    const read = async (query: string) => {
      const response = await cluster.fetch(`/queues/statistics${query}`);
      const { data } = JSON.parse(await response.text());
      return v.parse(queueStatisticsSchema, data);
    };

    await t.test('are recorded by one of the workers', async (t) => {
      const { now, series, ...hour } = await until(async () => {
        const found = await read('');
        return found.series.length > 0 && found;
      }, 'a minute is recorded');
      t.strictSame(hour, { period: 'hour', interval: 60 });
      const names = ['transfer', 'schema', 'images', 'maintenance'];
      t.strictSame(
        now.queues.map(({ name }) => name),
        names,
      );
      t.strictSame(now.processes, { edge: 1, worker: 2 });
      for (const { minutes, queues } of series) {
        t.equal(minutes, 1);
        t.strictSame(
          queues.map(({ name }) => name),
          names,
          'each queue once',
        );
      }
      for (const period of ['day', 'month'] as const) {
        const longer = await read(`?period=${period}`);
        t.equal(longer.period, period);
        t.ok(longer.series.length > 0);
      }
    });

    await t.test('are for administrators, in one of three periods', async (t) => {
      const editor = await createEditor(cluster, { app: true, reads: {} });
      t.equal(await outcome(editor('/queues/statistics')), 'FORBIDDEN');
      t.equal(await outcome(cluster.fetch('/queues/statistics?period=year')), 'INVALID_QUERY');
    });
  });
}
