/**
 * Responds to requests that submit a job. The response is sent when the job has ended. If the
 * client prefers or the job takes too long, the response is sent earlier with the job's URL.
 */

import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, serviceErrorsOf } from '#core/base/errors/service-error.ts';
import type { Job } from '#core/jobs/job.ts';
import type { Response } from '#edge/http/response.ts';
import type { Call } from './call.ts';
import { prefersAsync } from './prefer-header.ts';

/** The URL of a job. */
export function jobLocation(id: string): string {
  return `/jobs/${id}`;
}

/** Logs which request submitted a job; the log lines of its worker contain the job's id. */
export function logJob({ request, caller, services }: Call, id: string): void {
  services.log.info({ request: request.id, user: caller.user, job: id }, 'a request created a job');
}

/** 202 with the current state of the job. */
export async function acceptedResponse(call: Call, id: string): Promise<Response> {
  logJob(call, id);
  const job = await call.services.jobs.submitted(id, call.caller);
  return {
    status: 202,
    headers: { Location: jobLocation(id), 'Preference-Applied': 'respond-async' },
    body: JSON.stringify({ data: job }),
  };
}

/**
 * Waits for a job up to JOB_WAIT_LIMIT; after that the response is 202 without a body. A disconnect
 * does not cancel the job.
 * @param completed creates the response for a completed job
 * @throws ServiceErrors the errors of a failed job; UNPROCESSABLE_ENTITY when it was cancelled
 */
async function waitedFor(
  call: Call,
  id: string,
  completed: (job: Job) => Response | Promise<Response>,
): Promise<Response> {
  logJob(call, id);
  const { config, jobs } = call.services;
  const job = await jobs.wait(id, config.JOB_WAIT_LIMIT, call.request.signal);
  if (job === null) return { status: 202, headers: { Location: jobLocation(id) } };
  if (job.state === 'completed') return completed(job);
  if (job.state === 'cancelled') {
    throw new ServiceError('UNPROCESSABLE_ENTITY', { reason: reason('job_cancelled'), job: id });
  }
  throw serviceErrorsOf(job.error ?? []);
}

/** The response that the client prefers: {@link acceptedResponse} or {@link waitedFor}. */
export function jobResponse(
  call: Call,
  id: string,
  completed: (job: Job) => Response | Promise<Response>,
): Promise<Response> {
  return prefersAsync(call.request) ? acceptedResponse(call, id) : waitedFor(call, id, completed);
}
