/**
 * The queues by name, and the interface that BullMQ implements. A job is stored in `system_jobs`;
 * the queue contains its id and decides when it runs.
 */
import type { Config } from '#core/base/config/variables.ts';
import type { QueueConnection } from './queue-connection.ts';

/**
 * `transfer` for imports and exports, `schema` for schema changes, `images` for images that
 * requests wait for, `maintenance` for background work.
 */
export const QUEUE_NAMES = ['transfer', 'schema', 'images', 'maintenance'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** The state of a job in its queue; `unknown` when the queue does not contain it. */
export type QueueState = 'waiting' | 'delayed' | 'active' | 'completed' | 'failed' | 'unknown';

export interface AddOptions {
  /** Milliseconds. */
  readonly delay?: number;
  /** Lower numbers run first; jobs without a priority run before all others. */
  readonly priority?: number;
  /** Before all waiting jobs, as after {@link JobQueue.moveFirst}. */
  readonly lifo?: boolean;
}

/**
 * One queue of job ids. Each method settles within seconds and rejects with SERVICE_UNAVAILABLE
 * when the server of the queue is unavailable.
 */
export interface JobQueue {
  readonly name: QueueName;
  /** Adds a job; an existing one stays unchanged. */
  add(jobId: string, kind: string, options?: AddOptions): Promise<void>;
  /** Removes a job unless a worker is processing it; false when it was not removed. */
  remove(jobId: string): Promise<boolean>;
  /** Makes a delayed job due; false when it was not delayed. */
  promote(jobId: string): Promise<boolean>;
  /**
   * Moves a job before all waiting ones, and makes a delayed one due; false when the queue does not
   * hold it ready.
   */
  moveFirst(jobId: string): Promise<boolean>;
  state(jobId: string): Promise<QueueState>;
  /** Whether workers are prevented from beginning jobs. */
  isPaused(): Promise<boolean>;
  setPaused(paused: boolean): Promise<void>;
  /** Number of jobs by BullMQ's states. */
  counts(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** Queues that accept new jobs. */
export interface TakingQueues {
  get(name: QueueName): Pick<JobQueue, 'add'>;
}

export type QueueConfig = Pick<Config, 'REDIS_URL' | 'DATABASE_DIRECT_URL' | 'JOB_RETRY_DELAY'>;

/** The queues of a process. */
export interface Queues {
  get(name: QueueName): JobQueue;
  readonly connection: QueueConnection;
  /** The name of a queue on the server; unique per installation. */
  serverName(name: QueueName): string;
  close(): Promise<void>;
}
