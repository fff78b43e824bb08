// @newest
/** A job that its queue refuses was not accepted: it is not there, unless another request has joined it. */

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import t, { type Test } from 'tap';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { type Submission, type SubmitOptions, submit } from '#core/jobs/submit.ts';
import { createSystemDatabase } from '#tests/harness/database.ts';
import { until } from '#tests/harness/until.ts';

const pool = new pg.Pool({ connectionString: await createSystemDatabase(t), max: 4 });
t.teardown(() => pool.end());

const user = randomUUID();
const job: Submission = {
  kind: 'test',
  queue: 'transfer',
  message: { version: 1 },
  mailbox: null,
  collection: 'things',
  user,
  fingerprint: 'sha256:1',
  holder: `user:${user}`,
  idempotencyKey: 'once',
};

/** How a queue is told of a job. */
type Add = () => Promise<void>;

function optionsWith(add: Add): SubmitOptions {
  return { pool, schema: 'public', queues: { get: () => ({ add }) }, maxPerHolder: 5 };
}

const refuse: Add = async () => {
  throw unavailable('queue', reason('queue_unreachable'));
};
const accept: Add = async () => undefined;

const recorded = async () =>
  (await pool.query('SELECT id, state, finished_on FROM system_jobs ORDER BY created_on')).rows;

t.afterEach(async () => {
  await pool.query('DELETE FROM system_jobs');
});

t.test('what was refused is not there, however often it is repeated', async (t) => {
  for (let time = 0; time < 3; time += 1) {
    await t.rejects(submit(optionsWith(refuse), job), { code: 'SERVICE_UNAVAILABLE' });
    t.strictSame(await recorded(), []);
  }
  const { rowCount } = await pool.query('SELECT FROM system_idempotency_keys');
  t.equal(rowCount, 0, 'nor is its key');
  const { id, joined } = await submit(optionsWith(accept), job);
  t.equal(joined, false);
  t.match(await recorded(), [{ id, state: 'waiting' }]);
});

/** Submits a job that another request joins before its queue refuses it. */
async function joinedMeanwhile(t: Test, other: Submission): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const first = submit(
    optionsWith(async () => {
      asked.resolve();
      await answer.promise;
    }),
    job,
  );
  await asked.promise;
  const second = await submit(optionsWith(refuse), other);
  t.equal(second.joined, true);
  answer.reject(unavailable('queue', reason('queue_unreachable')));
  t.strictSame(await first, { id: second.id, joined: false }, 'both are accepted');
  t.match(await recorded(), [{ id: second.id, state: 'waiting', finished_on: null }]);
}

t.test('what another request has joined stays, for whoever adds it to the queue', (t) =>
  joinedMeanwhile(t, { ...job, idempotencyKey: null }),
);
t.test('so does what was repeated with its key', (t) => joinedMeanwhile(t, job));

t.test('a job that is taken back at this moment is not joined', async (t) => {
  const { id } = await submit(optionsWith(accept), job);
  const client = await pool.connect();
  t.teardown(() => client.release());
  await client.query('BEGIN');
  await client.query('DELETE FROM system_jobs WHERE id = $1', [id]);
  const second = submit(optionsWith(accept), job);
  const waits = async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return rowCount === 1;
  };
  await until(waits, 'the second one waits');
  await client.query('COMMIT');
  const { id: other, joined } = await second;
  t.equal(joined, false);
  t.not(other, id);
  t.match(await recorded(), [{ id: other, state: 'waiting' }]);
});
