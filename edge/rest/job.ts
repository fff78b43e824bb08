/**
 * The routes of jobs: the list, one job, its events and rejected rows; cancelling, retrying and
 * moving one job, or all jobs of a query.
 */
import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery, quotaExceeded } from '#core/base/errors/service-error.ts';
import type { Job } from '#core/jobs/job.ts';
import { changeJobsResult, type JobChange } from '#core/jobs/message/change-jobs.ts';
import { undoImportResult } from '#core/jobs/message/undo-import.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import { REPORT_COLUMNS } from '#core/transfer/report/error-report.ts';
import { eventStream, type ServerEvent } from '#edge/http/event-stream.ts';
import { countedJobsSchema, jobSchema } from './answer/job.ts';
import {
  type Call,
  type CallHandler,
  dataResponse,
  NO_CONTENT,
  pathParameter,
  registeredStream,
} from './call.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { jobLocation, jobResponse } from './job-answer.ts';
import { flagParameter } from './parameter/item.ts';
import { JOB_PARAMETERS } from './parameter/job.ts';
import { dataAnswer, NO_CONTENT_ANSWER, parsedBody, type RouteEntry } from './route.ts';
import { booleanParameter } from './schema-change.ts';

const list: CallHandler = async (call) => {
  const { filter, sort, search, limit, offset, page, after = null } = call.parameters;
  const { bounds, jobs } = call.services;
  const query = parseQuery({ filter, sort, search, limit, offset, page }, bounds);
  if (after !== null && typeof after !== 'string') throw invalidQuery(reason('after_id_expected'));
  return dataResponse(await jobs.list(call.caller, { ...query, after }));
};

const read: CallHandler = async (call) =>
  dataResponse(await call.services.jobs.get(pathParameter(call, 'id'), call.caller));

const cancel: CallHandler = async (call) => {
  await call.services.jobs.cancel(pathParameter(call, 'id'), call.caller);
  return NO_CONTENT;
};

const retry: CallHandler = async (call) => {
  const job = await call.services.jobs.retry(pathParameter(call, 'id'), call.caller);
  return {
    status: 202,
    headers: { Location: jobLocation(job.id) },
    body: JSON.stringify({ data: job }),
  };
};

const first: CallHandler = async (call) =>
  dataResponse(await call.services.jobs.first(pathParameter(call, 'id'), call.caller));

const chosenJobs = v.strictObject(
  {
    filter: v.record(v.string(), v.unknown(), 'must be an object'),
    search: v.nullish(v.string('must be a text'), null),
  },
  'is missing, or unknown here',
);

/** Cancels, retries or moves all jobs of a query with a job, or only counts them. */
function changeRoute(
  change: JobChange,
  summary: string,
  access: RouteEntry['access'] = 'user',
): RouteEntry {
  return {
    method: 'POST',
    path: `/jobs/${change}`,
    summary,
    access,
    parameters: { dryRun: { summary: 'Only counts the jobs', schema: flagParameter } },
    headers: ['Prefer', 'Idempotency-Key'],
    answer: { ...dataAnswer(v.union([countedJobsSchema, changeJobsResult])), job: true },
    errors: ['INVALID_QUERY', 'UNPROCESSABLE_ENTITY'],
    ...parsedBody(chosenJobs, async (call, { filter, search }) => {
      const { bounds, jobs } = call.services;
      const asked = { filter, search };
      const query = parseQuery(asked, bounds, { typed: asked });
      // Also checks the query before it becomes a job.
      const count = await jobs.changes.count(call.caller, change, query);
      if (booleanParameter(call, 'dryRun')) return dataResponse({ jobs: count });
      const { id } = await jobs.changes.submit(
        call.caller,
        { change, filter, search },
        { idempotencyKey: idempotencyKeyOf(call.request), requestId: call.request.id },
      );
      return jobResponse(call, id, ({ result }) => dataResponse(v.parse(changeJobsResult, result)));
    }),
  };
}

const undo: CallHandler = async (call) => {
  const { undos } = call.services;
  const { id } = await undos.submit(pathParameter(call, 'id'), call.caller, {
    dryRun: booleanParameter(call, 'dryRun'),
    idempotencyKey: idempotencyKeyOf(call.request),
    requestId: call.request.id,
  });
  return jobResponse(call, id, ({ result }) => dataResponse(v.parse(undoImportResult, result)));
};

/** The progress of a job as an event id: attempt, rows, bytes, and whether it has ended. */
function eventId({ attempts, progress, finished_on }: Job): string {
  return [attempts, progress?.rows ?? 0, progress?.bytes ?? 0, Number(finished_on !== null)].join();
}

const EVENT_ID = /^\d+,\d+,\d+,[01]$/;

/** Whether one event id represents less progress than another; malformed ids are ignored. */
function isBefore(id: string, other: string): boolean {
  if (!EVENT_ID.test(other)) return false;
  const [own, known] = [id, other].map((text) => text.split(',').map(Number));
  const index = own?.findIndex((value, place) => value !== known?.[place]) ?? -1;
  return index !== -1 && (own?.[index] ?? 0) < (known?.[index] ?? 0);
}

/** Whether the id represents the end of the attempt with which the job has ended. */
function isEndOf({ attempts, finished_on }: Job, id: string): boolean {
  return (
    finished_on !== null && EVENT_ID.test(id) && id.startsWith(`${attempts},`) && id.endsWith(',1')
  );
}

/**
 * Emits progress while the job runs, and `end` when it has ended. Another process may have older
 * progress than the client, and two reads of the job may arrive out of order. So events older than
 * the last one are skipped.
 */
async function* eventsOf(jobs: AsyncIterable<Job>, after: string): AsyncGenerator<ServerEvent> {
  let last = after;
  for await (const job of jobs) {
    const id = eventId(job);
    const ended = job.finished_on !== null;
    if (!ended && (id === after || isBefore(id, last))) continue;
    last = id;
    yield { event: ended ? 'end' : 'progress', id, data: JSON.stringify(job) };
  }
}

const events: CallHandler = async (call) => {
  const { request, caller, services } = call;
  const id = pathParameter(call, 'id');
  // A caller without permission for the job receives an error before the stream begins.
  const job = await services.jobs.get(id, caller);
  const after = request.header('last-event-id') ?? '';
  // The client has already received the end; this status prevents a reconnect.
  if (isEndOf(job, after)) return NO_CONTENT;
  const { EVENTS_MAX_PER_USER: limit } = services.config;
  const open = services.streams.of(caller).filter(({ kind }) => kind === 'events');
  if (open.length >= limit) {
    throw quotaExceeded('EVENTS_MAX_PER_USER', limit, reason('too_many_event_streams', { limit }));
  }
  const answer = eventStream(
    request,
    eventsOf(services.jobs.watch(id, caller, request.signal), after),
  );
  return {
    ...answer,
    body: registeredStream(call, { kind: 'events', collection: null }, answer.body),
  };
};

/** The rows that caused the refusal of a file. */
function rejectedRows({ caller, services }: Call, id: string): Readable {
  const csv = stringify({ header: true, columns: REPORT_COLUMNS, escape_formulas: true });
  // The reader of the stream receives the failure.
  pipeline(Readable.from(services.jobs.errors(id, caller)), csv, () => undefined);
  return csv;
}

const errors: CallHandler = async (call) => {
  const { caller, services } = call;
  const id = pathParameter(call, 'id');
  const body = (await services.jobs.report(id, caller)) ?? rejectedRows(call, id);
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="job ${id} errors.csv"`,
    },
    body,
  };
};

/** The media types of rejected rows, by the extension of their file. */
const REJECTED_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

const rejected: CallHandler = async (call) => {
  const { caller, services } = call;
  const id = pathParameter(call, 'id');
  const { content, format, isTabs } = await services.jobs.rejected(id, caller);
  const isJson = format === 'json' || format === 'ndjson';
  const extension = isJson ? format : isTabs ? 'tsv' : 'csv';
  return {
    status: 200,
    headers: {
      'Content-Type': REJECTED_TYPES[extension] ?? 'application/octet-stream',
      'Content-Disposition': `attachment; filename="job ${id} rejected.${extension}"`,
    },
    body: content,
  };
};

export const JOB_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/jobs',
    summary: "Lists the caller's jobs, for administrators all",
    access: 'user',
    parameters: JOB_PARAMETERS,
    body: null,
    answer: dataAnswer(v.array(jobSchema)),
    handle: list,
  },
  {
    method: 'GET',
    path: '/jobs/:id',
    summary: 'Reads a job',
    access: 'user',
    body: null,
    answer: dataAnswer(jobSchema),
    handle: read,
  },
  {
    method: 'DELETE',
    path: '/jobs/:id',
    summary: 'Cancels a job',
    access: 'user',
    body: null,
    answer: NO_CONTENT_ANSWER,
    errors: ['CONFLICT'],
    handle: cancel,
  },
  {
    method: 'POST',
    path: '/jobs/:id/retry',
    summary: 'Repeats a job that failed or was cancelled',
    access: 'user',
    body: null,
    answer: { ...dataAnswer(jobSchema), statuses: [202] },
    errors: ['CONFLICT'],
    handle: retry,
  },
  {
    method: 'POST',
    path: '/jobs/:id/first',
    summary: 'Moves a waiting job before all others of its queue',
    access: 'administrator',
    body: null,
    answer: dataAnswer(jobSchema),
    errors: ['CONFLICT'],
    handle: first,
  },
  {
    method: 'POST',
    path: '/jobs/:id/undo',
    summary: 'Undoes an import that kept what it changed',
    access: 'user',
    parameters: {
      dryRun: { summary: 'Only reports what would be undone', schema: flagParameter },
    },
    headers: ['Prefer', 'Idempotency-Key'],
    body: null,
    answer: { ...dataAnswer(undoImportResult), job: true },
    errors: ['CONFLICT', 'UNPROCESSABLE_ENTITY', 'INVALID_QUERY'],
    handle: undo,
  },
  changeRoute('cancel', 'Cancels the jobs of a query'),
  changeRoute('retry', 'Repeats the jobs of a query that failed or were cancelled'),
  changeRoute(
    'first',
    'Moves the waiting jobs of a query before all others of their queues',
    'administrator',
  ),
  {
    method: 'GET',
    path: '/jobs/:id/events',
    summary: 'Streams the progress of a job',
    access: 'user',
    body: null,
    headers: ['Last-Event-ID'],
    answer: { statuses: [200, 204], type: 'text/event-stream' },
    handle: events,
  },
  {
    method: 'GET',
    path: '/jobs/:id/errors',
    summary: 'Downloads the rejected rows of a job',
    access: 'user',
    body: null,
    errors: ['CONFLICT'],
    answer: { statuses: [200], type: 'text/csv' },
    handle: errors,
  },
  {
    method: 'GET',
    path: '/jobs/:id/rejected',
    summary: 'Downloads the skipped rows of an import in the notation of its file',
    access: 'user',
    body: null,
    errors: ['CONFLICT'],
    answer: { statuses: [200], type: 'text/csv' },
    handle: rejected,
  },
];
