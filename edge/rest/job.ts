/** The routes of jobs: the list, one, its events, its rejected rows, and cancelling it. */
import { pipeline, Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { forbidden, quotaExceeded } from '#core/errors/service-error.ts';
import type { Job } from '#core/jobs/job.ts';
import { parseInteger } from '#core/query/parse/level.ts';
import { parseList, unfold } from '#core/query/parse/list.ts';
import { eventStream, type ServerEvent } from '#edge/http/event-stream.ts';
import type { Router } from '#edge/http/router.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type CallHandler, data, listed, NO_CONTENT, param, routesOf } from './call.ts';

const list: CallHandler = async (call) => {
  if (call.caller.user === null) throw forbidden();
  const { filter, sort, limit, offset } = call.parameters;
  const { bounds, jobs } = call.services;
  const found = await jobs.list(call.caller, {
    filter: filter === undefined ? {} : unfold('filter', filter),
    sort: sort === undefined ? [] : parseList('sort', sort),
    limit: limit === undefined ? bounds.limitDefault : parseInteger('limit', limit, -1),
    offset: offset === undefined ? 0 : parseInteger('offset', offset, 0),
  });
  return data(found);
};

const read: CallHandler = async (call) =>
  data(await call.services.jobs.get(param(call, 'id'), call.caller));

const cancel: CallHandler = async (call) => {
  await call.services.jobs.cancel(param(call, 'id'), call.caller);
  return NO_CONTENT;
};

/** Progress while the job runs, `end` when it has ended. */
async function* eventsOf(jobs: AsyncIterable<Job>): AsyncGenerator<ServerEvent> {
  for await (const job of jobs) {
    const ended = job.finished_on !== null;
    yield { event: ended ? 'end' : 'progress', data: JSON.stringify(job) };
  }
}

const events: CallHandler = async (call) => {
  const { request, caller, services } = call;
  const id = param(call, 'id');
  // Who may not see the job hears so before the stream begins.
  await services.jobs.get(id, caller);
  const { EVENTS_MAX_PER_USER: limit } = services.config;
  const open = services.streams.of(caller).filter(({ kind }) => kind === 'events');
  if (open.length >= limit) {
    const reason = `Only ${limit} streams of events may be open.`;
    throw quotaExceeded('EVENTS_MAX_PER_USER', limit, reason);
  }
  const answer = eventStream(request, eventsOf(services.jobs.watch(id, caller, request.signal)));
  return { ...answer, body: listed(call, { kind: 'events', collection: null }, answer.body) };
};

const errors: CallHandler = async (call) => {
  const { caller, services } = call;
  const id = param(call, 'id');
  await services.jobs.get(id, caller);
  const rows = services.jobs.errors(id, caller);
  const columns = ['row', 'field', 'value', 'code', 'reason'];
  const csv = stringify({ header: true, columns, escape_formulas: true });
  // A failure reaches whoever reads the answer through the stream itself.
  pipeline(Readable.from(rows), csv, () => undefined);
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="job ${id} errors.csv"`,
    },
    body: csv,
  };
};

/** What the list takes of what others take. */
const LIST = ['filter', 'sort', 'limit', 'offset'];

export function addJobRoutes(router: Router, services: EdgeServices): void {
  const route = routesOf(services);
  router
    .add('GET', '/jobs', route(list, LIST))
    .add('GET', '/jobs/:id', route(read))
    .add('DELETE', '/jobs/:id', route(cancel))
    .add('GET', '/jobs/:id/events', route(events))
    .add('GET', '/jobs/:id/errors', route(errors));
}
