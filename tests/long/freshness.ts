/** How long answers to changes of rights take, and rights that flip for a long time. */
import t, { type Test } from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { ADMIN_TOKEN, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';
import { storm } from '../security/fixture/storm.ts';
import { openEdges } from '../security/fixture/two-edges.ts';

/** Most milliseconds that half of the changes may take. */
const MEDIAN_MS = { one: 20, two: 50 };
const CHANGES = 200;
const FLIPS = Number(process.env.FLIPS ?? 400);

/** The median time of a change of rights, and of the same change of what decides nothing. */
async function measure(t: Test, url: string, most: number): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(text);
    return JSON.parse(text).data;
  };
  const medianOf = async (path: string, bodyOf: (n: number) => unknown) => {
    const times: number[] = [];
    for (let n = 0; n < CHANGES; n += 1) {
      const begun = performance.now();
      await send('PATCH', path, bodyOf(n));
      times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b)[CHANGES / 2] ?? 0;
  };
  const { id } = await send('POST', '/policies', { name: 'policy' });
  const median = await medianOf(`/policies/${id}`, (n) => ({ name: `policy ${n}` }));
  const other = await medianOf('/items/notes/1', (n) => ({ text: `text ${n}` }));
  t.comment(`median ${median.toFixed(1)} ms; of a change of an item ${other.toFixed(1)} ms`);
  t.ok(median < most, `a change of rights takes less than ${most} ms`);
}

for (const { name, env } of backends) {
  t.test(`on ${name}`, async (t) => {
    const cluster = await startCluster(t, { env });
    await cluster.db.query(`CREATE TABLE notes (id integer PRIMARY KEY, text text);
      INSERT INTO notes VALUES (1)`);
    await until(async () => (await cluster.fetch('/items/notes')).status === 200, 'the table');
    await t.test('one edge', (t) => measure(t, cluster.url, MEDIAN_MS.one));
    const edges = await openEdges(cluster);
    for (const url of edges.urls) {
      await t.test('two edges', (t) => measure(t, url, MEDIAN_MS.two));
    }
    await t.test('a storm', (t) => storm(t, edges, FLIPS));
  });
}
