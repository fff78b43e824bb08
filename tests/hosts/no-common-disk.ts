/**
 * A host with an edge and one with a worker, without a common disk: an import waits for a worker that
 * reaches its file, everybody can see why, and it can be cancelled.
 */
import { join } from 'node:path';
import t from 'tap';
import { ended, stateOf, submit } from '#tests/harness/hosts/importing.ts';
import { startInstallation } from '#tests/harness/hosts/installation.ts';
import { openNetwork } from '#tests/harness/hosts/open-network.ts';
import { until } from '#tests/harness/until.ts';
import { temporaryFolder } from '#tests/ops/run/supervisor/stand-in/run.ts';

const network = openNetwork(t);
const installation = await startInstallation(t, network);
await installation.db.query('CREATE TABLE item (id serial PRIMARY KEY, label text, number int)');
const folder = temporaryFolder(t);
const quick = { QUEUE_STUCK_AFTER: '2s' };
/** Files of the hosts with this are in one folder, as on a disk that they share. */
const shared = { STORAGE_LOCATIONS: 'local', STORAGE_LOCAL_ROOT: join(folder, 'files'), ...quick };
const edge = await installation.start('edge', {
  ...{ ...shared, EDGE_PROCESSES: '1', WORKER_PROCESSES: '0' },
});
const only = { EDGE_PROCESSES: '0', WORKER_PROCESSES: '1', ...quick };
const far = await installation.start('far-worker', only);

const health = async () => await (await edge.ask('/server/health')).text();

t.test('an import waits for a worker that reaches its file', async (t) => {
  const [wanted, unwanted] = [
    await submit([edge], 'wanted', { rows: 3 }),
    await submit([edge], 'unwanted', { rows: 3 }),
  ];
  const waits = async () =>
    /"waiting_for":"storage /.test(await (await edge.ask(wanted.job)).text());
  await until(waits, 'the job says what it waits for');
  const answer = await until(async () => {
    const { status } = await edge.ask('/server/health');
    return status === 503 ? await health() : null;
  }, 'health is red');
  t.match(answer, /storage/);
  t.equal((await edge.ask(unwanted.job, { method: 'DELETE' })).status, 204);
  t.equal(await stateOf(edge, wanted.job), 'waiting', 'it is not failed');

  await installation.start('near-worker', { ...shared, ...only });
  t.equal(await ended(edge, wanted.job), 'completed');
  t.equal(await stateOf(edge, unwanted.job), 'cancelled');
  await until(
    async () => (await edge.ask('/server/health')).status === 200,
    'health is well again',
  );
  const { rows } = await installation.db.query('SELECT label, number FROM item ORDER BY number');
  t.strictSame(
    rows,
    [0, 1, 2].map((number) => ({ label: 'wanted', number })),
  );
  t.notMatch(far.output(), /"level":50/, 'the other worker has no errors');
});
