// @newest @slow

import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { createBig, LIST, MEBIBYTE, measure, type Reading } from './big-answer.ts';

const ROWS = 50_000;
/** Makes answers of some 225 MB: what kept but half of one would be noticed. */
const WIDTH = 4_500;
/**
 * Bytes that the edge may grow by. V8 collects the buffers of sockets when they are 64 MiB more than
 * after the last time, so that a fast reader sees about 80.
 */
const EDGE_MOST = 112 * MEBIBYTE;

t.test('big answers pass through without filling the memory', async (t) => {
  const cluster = await startCluster(t);
  await createBig(cluster, { rows: ROWS, width: WIDTH });
  const readings: Reading[] = [LIST, { ...LIST, slow: true }];
  for (const reading of readings) {
    const taken = await measure(cluster, reading);
    t.match(taken, { rows: ROWS, whole: true });
    t.ok(taken.bytes > ROWS * WIDTH);
    const name = reading.slow ? 'read slowly' : 'read at once';
    t.ok(taken.edge < EDGE_MOST, `${name}: the edge grew by ${taken.edge} bytes`);
    t.ok(taken.backend > 0 && taken.backend < 32 * MEBIBYTE, `PostgreSQL held ${taken.backend}`);
  }
});
