// @newest

import t from 'tap';
import { transaction } from '#core/database/pool.ts';
import { publishWithin } from '#core/model/catalog/publish-in-transaction.ts';
import { Members } from '#core/model/system/process-registry.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const PLACE = { schemas: ['public'], system: 'public' };

t.test('an edge that lost contact does not answer before it is current', async (t) => {
  const cluster = await startCluster(t);
  const { db, edges } = cluster;
  const [edge] = edges;
  if (edge === undefined) throw new Error('there is no edge');
  const alter = (statement: string) =>
    transaction(db, async (client) => {
      await client.query(statement);
      return await publishWithin(client, PLACE);
    });
  const members = new Members(db, 'public');
  const { version } = await alter(
    'CREATE TABLE a (id integer PRIMARY KEY); INSERT INTO a VALUES (1)',
  );
  t.strictSame(await members.acknowledged({ catalog: version }), [], 'it knows of a table');
  const read = () => cluster.fetch('/items/a');
  t.strictSame(await (await read()).json(), { data: [{ id: 1 }] });

  // Neither the counters nor the registry can be read, while all tables can.
  await db.query('ALTER TABLE system_state RENAME TO misplaced');
  await until(async () => (await read()).status === 503, 'the edge to stop answering');
  const refused = await read();
  t.match(await refused.json(), { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
  t.ok(refused.headers.get('retry-after'));
  t.equal((await cluster.fetch('/auth/login', { method: 'POST', body: '{}' })).status, 503);
  t.equal((await cluster.fetch('/server/ping')).status, 200);
  const health = await cluster.fetch('/server/health');
  t.equal(health.status, 200);
  t.match(await health.json(), { status: 'warn' });

  edge.process.kill('SIGSTOP');
  await db.query('ALTER TABLE misplaced RENAME TO system_state');
  const next = await alter("ALTER TABLE a ADD COLUMN title text DEFAULT 'x'");
  const lost = await members.acknowledged({ catalog: next.version });
  t.match(lost, [/^edge /], 'nobody waits for a frozen process for long');
  let asked = read();
  edge.process.kill('SIGCONT');
  // A machine that is busy lets it take longer than it makes a request wait: 503, and never the old one.
  const answer = await until(async () => {
    const one = await asked;
    if (one.status !== 503) return one;
    asked = read();
    return null;
  }, 'it answers');
  t.equal(answer.status, 200, 'it looks before it answers');
  t.strictSame(await answer.json(), { data: [{ id: 1, title: 'x' }] });
  t.strictSame(await members.acknowledged({ catalog: next.version }), []);
});
