/** The response schemas of jobs and queues. */
import * as v from 'valibot';
import { JOB_STATES } from '#core/jobs/job.ts';
import { QUEUE_SWITCHES } from '#core/jobs/queue-state.ts';
import { PERIOD_NAMES } from '#core/jobs/queue-statistics.ts';
import { anyObjectSchema, countSchema, timestampSchema, uuidSchema } from './value.ts';

const seconds = v.nullable(v.pipe(v.number(), v.minValue(0)));

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
  claimed_on: v.nullable(timestampSchema),
  finished_on: v.nullable(timestampSchema),
  attempts: countSchema,
  failures: v.array(
    v.strictObject({
      ...{ attempt: countSchema, on: timestampSchema, reason: v.string() },
      outage: v.optional(v.literal(true)),
      lost: v.optional(v.literal(true)),
    }),
  ),
  actions: v.array(
    v.strictObject({
      action: v.picklist(['retry', 'cancel', 'first']),
      user: v.nullable(v.string()),
      operator: v.nullable(v.string()),
      on: timestampSchema,
    }),
  ),
  waiting_for: v.nullable(v.string()),
  request_id: v.nullable(v.string()),
  file_kept: v.boolean(),
  position: v.nullable(countSchema),
  worker: v.nullable(v.strictObject({ silence: seconds, takeover: seconds })),
});

export const countedJobsSchema = v.strictObject({ jobs: countSchema });

export const queueSchema = v.strictObject({
  name: v.string(),
  state: v.picklist(QUEUE_SWITCHES),
  concurrency: v.nullable(countSchema),
  changed_on: v.nullable(timestampSchema),
  changed_by: v.nullable(uuidSchema),
  operator: v.nullable(v.string()),
  waiting: countSchema,
  running: countSchema,
});

const processCounts = v.strictObject({ edge: countSchema, worker: countSchema });

export const queueStatisticsSchema = v.strictObject({
  period: v.picklist(PERIOD_NAMES),
  interval: countSchema,
  now: v.strictObject({
    on: timestampSchema,
    processes: processCounts,
    queues: v.array(
      v.strictObject({
        name: v.string(),
        waiting: countSchema,
        running: countSchema,
        oldest: seconds,
      }),
    ),
  }),
  series: v.array(
    v.strictObject({
      from: timestampSchema,
      minutes: countSchema,
      processes: processCounts,
      queues: v.array(
        v.strictObject({
          name: v.string(),
          ...{ completed: countSchema, failed: countSchema, cancelled: countSchema },
          ...{ rows: countSchema, rows_per_second: v.number(), waiting: countSchema },
          ...{ oldest: seconds, p50: seconds, p99: seconds },
          reasons: v.record(v.string(), countSchema),
        }),
      ),
    }),
  ),
});
