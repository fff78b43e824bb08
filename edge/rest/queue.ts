/** The routes of queues. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import type { QueueSwitch } from '#core/jobs/queue-state.ts';
import { PERIOD_NAMES } from '#core/jobs/queue-statistics.ts';
import { queueSchema, queueStatisticsSchema } from './answer/job.ts';
import { type CallHandler, dataResponse, pathParameter } from './call.ts';
import { dataAnswer, type RouteEntry } from './route.ts';

const list: CallHandler = async ({ services }) => dataResponse(await services.queues.list());

const statistics: CallHandler = async ({ parameters, services }) => {
  const { period: asked = 'hour' } = parameters;
  const period = PERIOD_NAMES.find((name) => name === asked);
  if (period === undefined) {
    throw invalidQuery(reason('period_unknown', { periods: PERIOD_NAMES.join(', ') }));
  }
  return dataResponse(await services.queues.statistics(period));
};

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
  switchRoute('pause', 'Begins no more jobs of a queue', 'paused'),
  switchRoute('drain', 'Accepts no more jobs, and does those that wait', 'draining'),
  switchRoute('resume', 'Accepts and does the jobs of a queue again', 'running'),
];
