/** Sends made-up requests for a while, then looks at all that they may have left. */
import type { Test } from 'tap';
import { until } from '#tests/harness/until.ts';
import { besiege, leaky, logLeaks, prepare, type Siege, tainted } from './run.ts';
import { HIDDEN } from './site.ts';

/** What has to come back even on a machine that is busy with other things. */
const LEAST_REQUESTS = 50;

/** What an edge may keep an answer of. */
const KEPT = '/items/things/4';

/** Lets an administrator's answers be kept, then asks the same as others, with its entity tags. */
async function readAcross(t: Test, { cluster, askers }: Siege): Promise<void> {
  for (const path of ['/items/things?limit=-1', KEPT, '/items/secrets', '/users']) {
    const ask = (token: string | null, headers: Record<string, string> = {}) =>
      fetch(`${cluster.url}${path}`, {
        headers: { ...headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
      });
    const [admin, ...others] = askers;
    const first = await ask(admin.token);
    t.match(await first.text(), HIDDEN, path);
    const isKept = async () => (await ask(admin.token)).headers.get('x-cache') === 'HIT';
    if (path === KEPT) await until(isKept, 'it is kept');
    const tag = first.headers.get('etag') ?? '"none"';
    for (const { name, token } of others) {
      for (const headers of [{}, { 'if-none-match': tag }]) {
        const answer = await ask(token, headers);
        t.notMatch(await answer.text(), HIDDEN, `${name} ${path}`);
        t.not(answer.status, 304, 'the tag of another is none');
      }
    }
  }
}

/**
 * @param duration milliseconds
 * @param start FUZZ_SEED when that is not set
 */
export async function fuzz(t: Test, duration: number, start: number): Promise<void> {
  const seed = Number(process.env.FUZZ_SEED ?? start);
  const siege = await prepare(t);
  await readAcross(t, siege);
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
