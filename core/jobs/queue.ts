/**
 * The queues by name, and the port behind which BullMQ stands. What a job is stands in
 * `system_jobs`; the queue holds its id and decides when it runs.
 */
import type { Config } from '#core/config/config.ts';
import type { Log } from '#core/log/log.ts';
import { BullJobQueue } from './bull-job-queue.ts';
import { closeQueueConnection, openQueueConnection, type QueueConnection } from './connection.ts';

/**
 * `transfer` for imports and exports, `schema` for what alters the database, `maintenance` for what
 * nobody waits for.
 */
export const QUEUE_NAMES = ['transfer', 'schema', 'maintenance'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** How a job stands in its queue; `unknown` when the queue does not have it. */
export type QueueState = 'waiting' | 'delayed' | 'active' | 'completed' | 'failed' | 'unknown';

/**
 * One queue of job ids. Every method settles within seconds and rejects with SERVICE_UNAVAILABLE
 * when the queue's server cannot be used.
 */
export interface JobQueue {
  readonly name: QueueName;
  /** Puts a job in; one that is there already stays as it is. `delay` is in milliseconds. */
  add(jobId: string, kind: string, options?: { readonly delay?: number }): Promise<void>;
  /** Takes a job out unless it is being worked on; false when it was not taken out. */
  remove(jobId: string): Promise<boolean>;
  /** Makes a delayed job due; false when it was not delayed. */
  promote(jobId: string): Promise<boolean>;
  state(jobId: string): Promise<QueueState>;
  /** Number of jobs by the queue library's own states. */
  counts(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

export type QueueConfig = Pick<Config, 'REDIS_URL' | 'DATABASE_DIRECT_URL' | 'JOB_RETRY_DELAY'>;

/** The queues of a process. */
export interface Queues {
  get(name: QueueName): JobQueue;
  readonly connection: QueueConnection;
  /** The name under which the server knows a queue; no two installations share one. */
  serverName(name: QueueName): string;
  close(): Promise<void>;
}

/**
 * The queues of this process on one shared connection; nothing happens before the first use.
 * @param options as the connection takes them; by default those of a process that only adds jobs
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
      const { openBullQueue } = await import('./bull.ts');
      return await openBullQueue(serverName(name), connection, log);
    });
  const queues: Readonly<Record<QueueName, JobQueue>> = {
    transfer: open('transfer'),
    schema: open('schema'),
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
