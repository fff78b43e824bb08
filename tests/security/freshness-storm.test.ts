// @newest @slow
/**
 * Rights that flip while both edges are hammered, and an edge that was frozen while they did: neither
 * answers by what an answer has taken away.
 */
import t, { type Test } from 'tap';
import { QUICK_LOGIN } from '#tests/edge/rest/fixture/sign-in.ts';
import { backends } from '#tests/harness/backend.ts';
import { type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { storm } from './fixture/storm.ts';
import { createPerson, openEdges, read, type TwoEdges } from './fixture/two-edges.ts';

const FLIPS = 18;

async function frozen(t: Test, cluster: Cluster, edges: TwoEdges): Promise<void> {
  const person = await createPerson(edges);
  const [first, second] = edges.urls;
  const { id } = await edges.admin('POST', '/permissions', {
    ...{ policy: person.policy, collection: 'notes', action: 'read', fields: ['*'] },
  });
  t.strictSame(await edges.everywhere('/items/notes', person.token), [200]);
  edges.edge.process.kill('SIGSTOP');
  const deletion = await cluster.fetch(`/permissions/${id}`, { method: 'DELETE' });
  t.equal(deletion.status, 204, 'nobody waits for long for an edge that is frozen');
  t.equal(await read(first, '/items/notes', person.token), 'FORBIDDEN');
  const asked = Array.from({ length: 5 }, () => read(second, '/items/notes', person.token));
  const soon = await cluster.fetch('/roles', { method: 'POST', body: '{"name":"another"}' });
  t.equal(soon.status, 200, 'and but once');
  edges.edge.process.kill('SIGCONT');
  const answers = await Promise.all(asked);
  const allowed = new Set<string | number>(['FORBIDDEN', 'SERVICE_UNAVAILABLE']);
  t.strictSame(
    answers.filter((answer) => !allowed.has(answer)),
    [],
  );
  const current = async () => (await read(second, '/items/notes', person.token)) === 'FORBIDDEN';
  await until(current, 'the edge to be current');
}

for (const { name, env } of backends) {
  t.test(`on ${name}`, async (t) => {
    const cluster = await startCluster(t, { env: { ...QUICK_LOGIN, ...env } });
    await cluster.db.query('CREATE TABLE notes (id integer PRIMARY KEY)');
    const edges = await openEdges(cluster);
    await until(async () => (await cluster.fetch('/items/notes')).status === 200, 'the table');
    await t.test('a storm', (t) => storm(t, edges, FLIPS));
    // Leases stand in the database, whatever carries the messages.
    if (name === 'postgres') await t.test('a frozen edge', (t) => frozen(t, cluster, edges));
  });
}
