import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { createBig, LIST, MEBIBYTE, measure, type Reading } from './big-answer.ts';

const ROWS = 50_000;
/** Makes answers of some 100 MB: what kept but half of one would be noticed. */
const WIDTH = 2_000;

t.test('big answers pass through without filling the memory', async (t) => {
  const cluster = await startCluster(t);
  await createBig(cluster, { rows: ROWS, width: WIDTH });
  const readings: Reading[] = [LIST, { ...LIST, slow: true }];
  for (const reading of readings) {
    const taken = await measure(cluster, reading);
    t.match(taken, { rows: ROWS, whole: true });
    t.ok(taken.bytes > ROWS * WIDTH);
    const name = reading.slow ? 'read slowly' : 'read at once';
    t.ok(taken.edge < 64 * MEBIBYTE, `${name}: the edge grew by ${taken.edge} bytes`);
    t.ok(taken.backend > 0 && taken.backend < 32 * MEBIBYTE, `PostgreSQL held ${taken.backend}`);
  }
});
