/** Cancels or retries the jobs of a query, with the permissions that its user has by then. */
import * as v from 'valibot';
import { jobCaller } from '#core/access/job-caller.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import {
  CHANGE_JOBS_JOB,
  type ChangeJobsCheckpoint,
  type ChangeJobsResult,
  changeJobsCheckpoint,
  changeJobsMailbox,
  changeJobsMessage,
} from '#core/jobs/message/change-jobs.ts';
import { recordedCheckpoint } from '#core/jobs/write-job-status.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import type { Actor } from '#workers/runtime/actor.ts';
import { RetryableError } from '#workers/runtime/retryable-error.ts';

const DEADLINE_MS = 3_600_000;
const BEGIN: ChangeJobsCheckpoint = { after: '0', changed: 0, skipped: {} };

/** The number of jobs that were changed or skipped. */
function handled({ changed, skipped }: ChangeJobsCheckpoint): number {
  return Object.values(skipped).reduce((sum, jobs) => sum + jobs, changed);
}

export const changeJobsActor: Actor<typeof changeJobsMessage> = {
  name: CHANGE_JOBS_JOB,
  queue: 'maintenance',
  message: changeJobsMessage,
  version: 1,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: ({ user }) => changeJobsMailbox(user),

  async receive(message, context): Promise<ChangeJobsResult> {
    const { services, job, signal } = context;
    const { pool, schema, config } = services;
    const { change, filter, search, user, ip } = message;
    const caller = await jobCaller(services, user, ip);
    const asked = { filter, search };
    const query = parseQuery(asked, queryBounds(config), { typed: asked });
    const carried = { change, caller, query, delivery: job };
    const recorded = await recordedCheckpoint(pool, schema, job.id);
    let state: ChangeJobsCheckpoint = v.is(changeJobsCheckpoint, recorded) ? recorded : BEGIN;
    const total = handled(state) + (await services.jobs.changes.remaining(carried, state.after));
    try {
      for (;;) {
        signal.throwIfAborted();
        const next = await services.jobs.changes.step(carried, state, signal);
        if (next === null) break;
        state = next;
        const percent = Math.min(100, Math.floor((100 * handled(state)) / Math.max(1, total)));
        context.progress({ rows: handled(state), bytes: 0, percent });
        await context.failpoint('change-jobs.step');
      }
    } catch (error) {
      throw error instanceof ServiceError ? new RetryableError(error, error) : error;
    }
    return { change, changed: state.changed, skipped: state.skipped };
  },
};
