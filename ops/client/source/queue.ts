/** The queues of jobs, for administrators. */
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

export interface Queue {
  readonly name: string;
  readonly state: string;
  readonly changed_on: string | null;
  readonly changed_by: string | null;
  readonly [member: string]: unknown;
}

export interface Queues {
  list(options?: CallOptions): Promise<Queue[]>;
  /** Begins no more jobs of a queue. */
  pause(queue: string, options?: CallOptions): Promise<Queue>;
  /** Accepts no more jobs, and does those that wait. */
  drain(queue: string, options?: CallOptions): Promise<Queue>;
  resume(queue: string, options?: CallOptions): Promise<Queue>;
}

export function createQueues({ request }: Transport): Queues {
  const turn = (verb: string) => (queue: string, options?: CallOptions) =>
    request<Queue>('POST', `/queues/${encodeURIComponent(queue)}/${verb}`, options);
  return {
    list: (options) => request('GET', '/queues', options),
    pause: turn('pause'),
    drain: turn('drain'),
    resume: turn('resume'),
  };
}
