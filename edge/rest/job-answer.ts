/**
 * Answers requests whose work is a job: at once for who asked for that, else by the job's end, and
 * with where to look when that takes too long.
 */
import { ServiceError, serviceErrorsOf } from '#core/errors/service-error.ts';
import type { Job } from '#core/jobs/job.ts';
import type { Response } from '#edge/http/response.ts';
import type { Call } from './call.ts';
import { prefersAsync } from './prefer-header.ts';

/** Where a job is to be looked at. */
export function jobLocation(id: string): string {
  return `/jobs/${id}`;
}

/** 202 with the job as it stands. */
export async function accepted(call: Call, id: string): Promise<Response> {
  const job = await call.services.jobs.get(id, call.caller);
  return {
    status: 202,
    headers: { Location: jobLocation(id), 'Preference-Applied': 'respond-async' },
    body: JSON.stringify({ data: job }),
  };
}

/**
 * Waits for a job up to JOB_WAIT_LIMIT, beyond which the answer is 202 without a body. Who hangs up
 * cancels nothing.
 * @param completed makes the answer of a job that has done its work
 * @throws ServiceErrors what the job failed with; UNPROCESSABLE_ENTITY when it was cancelled
 */
async function waitedFor(
  call: Call,
  id: string,
  completed: (job: Job) => Response | Promise<Response>,
): Promise<Response> {
  const { config, jobs } = call.services;
  const job = await jobs.wait(id, config.JOB_WAIT_LIMIT, call.request.signal);
  if (job === null) return { status: 202, headers: { Location: jobLocation(id) } };
  if (job.state === 'completed') return completed(job);
  if (job.state === 'cancelled') {
    throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: 'The job was cancelled.', job: id });
  }
  throw serviceErrorsOf(job.error ?? []);
}

/** The answer of a job by the preference of its client: {@link accepted} or {@link waitedFor}. */
export function jobAnswer(
  call: Call,
  id: string,
  completed: (job: Job) => Response | Promise<Response>,
): Promise<Response> {
  return prefersAsync(call.request) ? accepted(call, id) : waitedFor(call, id, completed);
}
