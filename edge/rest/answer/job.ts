/** Jobs and queues as answers show them. */
import * as v from 'valibot';
import { JOB_STATES } from '#core/jobs/job.ts';
import { QUEUE_SWITCHES } from '#core/jobs/queue-state.ts';
import { anyMembers, count, moment, uuid } from './value.ts';

const errorEntry = v.object({
  message: v.string(),
  extensions: v.looseObject({ code: v.string() }),
});

export const placedJob = v.strictObject({
  id: uuid,
  kind: v.string(),
  queue: v.string(),
  state: v.picklist(JOB_STATES),
  user: v.nullable(uuid),
  collection: v.nullable(v.string()),
  file_name: v.nullable(v.string()),
  file_size: v.nullable(count),
  file_format: v.nullable(v.string()),
  dialect: v.nullable(anyMembers),
  progress: v.nullable(anyMembers),
  result: v.unknown(),
  error: v.nullable(v.array(errorEntry)),
  created_on: moment,
  started_on: v.nullable(moment),
  finished_on: v.nullable(moment),
  attempts: count,
  failures: v.array(
    v.strictObject({
      ...{ attempt: count, on: moment, reason: v.string() },
      outage: v.optional(v.literal(true)),
    }),
  ),
  actions: v.array(
    v.strictObject({
      action: v.picklist(['retry', 'cancel']),
      user: v.nullable(v.string()),
      operator: v.nullable(v.string()),
      on: moment,
    }),
  ),
  waiting_for: v.nullable(v.string()),
  request_id: v.nullable(v.string()),
  file_kept: v.boolean(),
  position: v.nullable(count),
});

export const shownQueue = v.strictObject({
  name: v.string(),
  state: v.picklist(QUEUE_SWITCHES),
  changed_on: v.nullable(moment),
  changed_by: v.nullable(uuid),
  operator: v.nullable(v.string()),
  waiting: count,
  running: count,
});
