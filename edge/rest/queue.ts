/** The routes of queues. */
import * as v from 'valibot';
import type { QueueSwitch } from '#core/jobs/queue-state.ts';
import { queueSchema } from './answer/job.ts';
import { type CallHandler, dataResponse, pathParameter } from './call.ts';
import { dataAnswer, type RouteEntry } from './route.ts';

const list: CallHandler = async ({ services }) => dataResponse(await services.queues.list());

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
  switchRoute('pause', 'Begins no more jobs of a queue', 'paused'),
  switchRoute('drain', 'Accepts no more jobs, and does those that wait', 'draining'),
  switchRoute('resume', 'Accepts and does the jobs of a queue again', 'running'),
];
