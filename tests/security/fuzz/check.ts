/** Sends made-up requests for a while, then looks at all that they may have left. */
import { randomInt } from 'node:crypto';
import type { Test } from 'tap';
import { besiege, leaky, logLeaks, prepare, tainted } from './run.ts';

/** What has to come back, so that a run tells something; about a hundredth of what does. */
const LEAST_REQUESTS = 200;

/** @param duration milliseconds */
export async function fuzz(t: Test, duration: number): Promise<void> {
  const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 30));
  const siege = await prepare(t);
  const { requests, statuses, faults } = await besiege(siege, seed, duration);
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  t.comment(`FUZZ_SEED=${seed} ${requests} requests, by status ${counts.join(', ')}`);
  t.strictSame(faults, [], 'no answer is the fault of the server or tells a secret');
  t.strictSame(await tainted(siege), [], 'nothing made up stands in the text of a statement');
  t.strictSame(await leaky(siege), [], 'no job and no record holds a secret');
  t.strictSame(logLeaks(siege), [], 'no log tells a secret');
  t.ok(requests > LEAST_REQUESTS, 'enough was asked');
  t.ok((statuses.get(200) ?? 0) * 10 > requests, 'a good part of it was understood');
  t.ok((await fetch(`${siege.cluster.url}/server/ping`)).ok, 'the edge still answers');
}
