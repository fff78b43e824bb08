/**
 * How long a client waits for the answer to a small import after the last byte of its file: done, and
 * accepted only. The baseline is the same row written by a request.
 */
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { startCluster } from '#tests/harness/cluster.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

const ROUNDS = 60;
const WARM_UP = 10;
/** Milliseconds. */
const ANSWERED_WITHIN = 60;

function form(n: number): FormData {
  const body = new FormData();
  body.set('file', new Blob([`id,name\n${n},name ${n}\n`], { type: 'text/csv' }), 'file.csv');
  return body;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

for (const backend of backends) {
  t.test(`a small import with the queue on ${backend.name}`, async (t) => {
    const cluster = await startCluster(t, { workers: 1, env: backend.env });
    await cluster.db.query('CREATE TABLE things (id int PRIMARY KEY, name text)');
    await until(async () => (await cluster.fetch('/items/things')).ok, 'the table is known');
    const user = await createMember(cluster, [], { admin: true });
    const times: Record<'created' | 'imported' | 'accepted', number[]> = {
      created: [],
      imported: [],
      accepted: [],
    };
    const take = async (kind: keyof typeof times, status: number, work: () => Promise<Answer>) => {
      const started = performance.now();
      const answer = await work();
      times[kind].push(performance.now() - started);
      if (answer.status !== status) t.fail(JSON.stringify(answer.body));
      return answer;
    };
    for (let round = 1; round <= WARM_UP + ROUNDS; round += 1) {
      await take('created', 200, () =>
        user.send('POST', '/items/things', { id: -round, name: 'name' }),
      );
      await take('imported', 200, () => user.upload('/utils/import/things', form(round)));
      const { body } = await take('accepted', 202, () =>
        user.upload('/utils/import/things?background', form(1_000_000 + round)),
      );
      const ended = async () => {
        const { body: job } = await user.send('GET', `/jobs/${body.data.id}`);
        return job.data.state === 'completed';
      };
      await until(ended, 'the import ends');
    }
    const [created, imported, accepted] = [times.created, times.imported, times.accepted].map(
      (all) => median(all.slice(WARM_UP)),
    );
    const shown = [created, imported, accepted].map((time) => time?.toFixed(1));
    t.comment(`medians (ms): created ${shown[0]}, imported ${shown[1]}, accepted ${shown[2]}`);
    t.ok((imported ?? Number.NaN) <= ANSWERED_WITHIN, 'the import is answered in time');
    t.ok((accepted ?? Number.NaN) <= ANSWERED_WITHIN, 'so is one that is only accepted');
  });
}
type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof createMember>>['send']>>;
