/** One subscription of the REST WebSocket: first the current items, then their changes. */
import type { Caller } from '#core/access/grants.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { LiveSubscriptions } from '#core/live/live-subscriptions.ts';
import {
  LIVE_ACTIONS,
  type LiveAction,
  type LiveEvent,
  type Subscriber,
} from '#core/live/subscriber.ts';
import type { Collection } from '#core/model/catalog/catalog.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import { messageText, type SubscribeMessage } from './rest-message.ts';

/** Maximum events that wait while the items are read; above it the items are read again. */
const MOST_WAITING = 1_000;

/** The functions of the connection that a subscription uses. */
export interface SubscriptionHost {
  readonly live: LiveSubscriptions;
  caller(): Promise<Caller>;
  /** The collection, for the types of its keys. */
  collectionOf(name: string): Collection | undefined;
  /** `"data":…` of the current items. */
  current(message: SubscribeMessage): Promise<string>;
  send(text: string): void;
  /** The subscription has ended, for this reason. */
  lost(subscription: RestSubscription, error: unknown): void;
  /** Missed events cannot be recovered, so the client must begin again. */
  restart(reason: string): void;
}

/** A key in the notation of REST. */
function shownKey(collection: Collection | undefined, key: string): unknown {
  const [field, ...others] = collection?.primaryKey ?? [];
  if (others.length > 0) return key.split(',').map(decodeURIComponent);
  return field?.type === 'integer' ? Number(key) : key;
}

export class RestSubscription implements Subscriber {
  readonly collection: string;
  readonly question: UnparsedQuery;
  readonly actions: ReadonlySet<LiveAction>;
  readonly item: string | null;
  readonly #message: SubscribeMessage;
  readonly #host: SubscriptionHost;
  /** Events that arrive while the items are read; null when events are sent immediately. */
  #waiting: LiveEvent[] | null = [];
  #missed = false;
  #leave: (() => void) | null = null;
  #ended = false;

  constructor(host: SubscriptionHost, message: SubscribeMessage, question: UnparsedQuery) {
    const { collection, event, item } = message;
    this.#host = host;
    this.#message = message;
    this.collection = collection;
    this.question = question;
    this.actions = new Set(event ? [event] : LIVE_ACTIONS);
    this.item = item === null || item === undefined ? null : String(item);
  }

  /** @throws ServiceError when the caller may not subscribe to the collection */
  async start(): Promise<void> {
    this.#leave = await this.#host.live.subscribe(this);
    if (this.#ended) this.#leave();
    else await this.#begin();
  }

  end(): void {
    this.#ended = true;
    this.#leave?.();
    this.#leave = null;
  }

  caller(): Promise<Caller> {
    return this.#host.caller();
  }

  hear(event: LiveEvent): void {
    if (this.#ended) return;
    if (this.#waiting === null) this.#send(event);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(event);
    else this.#missed = true;
  }

  miss(reason: string): void {
    if (this.#ended) return;
    if (this.#message.event) this.#host.restart(reason);
    else if (this.#waiting !== null) this.#missed = true;
    else {
      this.#waiting = [];
      this.#begin().catch((error: unknown) => this.lose(error));
    }
  }

  lose(error: unknown): void {
    if (this.#ended) return;
    if (error instanceof ServiceError && error.status < 500) this.#host.lost(this, error);
    else this.#host.restart('The items could not be read.');
  }

  /** Sends the current items, and then the changes that arrived in the meantime. */
  async #begin(): Promise<void> {
    const { event, uid } = this.#message;
    const facts = { type: 'subscription', event: 'init' };
    do {
      const data = event
        ? ''
        : await this.#host.live.runQueued(await this.caller(), () => this.#read());
      if (this.#ended) return;
      this.#host.send(messageText(facts, data, uid));
    } while (this.#missed);
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const one of waiting) this.#send(one);
  }

  /** The current items, which include all changes received so far. */
  async #read(): Promise<string> {
    this.#missed = false;
    this.#waiting = [];
    return this.#ended ? '' : await this.#host.current(this.#message);
  }

  #send(event: LiveEvent): void {
    const { uid } = this.#message;
    const facts = { type: 'subscription', event: event.action };
    for (const data of this.#dataOf(event)) {
      // The connection may end with a message that exceeds its buffer.
      if (this.#ended) return;
      this.#host.send(messageText(facts, `"data":${data}`, uid));
    }
  }

  /**
   * The data of each message. Clients read only the first entry of created items, so each item has
   * its own message.
   */
  #dataOf(event: LiveEvent): readonly string[] {
    if (event.action === 'delete') {
      const collection = this.#host.collectionOf(this.collection);
      const keys = event.keys.map((key) => shownKey(collection, key));
      return [JSON.stringify(this.item === null ? keys : keys[0])];
    }
    const texts = event.items.map(({ text }) => text);
    if (this.item !== null) return [texts[0] ?? 'null'];
    return event.action === 'create' ? texts.map((text) => `[${text}]`) : [`[${texts.join(',')}]`];
  }
}
