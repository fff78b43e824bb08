/** The response schemas of jobs and queues. */
import * as v from 'valibot';
import { JOB_STATES } from '#core/jobs/job.ts';
import { QUEUE_SWITCHES } from '#core/jobs/queue-state.ts';
import { anyObjectSchema, countSchema, timestampSchema, uuidSchema } from './value.ts';

const errorEntry = v.object({
  message: v.string(),
  extensions: v.looseObject({
    code: v.string(),
    reason: v.optional(v.string()),
    reason_code: v.optional(v.string()),
    reason_parameters: v.optional(v.record(v.string(), v.union([v.string(), v.number()]))),
  }),
});

export const jobSchema = v.strictObject({
  id: uuidSchema,
  kind: v.string(),
  queue: v.string(),
  state: v.picklist(JOB_STATES),
  user: v.nullable(uuidSchema),
  collection: v.nullable(v.string()),
  file_name: v.nullable(v.string()),
  file_size: v.nullable(countSchema),
  file_format: v.nullable(v.string()),
  dialect: v.nullable(anyObjectSchema),
  progress: v.nullable(anyObjectSchema),
  result: v.unknown(),
  error: v.nullable(v.array(errorEntry)),
  created_on: timestampSchema,
  started_on: v.nullable(timestampSchema),
  finished_on: v.nullable(timestampSchema),
  attempts: countSchema,
  failures: v.array(
    v.strictObject({
      ...{ attempt: countSchema, on: timestampSchema, reason: v.string() },
      outage: v.optional(v.literal(true)),
    }),
  ),
  actions: v.array(
    v.strictObject({
      action: v.picklist(['retry', 'cancel']),
      user: v.nullable(v.string()),
      operator: v.nullable(v.string()),
      on: timestampSchema,
    }),
  ),
  waiting_for: v.nullable(v.string()),
  request_id: v.nullable(v.string()),
  file_kept: v.boolean(),
  position: v.nullable(countSchema),
});

export const queueSchema = v.strictObject({
  name: v.string(),
  state: v.picklist(QUEUE_SWITCHES),
  changed_on: v.nullable(timestampSchema),
  changed_by: v.nullable(uuidSchema),
  operator: v.nullable(v.string()),
  waiting: countSchema,
  running: countSchema,
});
