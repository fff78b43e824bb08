/** The queues of jobs, for administrators. */
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

export interface Queue {
  readonly name: string;
  readonly state: string;
  readonly changed_on: string | null;
  readonly changed_by: string | null;
  /** The jobs that each worker does at once; null for the configured number. */
  readonly concurrency: number | null;
  readonly [member: string]: unknown;
}

export interface ProcessCounts {
  readonly edge: number;
  readonly worker: number;
}

/** A queue in one interval. */
export interface QueueInterval {
  readonly name: string;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Rows that imports read and exports wrote. */
  readonly rows: number;
  readonly rows_per_second: number;
  /** The most jobs that waited at the end of a minute. */
  readonly waiting: number;
  /** The highest age in seconds of a job that waited; null without one. */
  readonly oldest: number | null;
  /** The seconds within which half of the jobs ended, and 99 of 100; null without jobs. */
  readonly p50: number | null;
  readonly p99: number | null;
  /** Failed jobs by their most frequent reasons. */
  readonly reasons: Readonly<Record<string, number>>;
}

export interface QueueStatistics {
  readonly period: 'hour' | 'day' | 'month';
  /** The length of each interval in seconds. */
  readonly interval: number;
  readonly now: {
    readonly on: string;
    readonly processes: ProcessCounts;
    readonly queues: readonly {
      readonly name: string;
      readonly waiting: number;
      readonly running: number;
      readonly oldest: number | null;
    }[];
  };
  /** The recorded intervals, oldest first; an interval that no worker saw is missing. */
  readonly series: readonly {
    readonly from: string;
    /** How many of its minutes were recorded. */
    readonly minutes: number;
    readonly processes: ProcessCounts;
    readonly queues: readonly QueueInterval[];
  }[];
}

export interface Queues {
  list(options?: CallOptions): Promise<Queue[]>;
  /** Begins no more jobs of a queue. */
  pause(queue: string, options?: CallOptions): Promise<Queue>;
  /** Accepts no more jobs, and does those that wait. */
  drain(queue: string, options?: CallOptions): Promise<Queue>;
  resume(queue: string, options?: CallOptions): Promise<Queue>;
  /** Sets how many jobs each worker does at once; null for the configured number. */
  limit(queue: string, concurrency: number | null, options?: CallOptions): Promise<Queue>;
  /** What the queues did in a period, by default the last hour, and how they stand. */
  statistics(period?: QueueStatistics['period'], options?: CallOptions): Promise<QueueStatistics>;
}

export function createQueues({ request }: Transport): Queues {
  const turn = (verb: string) => (queue: string, options?: CallOptions) =>
    request<Queue>('POST', `/queues/${encodeURIComponent(queue)}/${verb}`, options);
  return {
    list: (options) => request('GET', '/queues', options),
    pause: turn('pause'),
    drain: turn('drain'),
    resume: turn('resume'),
    limit: (queue, concurrency, options) =>
      request('PATCH', `/queues/${encodeURIComponent(queue)}`, {
        ...options,
        body: { concurrency },
      }),
    statistics: (period = 'hour', options) =>
      request('GET', '/queues/statistics', { ...options, query: { period } }),
  };
}
