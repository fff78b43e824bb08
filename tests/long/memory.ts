/** Answers of a million rows, in every form and to clients of any pace. */
import t from 'tap';
import { startCluster } from '../harness/cluster.ts';
import { createBig, EXPORTS, LIST, MEBIBYTE, measure } from '../memory/big-answer.ts';

const ROWS = 1_000_000;

t.test('answers of a million rows pass through', async (t) => {
  const cluster = await startCluster(t);
  await createBig(cluster, { rows: ROWS, width: 60 });
  for (const reading of [LIST, { ...LIST, slow: true }, ...EXPORTS]) {
    const name = `limit=-1${reading.how}${'slow' in reading ? ' slowly' : ''}`;
    const taken = await measure(cluster, reading);
    t.comment(`${name}: ${JSON.stringify(taken)}`);
    t.match(taken, { rows: ROWS, whole: true }, name);
    t.ok(taken.edge < 128 * MEBIBYTE, 'the edge');
    t.ok(taken.backend > 0 && taken.backend < 64 * MEBIBYTE, 'PostgreSQL');
  }
});
