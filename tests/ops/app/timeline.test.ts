// @newest @quick
/** The time line of a job: what it waited for, what each attempt did, and how it ended. */
import t from 'tap';
import { currentPhase, timelineOf } from '../../../ops/app/source/operations/timeline.ts';
import type { Job } from '../../../ops/client/source/index.ts';

const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();

const JOB: Job = {
  ...{ id: '1', kind: 'import', queue: 'transfer', state: 'running', user: null, collection: 'a' },
  ...{ file_name: null, file_size: null, file_format: null, progress: null, result: null },
  ...{ error: null, created_on: at(0), started_on: null, claimed_on: null, finished_on: null },
  ...{ attempts: 0, file_kept: false, failures: [] },
};

const told = (job: Partial<Job>) =>
  timelineOf({ ...JOB, ...job }).map(({ kind, name, from, to }) => [kind, name, from, to]);

t.test('a job that waits, or was cancelled while it waited', async (t) => {
  t.strictSame(told({ state: 'waiting' }), [['waiting', 'waiting', at(0), null]]);
  t.strictSame(told({ state: 'cancelled', finished_on: at(5) }), [
    ['waiting', 'waiting', at(0), at(5)],
    ['end', 'cancelled', at(5), at(5)],
  ]);
});

t.test('an import with its phases', async (t) => {
  const phases = [
    { name: 'reading', on: at(2) },
    { name: 'committing', on: at(6) },
  ];
  const begun = { attempts: 1, started_on: at(2), claimed_on: at(2) };
  const running = { ...begun, progress: { percent: 99, phase: 'committing', phases } };
  t.strictSame(told(running), [
    ['waiting', 'waiting', at(0), at(2)],
    ['attempt', '1', at(2), null],
    ['phase', 'reading', at(2), at(6)],
    ['phase', 'committing', at(6), null],
  ]);
  t.equal(currentPhase({ ...JOB, ...running }), 'committing');
  const ended = { ...running, state: 'completed', finished_on: at(9) } as const;
  t.strictSame(told(ended).at(-1), ['end', 'completed', at(9), at(9)]);
  t.equal(currentPhase({ ...JOB, ...ended }), null);
});

t.test('an attempt whose worker was lost, and the one that took over', async (t) => {
  const job = {
    ...{ attempts: 2, started_on: at(1), claimed_on: at(20) },
    failures: [{ attempt: 1, on: at(20), reason: 'Its worker did not answer.', lost: true }],
  };
  t.strictSame(told(job), [
    ['waiting', 'waiting', at(0), at(1)],
    ['attempt', '1', at(1), at(20)],
    ['attempt', '2', at(20), null],
  ]);
  const [, first] = timelineOf({ ...JOB, ...job });
  t.equal(first?.failure?.isLost, true);
  t.strictSame(told({ ...job, state: 'waiting', attempts: 1 }).at(-1), [
    ...['waiting', 'again', at(20), null],
  ]);
});

t.test('a last attempt that failed is told once', async (t) => {
  const failed = { attempts: 1, started_on: at(1), claimed_on: at(1), finished_on: at(3) };
  t.strictSame(
    told({ ...failed, state: 'failed' }).map(([kind]) => kind),
    ['waiting', 'attempt', 'end'],
  );
});
