import t from 'tap';
import { METRICS } from '#core/base/metrics/catalogue.ts';
import { type MetricFamily, Metrics } from '#core/base/metrics/metrics.ts';

function valuesOf(families: readonly MetricFamily[], name: string) {
  return families.find((family) => family.name === name)?.values ?? [];
}

t.test('names follow the conventions of Prometheus', async (t) => {
  for (const [name, { type }] of Object.entries(METRICS)) {
    t.match(name, /^sluice_[a-z][a-z_]*[a-z]$/);
    t.equal(name.endsWith('_total'), type === 'counter', name);
    if (type === 'histogram') t.match(name, /_(seconds|bytes)$/);
    t.notMatch(name, /_(ms|milliseconds|kb|mb|minutes|percent)(_|$)/);
  }
});

t.test('counts, readings and distributions', async (t) => {
  const metrics = new Metrics();
  const count = metrics.counter('sluice_cache_reads_total', { result: 'hit' });
  count.value += 2;
  t.equal(metrics.counter('sluice_cache_reads_total', { result: 'hit' }), count, 'the same one');
  metrics.counter('sluice_cache_reads_total', { result: 'miss' }).value += 1;
  t.strictSame(valuesOf(metrics.families(), 'sluice_cache_reads_total'), [
    { labels: { result: 'hit' }, value: 2 },
    { labels: { result: 'miss' }, value: 1 },
  ]);
  const remove = metrics.reading('sluice_cache_bytes', () => [[{}, 5]]);
  t.strictSame(valuesOf(metrics.families(), 'sluice_cache_bytes'), [{ labels: {}, value: 5 }]);
  remove();
  t.strictSame(valuesOf(metrics.families(), 'sluice_cache_bytes'), []);
  const times = metrics.histogram('sluice_job_duration_seconds', {
    kind: 'import',
    outcome: 'done',
  });
  for (const time of [0.05, 0.06, 4, 1e9]) times.observe(time);
  const samples = valuesOf(metrics.families(), 'sluice_job_duration_seconds');
  const bucket = (le: string) => samples.find(({ labels }) => labels.le === le)?.value;
  t.strictSame(['0.05', '0.1', '5', '14400', '+Inf'].map(bucket), [1, 2, 3, 3, 4]);
  t.match(samples.at(-1), { metricName: 'sluice_job_duration_seconds_count', value: 4 });
  t.match(samples.at(-2), { metricName: 'sluice_job_duration_seconds_sum', value: 1e9 + 4.11 });
});

t.test('wrong labels do not fill the memory', async (t) => {
  const metrics = new Metrics();
  for (let i = 0; i < 10_000; i++) {
    metrics.counter('sluice_job_stalls_total', { reason: `reason ${i}` }).value += 1;
  }
  const values = valuesOf(metrics.families(), 'sluice_job_stalls_total');
  t.ok(values.length <= 2_001, `${values.length} series`);
  t.equal(values.find(({ labels }) => labels.reason === 'other')?.value, 8_000);
  t.equal(
    values.reduce((sum, { value }) => sum + value, 0),
    10_000,
    'no value is lost',
  );
});
