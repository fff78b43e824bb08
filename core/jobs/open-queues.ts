/** Opens the queues of a process. */

import type { Log } from '#core/base/log/log.ts';
import { BullJobQueue } from './bullmq-job-queue.ts';
import {
  type JobQueue,
  QUEUE_NAMES,
  type QueueConfig,
  type QueueName,
  type Queues,
} from './queue.ts';
import { closeQueueConnection, openQueueConnection } from './queue-connection.ts';

/**
 * The queues of this process on one shared connection, which opens on first use.
 * @param options of the connection; by default those of a process that only adds jobs
 */
export async function openQueues(
  config: QueueConfig,
  url: string,
  clusterId: string,
  log: Log,
  options: { readonly role: 'producer' | 'consumer'; readonly max: number } = {
    role: 'producer',
    max: 2,
  },
): Promise<Queues> {
  const connection = await openQueueConnection(config, url, log, options);
  const serverName = (name: QueueName) => `sluice-${clusterId}-${name}`;
  const open = (name: QueueName) =>
    new BullJobQueue(name, config.JOB_RETRY_DELAY, async () => {
      const { openBullQueue } = await import('./bullmq.ts');
      return await openBullQueue(serverName(name), connection, log);
    });
  const queues: Readonly<Record<QueueName, JobQueue>> = {
    transfer: open('transfer'),
    schema: open('schema'),
    images: open('images'),
    maintenance: open('maintenance'),
  };
  return {
    get: (name) => queues[name],
    connection,
    serverName,
    async close() {
      await Promise.all(QUEUE_NAMES.map((name) => queues[name].close()));
      await closeQueueConnection(connection);
    },
  };
}
