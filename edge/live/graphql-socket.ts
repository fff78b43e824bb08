/** The WebSocket of GraphQL, by the protocol graphql-transport-ws. */

import {
  type ExecutionArgs,
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
} from 'graphql';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType, makeServer, type Server } from 'graphql-ws';
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { LiveSubscriptions } from '#core/live/live-subscriptions.ts';
import type { Subscriber } from '#core/live/subscriber.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import { operationOf } from '#edge/graphql/document-cache.ts';
import type { GraphRequest } from '#edge/graphql/execute.ts';
import { parseSubscription } from '#edge/graphql/subscription.ts';
import { errorEntriesOf } from '#edge/http/failure-response.ts';
import type { Request } from '#edge/http/request.ts';
import { CLOSE, type Outlet } from '#edge/http/web-socket.ts';
import type { EdgeServices } from '#edge/services.ts';
import { EventQueue } from './event-queue.ts';
import { ItemRequests } from './item-request.ts';
import { SocketRequest } from './socket-request.ts';
import {
  type Connection,
  type ConnectionStart,
  type Credentials,
  closeReason,
  type Sockets,
} from './sockets.ts';

export const SUBPROTOCOL = GRAPHQL_TRANSPORT_WS_PROTOCOL;

const PING = JSON.stringify({ type: MessageType.Ping });

/** Closing codes of the protocol. */
const FORBIDDEN = 4403;
const BAD_REQUEST = 4400;

const payloadOfConnection = v.object({ access_token: v.optional(v.string()) });
const variables = v.nullish(v.record(v.string(), v.unknown()), null);
const payloadOfOperation = v.object({
  query: v.string(),
  operationName: v.nullish(v.string(), null),
  variables,
});
/** A GraphQL response in the form in which it is sent. */
const formatted = v.object({
  data: v.optional(v.nullable(v.record(v.string(), v.unknown()))),
  errors: v.optional(v.array(v.looseObject({ message: v.string() }))),
});

export interface GraphSocketParts extends ConnectionStart {
  readonly services: EdgeServices;
  readonly live: LiveSubscriptions;
  readonly sockets: Sockets;
  /** The request that opened the connection. */
  readonly request: Request;
}

/** The data that the library stores with a connection. */
interface Extra {
  readonly connection: GraphSocket;
}

type GraphServer = Server<Extra>;

function graphError(thrown: unknown): GraphQLError {
  if (thrown instanceof GraphQLError) return thrown;
  const [entry] = errorEntriesOf(thrown, null).entries;
  return new GraphQLError(entry?.message ?? '', { extensions: { ...entry?.extensions } });
}

/**
 * The library's server, shared by all connections.
 * @param patience how long (ms) a connection may take to begin
 */
export function graphServer(patience: number): GraphServer {
  /** The responses of routes, which are sent unchanged. */
  const sentAnswers = new WeakMap<object, FormattedExecutionResult>();
  const events = new WeakMap<ExecutionArgs, AsyncGenerator<ExecutionResult>>();
  return makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: patience,
    onConnect: ({ extra, connectionParams }) => extra.connection.begin(connectionParams),
    async onSubscribe({ extra, subscriptions }, id, payload) {
      try {
        const { connection } = extra;
        const request = v.parse(payloadOfOperation, payload);
        const { args, queue } = await connection.operation(id, request, {
          open: Object.keys(subscriptions).length,
        });
        if (queue !== null) events.set(args, queue);
        return args;
      } catch (error) {
        return Array.isArray(error) ? error : [graphError(error)];
      }
    },
    subscribe(args) {
      const queue = events.get(args);
      if (queue === undefined) throw new TypeError('an operation was not prepared');
      return Promise.resolve(queue);
    },
    async execute(args) {
      const { connection, request } = v.parse(requestContext, args.contextValue);
      try {
        const result = { data: null };
        sentAnswers.set(result, await connection.ask(request));
        return result;
      } catch (error) {
        return { errors: [graphError(error)] };
      }
    },
    onNext: (...[, , , , result]) => sentAnswers.get(result),
  });
}

export class GraphSocket implements Connection {
  readonly #parts: GraphSocketParts;
  readonly #server: GraphServer;
  readonly #request: SocketRequest;
  readonly #routes: ItemRequests;
  readonly #subscribers = new Map<Subscriber, () => void>();
  #outlet: Outlet | null = null;
  #credentials: Credentials | null;
  #expiry: number | null = null;
  #onMessage: (text: string) => Promise<void> = async () => undefined;
  #onClosed: (code: number, reason: string) => Promise<void> = async () => undefined;

  constructor(server: GraphServer, parts: GraphSocketParts) {
    this.#server = server;
    this.#parts = parts;
    this.#credentials = null;
    this.#request = new SocketRequest(parts.request, (reason) => this.#end(CLOSE.restart, reason));
    this.#routes = new ItemRequests(parts.services, this.#request);
    if (parts.credentials !== null) this.#use(parts.credentials);
  }

  opened(outlet: Outlet): void {
    this.#outlet = outlet;
    this.#parts.sockets.add('graphql', this);
    this.#parts.seat.onLost((reason) => this.#dismiss(reason));
    const offered = this.#parts.request.header('sec-websocket-protocol') ?? '';
    this.#onClosed = this.#server.opened(
      {
        protocol: offered.split(/ *, */).includes(SUBPROTOCOL) ? SUBPROTOCOL : '',
        send: async (text) => outlet.send(text),
        close: (code, reason) => this.#end(code ?? CLOSE.normal, reason ?? ''),
        onMessage: (handle) => {
          this.#onMessage = handle;
        },
      },
      { connection: this },
    );
  }

  get holder(): string {
    return this.#parts.sockets.holderOf(this.#request, this.#credentials);
  }

  sendPing(): boolean {
    this.#outlet?.send(PING);
    return true;
  }

  message(text: string): Promise<void> {
    return this.#onMessage(text).catch((error: unknown) => {
      this.#parts.services.log.debug({ err: error }, 'could not handle a message');
      this.#end(BAD_REQUEST, 'The message is not one of the protocol.');
    });
  }

  closed(): void {
    this.#outlet = null;
    this.#parts.seat.release();
    this.#parts.sockets.remove('graphql', this);
    this.#request.close();
    for (const leave of this.#subscribers.values()) leave();
    this.#subscribers.clear();
    this.#onClosed(CLOSE.normal, '').catch((error: unknown) => {
      this.#parts.services.log.warn({ err: error }, 'could not end a connection');
    });
  }

  accessChanged(changes: AccessChanges | null): void {
    if (this.#credentials?.caller.notice(changes)) void this.#judge(this.#credentials);
  }

  beat(): void {
    if (this.#expiry === null || this.#expiry > Date.now()) return;
    this.#expiry = null;
    this.#end(FORBIDDEN, 'The token has expired.');
  }

  /**
   * Processes the first message of a client.
   * @returns whether the client is admitted
   */
  async begin(payload: unknown): Promise<boolean> {
    const { services, sockets } = this.#parts;
    const { success, output } = v.safeParse(payloadOfConnection, payload ?? {});
    const token = success ? output.access_token : undefined;
    let credentials = this.#credentials;
    try {
      const isOpenToAll = services.config.WEBSOCKETS_GRAPHQL_AUTH === 'public';
      if (token !== undefined) credentials = await sockets.identify(this.#request, token);
      else if (isOpenToAll) credentials ??= await sockets.identify(this.#request, null);
    } catch {
      return false;
    }
    return credentials !== null && this.#settle(credentials);
  }

  /** The response of the HTTP endpoint. */
  async ask(request: GraphRequest): Promise<FormattedExecutionResult> {
    const text = await this.#routes.ask({ method: 'POST', path: '/graphql', body: request });
    const { data, errors } = v.parse(formatted, JSON.parse(`{${text}}`));
    return { ...(data === undefined ? {} : { data }), ...(errors === undefined ? {} : { errors }) };
  }

  /**
   * Prepares an operation.
   * @throws ServiceError; GraphQLErrors for an invalid document
   */
  async operation(
    id: string,
    request: GraphRequest,
    { open }: { readonly open: number },
  ): Promise<{ args: ExecutionArgs; queue: AsyncGenerator<ExecutionResult> | null }> {
    const { services, live } = this.#parts;
    const most = services.config.WEBSOCKETS_MAX_SUBSCRIPTIONS;
    if (open > most) {
      const why = reason('too_many_subscriptions_of_connection', { limit: most });
      throw new ServiceError('LIMIT_EXCEEDED', { reason: why });
    }
    const credentials = this.#credentials;
    if (credentials === null) throw new ServiceError('INVALID_CREDENTIALS');
    const caller = await credentials.caller.current();
    const catalog = services.catalog.current();
    const rights = await services.access.rightsOf(caller);
    const { valid, errors } = await services.documents.check(
      catalog,
      rights,
      'items',
      request,
      credentials.caller.holder,
    );
    if (valid === undefined) throw errors;
    const { document } = valid;
    const operation = operationOf(document, request.operationName);
    const args = {
      ...{ schema: valid.endpoint.schema, document },
      ...(request.operationName === null ? {} : { operationName: request.operationName }),
      contextValue: { connection: this, request },
    };
    if (operation.operation !== 'subscription') return { args, queue: null };
    await services.limits.enter(this.#request);
    await services.limits.identify(this.#request, caller);
    const subscription = parseSubscription(valid, operation, request, services.bounds);
    const queue: EventQueue<ExecutionResult> = new EventQueue(() => this.#leave(subscriber));
    const { collection, actions, question } = subscription;
    const subscriber: Subscriber = {
      ...{ collection, actions, question, item: null },
      caller: () => credentials.caller.current(),
      hear: (event) => {
        for (const data of subscription.answers(event)) queue.push({ data });
      },
      miss: (reason) => this.#end(CLOSE.restart, `Subscribe again: ${reason}.`),
      lose: (error) => {
        this.#leave(subscriber);
        if (error instanceof ServiceError && error.status < 500) {
          queue.push({ errors: [graphError(error)], data: null });
          queue.end();
        } else {
          this.#end(CLOSE.restart, 'The items could not be read.');
        }
      },
    };
    this.#subscribers.set(subscriber, await live.subscribe(subscriber));
    if (this.#outlet === null) this.#leave(subscriber);
    services.log.debug({ request: this.#request.id, operation: id, collection }, 'subscribed');
    return { args, queue };
  }

  #leave(subscriber: Subscriber): void {
    this.#subscribers.get(subscriber)?.();
    this.#subscribers.delete(subscriber);
  }

  #use(credentials: Credentials): void {
    this.#credentials = credentials;
    this.#request.token = credentials.token;
    this.#expiry = this.#parts.services.identity.expiryOf(credentials.token);
  }

  /** Whether its user may have another connection; otherwise ends the connection. */
  #settle(credentials: Credentials): boolean {
    try {
      this.#parts.seat.settle(credentials.caller.holder);
    } catch (error) {
      this.#dismiss(error);
      return false;
    }
    this.#use(credentials);
    return true;
  }

  /** Ends the connection because no slot is available. */
  #dismiss(error: unknown): void {
    this.#end(CLOSE.tryAgain, closeReason(error));
  }

  #end(code: number, reason: string): void {
    this.#outlet?.end(code, reason);
  }

  async #judge({ caller }: Credentials): Promise<void> {
    try {
      await caller.current();
    } catch {
      this.#end(FORBIDDEN, 'The credentials are not valid any more.');
      return;
    }
    for (const one of this.#subscribers.keys()) this.#parts.live.recheck(one);
  }
}

const requestContext = v.object({
  connection: v.instance(GraphSocket),
  request: v.object({
    query: v.string(),
    operationName: v.nullable(v.string()),
    variables: v.nullable(v.record(v.string(), v.unknown())),
  }),
});
