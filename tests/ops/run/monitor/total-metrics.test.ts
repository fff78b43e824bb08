import t from 'tap';
import { Metrics } from '#core/base/metrics/metrics.ts';
import { TotalMetrics } from '#ops/run/monitor/total-metrics.ts';

/** A process that has answered so many statements and waits for so many connections. */
function said(statements: number, waiting = 0) {
  const metrics = new Metrics();
  metrics.counter('sluice_database_statements_total', { pool: 'edge' }).value += statements;
  metrics.reading('sluice_database_waiting', () => [[{ pool: 'edge' }, waiting]]);
  metrics.reading('sluice_catalog_version', () => [[{}, statements]]);
  metrics
    .histogram('sluice_http_request_duration_seconds', {
      method: 'GET',
      route: '/items/:collection',
    })
    .observe(0.003);
  return metrics.families();
}

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

t.test('processes are added up, and each has its own version', async (t) => {
  const totals = new TotalMetrics();
  const text = await totals.text(
    [
      { name: 'edge-1', pid: 1, families: said(3, 1) },
      { name: 'edge-2', pid: 2, families: said(4, 2) },
    ],
    [],
  );
  const got = lines(text);
  for (const line of [
    'sluice_database_statements_total{pool="edge"} 7',
    'sluice_database_waiting{pool="edge"} 3',
    'sluice_catalog_version{process="edge-1"} 3',
    'sluice_catalog_version{process="edge-2"} 4',
    'sluice_http_request_duration_seconds_bucket{method="GET",route="/items/:collection",le="0.0025"} 0',
    'sluice_http_request_duration_seconds_bucket{method="GET",route="/items/:collection",le="+Inf"} 2',
  ]) {
    t.ok(got.includes(line), line);
  }
  t.match(text, '# TYPE sluice_http_request_duration_seconds histogram');
});

t.test('counters never go back', async (t) => {
  const totals = new TotalMetrics();
  const statements = async (...processes: Parameters<TotalMetrics['text']>[0]) => {
    const got = lines(await totals.text(processes, []));
    const value = (start: string) =>
      Number(
        got
          .find((line) => line.startsWith(start))
          ?.split(' ')
          .at(-1) ?? Number.NaN,
      );
    return [value('sluice_database_statements_total'), value('sluice_database_waiting')];
  };
  const other = { name: 'edge-2', pid: 2, families: said(10, 1) };
  t.strictSame(await statements({ name: 'edge-1', pid: 1, families: said(5, 1) }, other), [15, 2]);
  t.strictSame(
    await statements({ name: 'edge-1', pid: 1, families: null }, other),
    [15, 1],
    'silent',
  );
  t.strictSame(await statements({ name: 'edge-1', pid: 3, families: said(1, 1) }, other), [16, 2]);
  t.strictSame(await statements({ name: 'edge-1', pid: 3, families: said(2, 1) }, other), [17, 2]);
  t.strictSame(await statements({ name: 'edge-1', pid: 4, families: said(1, 0) }, other), [18, 1]);
});
