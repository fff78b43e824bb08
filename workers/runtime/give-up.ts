/** What happens to a job that the queue will not deliver any more although it never ended. */
import { ServiceError } from '#core/errors/service-error.ts';
import { abandonJob } from '#core/jobs/ledger.ts';
import { wakeNext } from '#core/jobs/mailbox.ts';
import type { Services } from '#workers/services.ts';

/** Records the job as failed, so that nobody waits for it and its mailbox goes on. */
export async function giveUp(services: Services, id: string): Promise<void> {
  const { pool, schema, bus, queues, log } = services;
  const errors = [new ServiceError('INTERNAL_SERVER_ERROR').toJSON()];
  const mailbox = await abandonJob(pool, schema, id, errors);
  if (mailbox === undefined) return;
  log.error({ job: id }, 'a job was given up: its attempts ended without an outcome');
  await bus.publish('job.finished', { id });
  await wakeNext(pool, schema, queues, mailbox);
}
