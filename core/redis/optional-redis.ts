/**
 * A connection to a Redis that the process can do without for a while: nothing waits for a server
 * that is away, nothing is sent twice, and what does not answer is connected to anew.
 */
import { Redis } from 'ioredis';
import type { Log } from '#core/log/log.ts';
import { warnThrottled } from '#core/log/throttled-warning.ts';
import { HANG_UP_WITHIN_MS, REDIS_KEEP_ALIVE_MS, startHeartbeat } from './heartbeat.ts';

const BACK_OFF_MS = { first: 50, most: 2_000 };

export interface OptionalRedisOptions {
  /** The name under which the server lists the connection. */
  readonly name: string;
  /** Longest wait for an answer, in milliseconds. */
  readonly answerWithin: number;
  /** What is logged when the server is lost. */
  readonly complaint: string;
  readonly log: Log;
}

export class OptionalRedis {
  readonly client: Redis;
  /** Since it last became ready something was not answered. */
  #lost = false;
  #connection = 0;
  readonly #endHeartbeat: () => void;

  constructor(url: string, { name, answerWithin, complaint, log }: OptionalRedisOptions) {
    this.client = new Redis(url, {
      connectionName: name,
      connectTimeout: answerWithin,
      commandTimeout: answerWithin,
      disconnectTimeout: HANG_UP_WITHIN_MS,
      keepAlive: REDIS_KEEP_ALIVE_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(BACK_OFF_MS.first * 2 ** times, BACK_OFF_MS.most),
    });
    this.client.on('ready', () => {
      this.#connection += 1;
      this.#lost = false;
    });
    this.client.on('error', warnThrottled(log, complaint));
    this.#endHeartbeat = startHeartbeat(this.client, () => this.miss());
  }

  /** Connected, and everything since then was answered. */
  get ready(): boolean {
    return this.client.status === 'ready' && !this.#lost;
  }

  /** Counts connections: another number means that there was a time without one. */
  get connection(): number {
    return this.#connection;
  }

  /** Something was not answered. One that is ready and silent may be half open: it is made anew. */
  miss(): void {
    if (this.ready) this.client.disconnect(true);
    this.#lost = true;
  }

  close(): void {
    this.#endHeartbeat();
    this.client.disconnect();
  }
}
