/**
 * The message bus on LISTEN and NOTIFY: one connection, which is replaced when it breaks or stops
 * responding.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '#core/base/log/log.ts';
import { warnThrottled } from '#core/base/log/throttled-warning.ts';
import { guardedClient, KEEP_ALIVE_MS } from '#core/database/client.ts';
import { identifier, render, sql } from '#core/database/sql.ts';
import { Watchdog } from '#core/database/watchdog.ts';
import type { MessageBus } from './bus.ts';
import { Subscriptions } from './subscriptions.ts';
import { encode, type Messages, type Topic } from './topic.ts';

const HEARTBEAT_MS = 1_000;
const ANSWER_WITHIN_MS = 3_000;
const PUBLISH_WITHIN_MS = 3_000;
const BACK_OFF_MS = { first: 50, most: 500 };

export class PostgresBus implements MessageBus {
  readonly #Client: ReturnType<typeof guardedClient>;
  readonly #url: string;
  readonly #channel: string;
  readonly #log: Log;
  readonly #subscriptions: Subscriptions;
  readonly #closing = new AbortController();
  /** The heartbeat detects a broken connection earlier; this ends its session on the server. */
  readonly #watchdog: Watchdog;
  #client: pg.Client | null = null;
  #opened = Promise.withResolvers<pg.Client>();
  /** On the monotonic clock, which clock changes do not affect. */
  #lastContact = performance.now();
  #life: Promise<void> | null = null;
  #wasOpen = false;

  /** @param url a connection string with a session, not one of a transaction pooler */
  constructor(url: string, channel: string, log: Log) {
    this.#Client = guardedClient(log);
    this.#url = url;
    this.#channel = channel;
    this.#log = log;
    this.#watchdog = new Watchdog({ url, log, statementTimeout: 0 });
    this.#subscriptions = new Subscriptions(log);
  }

  /** Connects, with retries until {@link close}; resolves when connected. */
  async open(): Promise<void> {
    this.#life ??= this.#keepConnected();
    await this.#opened.promise;
  }

  async publish<T extends Topic>(topic: T, message: Messages[T]): Promise<void> {
    const text = encode(topic, message);
    const client = this.#client ?? (await this.#nextClient());
    await client.query(render(sql`SELECT pg_notify(${this.#channel}, ${text})`));
  }

  subscribe<T extends Topic>(topic: T, handler: (message: Messages[T]) => void): () => void {
    return this.#subscriptions.add(topic, handler);
  }

  onResumed(handler: () => void): () => void {
    return this.#subscriptions.onResumed(handler);
  }

  silence(): number {
    const since = Math.round(performance.now() - this.#lastContact);
    return this.#client !== null && since <= HEARTBEAT_MS * 2 ? 0 : since;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#life;
  }

  async #nextClient(): Promise<pg.Client> {
    const late = AbortSignal.timeout(PUBLISH_WITHIN_MS);
    const signal = AbortSignal.any([late, this.#closing.signal]);
    return await Promise.race([
      this.#opened.promise,
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('the message bus has no connection to the database'));
        });
      }),
    ]);
  }

  async #keepConnected(): Promise<void> {
    const warn = warnThrottled(this.#log, 'the message bus lost its connection');
    let pause = BACK_OFF_MS.first;
    while (!this.#closing.signal.aborted) {
      const client = new this.#Client({
        connectionString: this.#url,
        application_name: 'sluice messages',
        connectionTimeoutMillis: ANSWER_WITHIN_MS,
        query_timeout: ANSWER_WITHIN_MS,
        keepAlive: true,
        keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
        // Publishers and the heartbeat do not wait for each other.
        pipeline: true,
      });
      try {
        await this.#live(client, () => {
          pause = BACK_OFF_MS.first;
        });
      } catch (error) {
        warn(error instanceof Error ? error : new Error(String(error)));
      } finally {
        if (this.#client !== null) this.#opened = Promise.withResolvers();
        this.#client = null;
        client.end().catch(() => undefined);
      }
      await delay(pause, null, { signal: this.#closing.signal }).catch(() => undefined);
      pause = Math.min(pause * 2, BACK_OFF_MS.most);
    }
  }

  /** One connection from start to end; throws when it broke. */
  async #live(client: pg.Client, onOpen: () => void): Promise<void> {
    const broken = new AbortController();
    client.on('error', (error) => broken.abort(error));
    client.on('end', () => broken.abort(new Error('the connection was closed')));
    client.on('notification', (message) => {
      this.#lastContact = performance.now();
      if (message.payload !== undefined) this.#subscriptions.dispatch(message.payload);
    });
    await client.connect();
    this.#watchdog.add(client);
    await client.query(render(sql`LISTEN ${identifier(this.#channel)}`));
    this.#lastContact = performance.now();
    this.#client = client;
    this.#opened.resolve(client);
    onOpen();
    if (this.#wasOpen) this.#subscriptions.resume();
    this.#wasOpen = true;
    const signal = AbortSignal.any([broken.signal, this.#closing.signal]);
    while (!signal.aborted) {
      await delay(HEARTBEAT_MS, null, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      await client.query('SELECT 1');
      this.#lastContact = performance.now();
    }
    if (!this.#closing.signal.aborted) throw broken.signal.reason;
  }
}
