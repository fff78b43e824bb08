/** How commands submit jobs and follow them. */
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { Api } from '#ops/run/demo/api.ts';

/** The exit code of a command that did everything. */
export const DONE = 0;
/** Some rows, or all of them, were rejected. */
export const REJECTED = 1;
/** The pause (ms) between two looks at a job. */
const LOOK_MS = 300;

/** An error of a job or of an answer. */
export const fault = v.looseObject({
  message: v.string(),
  extensions: v.optional(
    v.looseObject({ row: v.nullish(v.number()), field: v.nullish(v.string()) }),
  ),
});
const answer = v.object({
  data: v.looseObject({
    id: v.string(),
    state: v.string(),
    progress: v.nullish(v.looseObject({ percent: v.nullish(v.number()) })),
    result: v.nullish(v.record(v.string(), v.unknown())),
    error: v.nullish(v.array(fault)),
  }),
});
/** A job as the API answers it. */
export type Job = v.InferOutput<typeof answer>['data'];

/** The counts of a result, in their order. */
export const COUNTS = [
  'inserted',
  'updated',
  'unchanged',
  'duplicates',
  'skipped',
  'failed',
] as const;

/** The header with which the answer does not wait for the job. */
export const ASYNC = { prefer: 'respond-async' };
/** Follows a job to its end, and shows how far it is where there is a terminal. */
export async function followed(api: Api, id: string, signal: AbortSignal): Promise<Job> {
  const { isTTY } = process.stderr;
  for (;;) {
    const { data: job } = v.parse(answer, await api.get(`/jobs/${encodeURIComponent(id)}`));
    if (isTTY)
      process.stderr.write(`\r${job.state} ${Math.round(job.progress?.percent ?? 0)} %   `);
    if (['completed', 'failed', 'cancelled'].includes(job.state)) {
      if (isTTY) process.stderr.write('\n');
      return job;
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** Submits a job. @throws {SetupError} when it is refused */
export async function submitted(api: Api, path: string, init: RequestInit): Promise<string> {
  const response = await api.request(path, init);
  return v.parse(answer, await response.json()).data.id;
}

/** An error for people, with its row and field. */
export function faultText({
  message,
  extensions: { row, field } = {},
}: v.InferOutput<typeof fault>) {
  const place = [row == null ? null : `row ${row}`, field].filter((part) => part != null);
  return place.length === 0 ? message : `${place.join(', ')}: ${message}`;
}

/** A request with JSON that does not wait for the job. */
export function jsonRequest(body: object): RequestInit {
  const headers = { ...ASYNC, 'content-type': 'application/json' };
  return { method: 'POST', body: JSON.stringify(body), headers };
}
