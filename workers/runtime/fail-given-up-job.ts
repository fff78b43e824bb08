/** Handles a job that the queue no longer delivers although the job has not ended. */
import { ServiceError } from '#core/base/errors/service-error.ts';
import { wakeNext } from '#core/jobs/mailbox.ts';
import type { QueueName } from '#core/jobs/queue.ts';
import { abandonJob } from '#core/jobs/write-job-status.ts';
import type { Services } from '#workers/services.ts';
import { countStall } from './stall.ts';

/** Records the job as failed, so that no client waits for it and its mailbox continues. */
export async function giveUp(services: Services, id: string, queue: QueueName): Promise<void> {
  const { pool, schema, bus, queues, log } = services;
  // A user may have retried it.
  if ((await queues.get(queue).state(id)) !== 'failed') return;
  const errors = [new ServiceError('INTERNAL_SERVER_ERROR').toJSON()];
  const job = await abandonJob(pool, schema, id, errors);
  if (job === null) return;
  countStall('given_up');
  log.error({ job: id }, 'a job failed because its deliveries ended without an outcome');
  await bus.publish('job.finished', { id });
  await wakeNext(pool, schema, queues, job.mailbox);
}
