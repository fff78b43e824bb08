/** Whatever is asked, PostgreSQL receives one statement, and values only as parameters. */
import t from 'tap';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { createSample } from '#tests/harness/sample.ts';
import { until } from '#tests/harness/until.ts';
import { listenIn } from '#tests/harness/wire.ts';

const QUERIES: readonly string[] = [
  '/items/articles/1',
  '/items/articles',
  '/items/articles?limit=-1',
  '/items/articles?fields=*.*.*.*&limit=3',
  '/items/articles?fields=*,author_id.*,comments.*,tags.tags_id.*&limit=25',
  '/items/pages?fields=*,blocks.*,blocks.item:block_hero.*,blocks.item:block_text.*',
  '/items/articles?meta=*&filter[author_id][name][_eq]=canary-value&search=canary-value',
  '/items/articles?aggregate[count]=*&aggregate[sum]=views&groupBy=status&meta=*',
  '/items/articles?filter[comments][_none][body][_contains]=canary-value&sort=-author_id.name',
  '/items/articles?fields=comments.*&deep[comments][_limit]=1&deep[comments][_sort]=-id',
  '/items/articles?alias[a]=comments&alias[b]=comments&fields=a.id,b.body,count(comments)',
];

t.test('one statement for any question', async (t) => {
  const cluster = await startCluster(t);
  await createSample(cluster.db);
  const wire = await listenIn(t, cluster.databaseUrl);
  const edge = await cluster.addEdge({ DATABASE_URL: wire.url, WORKER_PROCESSES: '1' });
  const get = (path: string) =>
    fetch(`${edge.url}${path}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
  await until(async () => (await get('/items/pages?fields=blocks')).ok, 'relations are known');
  for (const path of QUERIES) {
    // Often enough to go through the pool first and through prepared statements later.
    for (let time = 1; time <= 3; time += 1) {
      wire.statements.length = 0;
      const answer = await get(path);
      t.equal(answer.status, 200, `${path}: ${await answer.text()}`.slice(0, 200));
      const own = wire.statements.filter(
        // An empty statement is how an idle connection is probed.
        (text) => !/system_|^(BEGIN; )?SET |^SELECT set_config|^COMMIT$|^SELECT 1$|^$/.test(text),
      );
      t.equal(own.length, 1, `${path}, time ${time}: ${own.join('; ')}`);
      t.notMatch(own.join(), 'canary-value', 'values are parameters');
    }
  }
  await edge.end('SIGTERM');
});
