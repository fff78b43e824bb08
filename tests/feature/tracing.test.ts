// @newest @slow
/** Traces: from the request through its statements and its job to the worker. */
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { type ReceivedSpan, startOtlpReceiver } from '#tests/harness/otlp-receiver.ts';
import { freePort } from '#tests/harness/port.ts';
import { until } from '#tests/harness/until.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;
const CONSUMER = 5;
const ERROR = 2;

t.test('a request, its statements, its job', async (t) => {
  const receiver = await startOtlpReceiver(t);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/` };
  const cluster = await startCluster(t, { env, workers: 1 });
  await cluster.db.query('CREATE TABLE item (id serial PRIMARY KEY, name text UNIQUE)');
  const isServed = async () => (await cluster.fetch('/items/item')).status === 200;
  await until(isServed, 'the table is served');
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'mine' };
  const secret = 'nobody should see this';
  const query = new URLSearchParams({ filter: JSON.stringify({ name: { _eq: secret } }) });
  await cluster.fetch(`/items/item?${query}`, { headers });
  const body = new FormData();
  body.append('file', new File(['name\na\n'], 'rows.csv', { type: 'text/csv' }));
  const sent = await cluster.fetch('/utils/import/item', { method: 'POST', body, headers });
  t.equal(sent.status, 200, await sent.text());
  const bodyOf = (name: string) => ({ method: 'POST', body: JSON.stringify({ name }), headers });
  const refused = await cluster.fetch('/items/item', bodyOf('a'));
  t.equal(refused.status, 400, await refused.text());
  t.equal((await cluster.fetch('/items/absent')).status, 403);
  for (const member of [...cluster.edges, ...cluster.workers]) await member.end('SIGTERM');

  const ours = receiver.spans.filter(({ traceId }) => traceId === TRACE);
  const find = (name: string, from: readonly ReceivedSpan[] = ours): ReceivedSpan => {
    const found = from.find((span) => span.name === name);
    if (found === undefined) throw new Error(`no span ${name} of ${from.map((span) => span.name)}`);
    return found;
  };
  const children = (of: ReceivedSpan) => ours.filter((span) => span.parentSpanId === of.spanId);
  const read = find('GET /items/:collection');
  t.match(read, {
    ...{ parentSpanId: CALLER, kind: SERVER, service: 'sluice-edge', status: { code: 0 } },
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/items/:collection',
      'http.response.status_code': 200,
      'sluice.request_id': 'mine',
    },
  });
  const statement = find('SELECT', children(read));
  t.match(statement, { kind: CLIENT, attributes: { 'db.query.text': /FROM .*"item"/s } });
  t.notMatch(JSON.stringify(receiver.spans), secret, 'values are not told');

  const submission = find('POST /utils/import/:collection');
  const job = find('process import', children(submission));
  t.match(job, {
    ...{ kind: CONSUMER, service: 'sluice-worker', status: { code: 0 } },
    attributes: { 'sluice.request_id': 'mine', 'sluice.job.outcome': 'done' },
  });
  t.ok(children(job).length > 2, 'the statements of the import belong to its job');
  const failed = children(find('POST /items/:collection')).find(
    ({ status }) => status.code === ERROR,
  );
  t.equal(failed?.attributes['db.response.status_code'], '23505');

  const others = receiver.spans.filter(({ traceId }) => traceId !== TRACE);
  t.ok(
    others.some(({ name }) => name === 'GET /items/:collection'),
    'a trace of its own',
  );
  t.ok(
    others.every(({ kind, parentSpanId }) => kind !== CLIENT || parentSpanId !== ''),
    'statements that belong to no request and no job are not traced',
  );
});

t.test('a collector that does not answer', async (t) => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  };
  const cluster = await startCluster(t, { env });
  t.equal((await cluster.fetch('/server/ping')).status, 200);
  const [edge] = cluster.edges;
  await until(() => edge?.output().includes('traces could not be sent'), 'it is logged');
  t.equal((await cluster.fetch('/server/ping')).status, 200);
  await edge?.end('SIGTERM');
});
