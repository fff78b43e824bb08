/**
 * A connection to a Redis that the process can temporarily do without. Commands fail immediately
 * while the server is unavailable, no command is sent twice, and an unresponsive connection is
 * replaced.
 */
import { Redis } from 'ioredis';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import { HANG_UP_WITHIN_MS, REDIS_KEEP_ALIVE_MS, startHeartbeat } from './heartbeat.ts';

const BACK_OFF_MS = { first: 50, most: 2_000 };

export interface OptionalRedisOptions {
  /** The name under which the server lists the connection. */
  readonly name: string;
  /** Timeout for a response, in milliseconds. */
  readonly answerWithin: number;
  /** The warning when the server is lost. */
  readonly complaint: string;
  readonly log: Log;
}

export class OptionalRedis {
  readonly client: Redis;
  /** A response has been missing since it last became ready. */
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

  /** Connected, and no response has been missing since then. */
  get ready(): boolean {
    return this.client.status === 'ready' && !this.#lost;
  }

  /** Number of connections so far; a different number means that there was a gap. */
  get connection(): number {
    return this.#connection;
  }

  /**
   * Reports a missing response. A connection that is ready but silent may be half open, so it is
   * replaced.
   */
  miss(): void {
    if (this.ready) this.client.disconnect(true);
    this.#lost = true;
  }

  close(): void {
    this.#endHeartbeat();
    this.client.disconnect();
  }
}
