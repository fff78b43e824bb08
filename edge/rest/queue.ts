/** The routes of queues. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { MOST_CONCURRENT, type QueueSwitch } from '#core/jobs/queue-state.ts';
import { PERIOD_NAMES } from '#core/jobs/queue-statistics.ts';
import { queueSchema, queueStatisticsSchema } from './answer/job.ts';
import { type CallHandler, dataResponse, pathParameter } from './call.ts';
import { dataAnswer, parsedBody, type RouteEntry } from './route.ts';

const list: CallHandler = async ({ services }) => dataResponse(await services.queues.list());

const statistics: CallHandler = async ({ parameters, services }) => {
  const { period: asked = 'hour' } = parameters;
  const period = PERIOD_NAMES.find((name) => name === asked);
  if (period === undefined) {
    throw invalidQuery(reason('period_unknown', { periods: PERIOD_NAMES.join(', ') }));
  }
  return dataResponse(await services.queues.statistics(period));
};

const CONCURRENCY = `must be null or a whole number from 1 to ${MOST_CONCURRENT}`;

const queueChange = v.strictObject(
  {
    concurrency: v.nullable(
      v.pipe(
        v.number(CONCURRENCY),
        v.integer(CONCURRENCY),
        v.minValue(1, CONCURRENCY),
        v.maxValue(MOST_CONCURRENT, CONCURRENCY),
      ),
    ),
  },
  'is missing, or unknown here',
);

function switchTo(state: QueueSwitch): CallHandler {
  return async (call) =>
    dataResponse(
      await call.services.queues.switch(pathParameter(call, 'queue'), state, call.caller),
    );
}

function switchRoute(verb: string, summary: string, state: QueueSwitch): RouteEntry {
  return {
    method: 'POST',
    path: `/queues/:queue/${verb}`,
    summary,
    access: 'administrator',
    body: null,
    answer: dataAnswer(queueSchema),
    handle: switchTo(state),
  };
}

export const QUEUE_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/queues',
    summary: 'Lists the queues of jobs',
    access: 'administrator',
    body: null,
    answer: dataAnswer(v.array(queueSchema)),
    handle: list,
  },
  {
    method: 'GET',
    path: '/queues/statistics',
    summary: 'Tells what the queues did in the last hour, day or month, and how they stand',
    access: 'administrator',
    parameters: {
      period: { summary: 'The last hour by default', schema: v.picklist(PERIOD_NAMES) },
    },
    body: null,
    answer: dataAnswer(queueStatisticsSchema),
    handle: statistics,
  },
  {
    method: 'PATCH',
    path: '/queues/:queue',
    summary: 'Sets how many jobs of a queue each worker does at once',
    access: 'administrator',
    answer: dataAnswer(queueSchema),
    errors: ['UNPROCESSABLE_ENTITY'],
    ...parsedBody(queueChange, async (call, { concurrency }) => {
      const { queues } = call.services;
      return dataResponse(
        await queues.limit(pathParameter(call, 'queue'), concurrency, call.caller),
      );
    }),
  },
  switchRoute('pause', 'Begins no more jobs of a queue', 'paused'),
  switchRoute('drain', 'Accepts no more jobs, and does those that wait', 'draining'),
  switchRoute('resume', 'Accepts and does the jobs of a queue again', 'running'),
];
