/** The message bus on Redis: one connection for publishing and one for subscribing. */
import { Redis } from 'ioredis';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import type { MessageBus } from './bus.ts';
import { HANG_UP_WITHIN_MS, REDIS_KEEP_ALIVE_MS, startHeartbeat } from './redis/heartbeat.ts';
import { Subscriptions } from './subscriptions.ts';
import { encode, type Messages, type Topic } from './topic.ts';

const HEARTBEAT_MS = 1_000;
const ANSWER_WITHIN_MS = 3_000;
const BACK_OFF_MS = { first: 50, most: 500 };

export class RedisBus implements MessageBus {
  readonly #channel: string;
  readonly #log: Log;
  readonly #publisher: Redis;
  readonly #subscriber: Redis;
  readonly #subscriptions: Subscriptions;
  readonly #endHeartbeat: () => void;
  #heartbeat: NodeJS.Timeout | null = null;
  /** The time of the last message, on the monotonic clock, which clock changes do not affect. */
  #lastContact = performance.now();
  /** The subscribed connection has responded since it was last opened. */
  #answered = false;
  /** It was lost, and has not responded since. */
  #interrupted = false;

  constructor(url: string, channel: string, log: Log) {
    this.#channel = channel;
    this.#log = log;
    this.#subscriptions = new Subscriptions(log);
    this.#publisher = this.#connection(url);
    this.#subscriber = this.#connection(url);
    this.#endHeartbeat = startHeartbeat(this.#publisher, () => {
      log.warn('replacing a half-open connection of the message bus');
      this.#publisher.disconnect(true);
    });
    this.#subscriber.on('close', () => {
      if (this.#answered) this.#interrupted = true;
      this.#answered = false;
    });
    this.#subscriber.on('ready', () => this.#beat());
    this.#subscriber.on('message', (_, text) => {
      this.#lastContact = performance.now();
      this.#subscriptions.dispatch(text);
    });
  }

  /** Connects, with retries until {@link close}; resolves when both connections work. */
  async open(): Promise<void> {
    const ready = Promise.all(
      [this.#publisher, this.#subscriber].map(
        (redis) => new Promise<void>((resolve) => redis.once('ready', resolve)),
      ),
    );
    // A failed first attempt is repeated; 'ready' reports the successful one.
    this.#publisher.connect().catch(() => undefined);
    this.#subscriber.connect().catch(() => undefined);
    await ready;
    await this.#subscriber.subscribe(this.#channel);
    await this.#beat();
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS);
  }

  async publish<T extends Topic>(topic: T, message: Messages[T]): Promise<void> {
    await this.#publisher.publish(this.#channel, encode(topic, message));
  }

  subscribe<T extends Topic>(topic: T, handler: (message: Messages[T]) => void): () => void {
    return this.#subscriptions.add(topic, handler);
  }

  onResumed(handler: () => void): () => void {
    return this.#subscriptions.onResumed(handler);
  }

  silence(): number {
    const since = Math.round(performance.now() - this.#lastContact);
    return this.#answered && since <= HEARTBEAT_MS * 2 ? 0 : since;
  }

  async close(): Promise<void> {
    this.#endHeartbeat();
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
  }

  async #beat(): Promise<void> {
    if (this.#subscriber.status !== 'ready') return;
    try {
      // The response follows the earlier subscription on the same connection.
      await this.#subscriber.ping();
      this.#answered = true;
      this.#lastContact = performance.now();
      if (!this.#interrupted) return;
      this.#interrupted = false;
      this.#subscriptions.resume();
    } catch (error) {
      this.#log.warn({ err: error }, 'the message bus does not answer');
      // The connection may be half open; the retry strategy opens a new one.
      this.#subscriber.disconnect(true);
    }
  }

  #connection(url: string): Redis {
    const redis = new Redis(url, {
      lazyConnect: true,
      connectionName: this.#channel,
      connectTimeout: ANSWER_WITHIN_MS,
      commandTimeout: ANSWER_WITHIN_MS,
      disconnectTimeout: HANG_UP_WITHIN_MS,
      keepAlive: REDIS_KEEP_ALIVE_MS,
      maxRetriesPerRequest: null,
      retryStrategy: (times) => Math.min(BACK_OFF_MS.first * 2 ** times, BACK_OFF_MS.most),
    });
    redis.on('error', warnThrottled(this.#log, 'the message bus lost Redis'));
    return redis;
  }
}
