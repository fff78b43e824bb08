/** The WebSocket of REST: logins, reads and writes of items, and subscriptions. */

import type { Caller } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { LiveSubscriptions } from '#core/live/live-subscriptions.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import type { Request } from '#edge/http/request.ts';
import { CLOSE, type Outlet } from '#edge/http/web-socket.ts';
import type { EdgeServices } from '#edge/services.ts';
import { ItemRequests, requireItemCollection } from './item-request.ts';
import {
  type AuthMessage,
  errorText,
  type ItemsMessage,
  type MessageId,
  messageText,
  parseMessage,
  type RestMessage,
  type SubscribeMessage,
} from './rest-message.ts';
import { RestSubscription, type SubscriptionHost } from './rest-subscription.ts';
import { SocketRequest } from './socket-request.ts';
import {
  type Connection,
  type ConnectionStart,
  type Credentials,
  closeReason,
  MessageQueue,
  type Sockets,
} from './sockets.ts';

const PING = '{"type":"ping"}';

/** Maximum length of waiting messages, as a multiple of the longest one. */
const WAITING = 4;

export interface RestSocketParts extends ConnectionStart {
  readonly services: EdgeServices;
  readonly live: LiveSubscriptions;
  readonly sockets: Sockets;
  /** The request that opened the connection. */
  readonly request: Request;
}

export class RestSocket implements Connection {
  readonly #parts: RestSocketParts;
  readonly #request: SocketRequest;
  readonly #items: ItemRequests;
  readonly #inbox: MessageQueue;
  readonly #subscriptions = new Map<MessageId | symbol, RestSubscription>();
  #outlet: Outlet | null = null;
  #credentials: Credentials | null = null;
  /** When the token expires, in milliseconds since 1970; null: never. */
  #expiry: number | null = null;
  /** The deadline for the login, by `performance.now()`; null after the login. */
  #deadline: number | null = null;
  #heard = performance.now();
  #asked = performance.now();

  constructor(parts: RestSocketParts) {
    const { services, request, credentials } = parts;
    this.#parts = parts;
    this.#request = new SocketRequest(request, (reason) => this.#end(CLOSE.restart, reason));
    this.#items = new ItemRequests(services, this.#request);
    const { WEBSOCKETS_MESSAGE_MAX_SIZE, WEBSOCKETS_REST_AUTH_TIMEOUT } = services.config;
    this.#inbox = new MessageQueue(WEBSOCKETS_MESSAGE_MAX_SIZE * WAITING, () => this.#outlet);
    if (credentials === null) this.#deadline = performance.now() + WEBSOCKETS_REST_AUTH_TIMEOUT;
    else this.#use(credentials);
  }

  opened(outlet: Outlet): void {
    this.#outlet = outlet;
    this.#parts.sockets.add('rest', this);
    this.#parts.seat.onLost((reason) => this.#dismiss(reason, undefined));
  }

  get holder(): string {
    return this.#parts.sockets.holderOf(this.#request, this.#credentials);
  }

  sendPing(): boolean {
    // Without the heartbeat, clients need not support the message.
    const { WEBSOCKETS_HEARTBEAT_ENABLED: isKnown } = this.#parts.services.config;
    if (isKnown) this.#send(PING);
    return isKnown;
  }

  message(text: string): Promise<void> {
    this.#heard = performance.now();
    return this.#inbox.take(text, (one) => this.#handle(one));
  }

  closed(): void {
    this.#outlet = null;
    this.#parts.seat.release();
    this.#parts.sockets.remove('rest', this);
    this.#request.close();
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
  }

  accessChanged(changes: AccessChanges | null): void {
    if (this.#credentials?.caller.notice(changes)) void this.#judge(this.#credentials);
  }

  beat(now: number): void {
    const { config } = this.#parts.services;
    if (this.#deadline !== null && now >= this.#deadline) {
      const late = new ServiceError('INVALID_CREDENTIALS');
      this.#send(errorText('auth', late, undefined, 'AUTH_TIMEOUT'));
      this.#end(CLOSE.policy, 'No login came in time.');
    } else if (this.#expiry !== null && this.#expiry <= Date.now()) {
      this.#expiry = null;
      this.#deadline = now + config.WEBSOCKETS_REST_AUTH_TIMEOUT;
      this.#send(errorText('auth', new ServiceError('TOKEN_EXPIRED'), undefined));
    }
    if (!config.WEBSOCKETS_HEARTBEAT_ENABLED) return;
    const period = config.WEBSOCKETS_HEARTBEAT_PERIOD;
    if (this.#asked > this.#heard && now - this.#asked >= period) {
      this.#end(CLOSE.goingAway, 'The client does not answer.');
    } else if (now - Math.max(this.#heard, this.#asked) >= period) {
      this.#asked = now;
      this.#send(PING);
    }
  }

  #use(credentials: Credentials): void {
    this.#credentials = credentials;
    this.#request.token = credentials.token;
    this.#expiry = this.#parts.services.identity.expiryOf(credentials.token);
    this.#deadline = null;
  }

  #send(text: string): void {
    this.#outlet?.send(text);
  }

  #end(code: number, reason: string): void {
    this.#outlet?.end(code, reason);
  }

  /**
   * Ends the connection when its credentials are no longer valid, and subscriptions without
   * permission.
   */
  async #judge({ caller }: Credentials): Promise<void> {
    try {
      await caller.current();
    } catch (error) {
      this.#refuse(error, undefined);
      return;
    }
    for (const one of this.#subscriptions.values()) this.#parts.live.recheck(one);
  }

  async #handle(text: string): Promise<void> {
    if (this.#outlet === null) return;
    const parsed = parseMessage(text);
    if (parsed.message === undefined) {
      this.#send(errorText(parsed.type, parsed.error, parsed.uid));
      return;
    }
    const { message } = parsed;
    if (message.type !== 'auth' && this.#credentials === null) {
      this.#refuse(new ServiceError('INVALID_CREDENTIALS'), undefined);
      return;
    }
    const name = 'uid' in message ? message.uid : undefined;
    try {
      await this.#answer(message);
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        this.#parts.services.log.warn({ err: error }, 'could not answer a message');
      }
      this.#send(errorText(message.type, error, name));
    }
  }

  async #answer(message: RestMessage): Promise<void> {
    switch (message.type) {
      case 'auth':
        await this.#login(message);
        break;
      case 'ping':
        this.#send(messageText({ type: 'pong' }, '', message.uid));
        break;
      case 'pong':
        break;
      case 'subscribe':
        await this.#subscribe(message);
        break;
      case 'unsubscribe':
        this.#unsubscribe(message.uid);
        break;
      case 'items':
        await this.#answerItems(message);
    }
  }

  async #answerItems(message: ItemsMessage): Promise<void> {
    const data = await this.#items.answer(message);
    this.#send(messageText({ type: 'items' }, data, message.uid));
  }

  async #login(message: AuthMessage): Promise<void> {
    const { uid } = message;
    try {
      const { token, refresh } = await this.#tokenFor(message);
      const credentials = await this.#parts.sockets.identify(this.#request, token);
      if (!this.#settle(credentials, uid)) return;
      this.#use(credentials);
      const tokens = refresh === undefined ? {} : { refresh_token: refresh };
      this.#send(messageText({ type: 'auth', status: 'ok', ...tokens }, '', uid));
    } catch (error) {
      const isOpenToAll = this.#parts.services.config.WEBSOCKETS_REST_AUTH === 'public';
      this.#refuse(error, uid, !isOpenToAll);
    }
  }

  /** The token in a login message, or in the response to it. */
  async #tokenFor({ access_token, refresh_token, email, password, otp }: AuthMessage) {
    if (access_token !== undefined) return { token: access_token };
    // An old token would cause a refusal of the login.
    this.#request.token = null;
    const path = refresh_token === undefined ? '/auth/login' : '/auth/refresh';
    const body =
      refresh_token === undefined
        ? { email, password, otp, mode: 'json' }
        : { refresh_token, mode: 'json' };
    const found = await this.#items.value({ method: 'POST', path, body });
    if (!isJsonObject(found)) throw new ServiceError('INVALID_CREDENTIALS');
    return { token: String(found.access_token), refresh: found.refresh_token };
  }

  /** Whether its user may have another connection; otherwise ends the connection. */
  #settle({ caller }: Credentials, uid: MessageId): boolean {
    try {
      this.#parts.seat.settle(caller.holder);
      return true;
    } catch (error) {
      this.#dismiss(error, uid);
      return false;
    }
  }

  /** Ends the connection because no slot is available. */
  #dismiss(error: unknown, uid: MessageId): void {
    this.#send(errorText('auth', error, uid));
    this.#end(CLOSE.tryAgain, closeReason(error));
  }

  #refuse(error: unknown, uid: MessageId, ends = true): void {
    this.#send(errorText('auth', error, uid, 'AUTH_FAILED'));
    if (ends) this.#end(CLOSE.policy, 'The login is not valid.');
  }

  async #subscribe(message: SubscribeMessage): Promise<void> {
    const { collection, uid, query } = message;
    requireItemCollection(collection);
    const { config, bounds } = this.#parts.services;
    const most = config.WEBSOCKETS_MAX_SUBSCRIPTIONS;
    const name = uid ?? Symbol('unnamed');
    this.#subscriptions.get(name)?.end();
    this.#subscriptions.delete(name);
    if (this.#subscriptions.size >= most) {
      const why = reason('too_many_subscriptions_of_connection', { limit: most });
      throw new ServiceError('LIMIT_EXCEEDED', { reason: why });
    }
    const parameters = query ?? {};
    const question: UnparsedQuery = {
      text: JSON.stringify(parameters),
      query: () => parseQuery(parameters, bounds, { typed: parameters }),
    };
    const subscription = new RestSubscription(this.#host(name, uid), message, question);
    this.#subscriptions.set(name, subscription);
    try {
      await subscription.start();
    } catch (error) {
      subscription.end();
      this.#subscriptions.delete(name);
      throw error;
    }
  }

  #host(name: MessageId | symbol, uid: MessageId): SubscriptionHost {
    const { live, services } = this.#parts;
    return {
      live,
      caller: () => this.#caller(),
      collectionOf: (collection) => services.catalog.current().collections.get(collection),
      current: (message) => this.#items.current(message),
      send: (text) => this.#send(text),
      lost: (subscription, error) => {
        subscription.end();
        this.#subscriptions.delete(name);
        this.#send(errorText('subscribe', error, uid));
      },
      restart: (reason) => this.#end(CLOSE.restart, `Subscribe again: ${reason}.`),
    };
  }

  async #caller(): Promise<Caller> {
    if (this.#credentials === null) throw new ServiceError('INVALID_CREDENTIALS');
    return await this.#credentials.caller.current();
  }

  #unsubscribe(uid: MessageId): void {
    for (const [name, subscription] of this.#subscriptions) {
      if (uid !== undefined && name !== uid) continue;
      subscription.end();
      this.#subscriptions.delete(name);
    }
    this.#send(messageText({ type: 'subscription', event: 'unsubscribe' }, '', uid));
  }
}
