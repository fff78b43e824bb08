/**
 * The open WebSockets of an edge: checks which clients may open one, notifies connections of
 * changed permissions, and checks connections periodically.
 */

import { clientIpResolver } from '#core/access/client-ip.ts';
import { addressKey, quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, quotaExceeded, ServiceError } from '#core/base/errors/service-error.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { heapLimit } from '#core/base/process/heap-size.ts';
import type { AccessChanges } from '#core/model/catalog/access-changes.ts';
import type { Request } from '#edge/http/request.ts';
import type { Outlet, SocketHandler } from '#edge/http/web-socket.ts';
import { cookieOf } from '#edge/rest/cookie.ts';
import { tokenOf } from '#edge/rest/credential.ts';
import { maySocketOriginConnect } from '#edge/rest/csrf-check.ts';
import { parseQueryString } from '#edge/rest/query-parameters.ts';
import type { EdgeServices } from '#edge/services.ts';
import { type ConnectionSlot, ConnectionSlots } from './connection-slots.ts';
import { LiveCaller } from './live-caller.ts';

export type SocketProtocol = 'rest' | 'graphql';

/** The admission rules of a protocol. */
export interface SocketTerms {
  readonly protocol: SocketProtocol;
  readonly auth: 'handshake' | 'strict' | 'public';
}

/** The credentials of a connection. */
export interface Credentials {
  readonly token: string | null;
  readonly caller: LiveCaller;
}

/** The initial state of a connection. */
export interface ConnectionStart {
  /** Null when the first message must contain them. */
  readonly credentials: Credentials | null;
  /** Its slot, which the connection releases when it is closed. */
  readonly seat: ConnectionSlot;
}

/** One connection, of either protocol. Its methods must not throw. */
export interface Connection extends SocketHandler {
  /** Permissions, users or sessions changed; null: any of them may have. */
  accessChanged(changes: AccessChanges | null): void;
  /** Called periodically, with the time by `performance.now()`. */
  beat(now: number): void;
}

/**
 * The maximum part of the heap's size for partial messages of clients before login. The library
 * stores the arrived parts outside of the heap, and does not report them.
 */
const WAITING_PART = 0.25;

/** Interval (ms) of the checks of connections. */
const BEAT_MS = 1_000;

export class Sockets {
  readonly #services: EdgeServices;
  readonly #ipOf: (request: Request) => string | null;
  readonly #open: Readonly<Record<SocketProtocol, Set<Connection>>> = {
    rest: new Set(),
    graphql: new Set(),
  };
  readonly #seats: Readonly<Record<SocketProtocol, ConnectionSlots>>;
  readonly #beats: NodeJS.Timeout;
  readonly #ends: readonly (() => void)[];

  constructor(services: EdgeServices) {
    this.#services = services;
    this.#ipOf = clientIpResolver(services.config.IP_TRUST_PROXY);
    const { WEBSOCKETS_REST_CONN_LIMIT, WEBSOCKETS_GRAPHQL_CONN_LIMIT } = services.config;
    const { WEBSOCKETS_MESSAGE_MAX_SIZE } = services.config;
    const mostWaiting = Math.floor((WAITING_PART * heapLimit()) / WEBSOCKETS_MESSAGE_MAX_SIZE);
    const requireRoom = (holder: string) => this.#requireRoom(holder);
    this.#seats = {
      rest: new ConnectionSlots({
        limit: WEBSOCKETS_REST_CONN_LIMIT,
        limitName: 'WEBSOCKETS_REST_CONN_LIMIT',
        mostWaiting,
        requireRoom,
      }),
      graphql: new ConnectionSlots({
        limit: WEBSOCKETS_GRAPHQL_CONN_LIMIT,
        limitName: 'WEBSOCKETS_GRAPHQL_CONN_LIMIT',
        mostWaiting,
        requireRoom,
      }),
    };
    this.#beats = setInterval(() => this.#beat(), BEAT_MS).unref();
    this.#ends = [
      services.catalog.onAccess((changes) => {
        for (const connection of this.#all()) connection.accessChanged(changes);
      }),
      metrics.reading('sluice_websockets_open', () =>
        (['rest', 'graphql'] as const).map((protocol) => [{ protocol }, this.#open[protocol].size]),
      ),
    ];
  }

  close(): void {
    clearInterval(this.#beats);
    for (const end of this.#ends) end();
  }

  /**
   * Checks the request for a connection.
   * @throws ServiceError FORBIDDEN for a page of another origin, and above the limit;
   *   INVALID_CREDENTIALS, TOKEN_EXPIRED; REQUESTS_EXCEEDED
   */
  async admit(request: Request, { protocol, auth }: SocketTerms): Promise<ConnectionStart> {
    const { config, limits, catalog } = this.#services;
    await limits.enter(request);
    if (!maySocketOriginConnect(request, config)) {
      throw forbidden(reason('websocket_of_other_origin'));
    }
    if (!catalog.ready()) await catalog.regain();
    // URLs appear in logs and browser histories, and a client that logs in by a message needs no
    // token there.
    const parameters = auth === 'handshake' ? {} : parseQueryString(request.query);
    const sent = tokenOf(request.header('authorization'), parameters);
    const token = sent ?? cookieOf(request, config, 'session');
    if (token === null && auth === 'strict') throw new ServiceError('INVALID_CREDENTIALS');
    const isUnknown = token === null && auth === 'handshake';
    const credentials = isUnknown ? null : await this.identify(request, token);
    // In GraphQL, a client without a token may still send one.
    const waits = credentials === null || (token === null && protocol === 'graphql');
    const seats = this.#seats[protocol];
    if (waits) return { credentials, seat: seats.wait(addressKey(this.#ipOf(request) ?? '')) };
    return { credentials, seat: seats.take(credentials.caller.holder) };
  }

  /**
   * Authenticates a token.
   * @throws ServiceError INVALID_CREDENTIALS, TOKEN_EXPIRED, INVALID_IP
   */
  async identify(request: Request, token: string | null): Promise<Credentials> {
    const { identity } = this.#services;
    const caller = await identity.authenticate(token, this.#ipOf(request));
    return { token, caller: new LiveCaller(identity, token, caller) };
  }

  /** The account for a connection's memory: the user, or the address before login. */
  holderOf(request: Request, credentials: Credentials | null): string {
    return credentials?.caller.holder ?? quotaKeyOf({ user: null, ip: this.#ipOf(request) });
  }

  /** Adds a connection until {@link remove}. */
  add(protocol: SocketProtocol, connection: Connection): void {
    this.#open[protocol].add(connection);
  }

  remove(protocol: SocketProtocol, connection: Connection): void {
    this.#open[protocol].delete(connection);
  }

  /** The quota counts the connections of both protocols together. */
  #requireRoom(holder: string): void {
    const { WEBSOCKETS_MAX_PER_USER: most } = this.#services.config;
    const { rest, graphql } = this.#seats;
    if (rest.takenBy(holder) + graphql.takenBy(holder) < most) return;
    throw quotaExceeded('WEBSOCKETS_MAX_PER_USER', most, reason('too_many_websockets', { most }));
  }

  *#all(): Generator<Connection> {
    yield* [...this.#open.rest];
    yield* [...this.#open.graphql];
  }

  #beat(): void {
    const now = performance.now();
    for (const connection of this.#all()) connection.beat(now);
  }
}

/** The reason in the close frame of a connection without a slot. */
export function closeReason(error: unknown): string {
  const { code, details } =
    error instanceof ServiceError ? error : new ServiceError('INTERNAL_SERVER_ERROR');
  return details.reason === undefined ? code : `${code}: ${details.reason.sentence}`;
}

/**
 * The waiting messages of a client. A client that sends faster than its messages are handled is
 * disconnected.
 */
export class MessageQueue {
  readonly #limit: number;
  readonly #outlet: () => Outlet | null;
  #bytes = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param limit maximum characters of the waiting messages */
  constructor(limit: number, outlet: () => Outlet | null) {
    this.#limit = limit;
    this.#outlet = outlet;
  }

  /** Handles a message after the previous ones; resolves when it is handled. */
  take(text: string, handle: (text: string) => Promise<void>): Promise<void> {
    this.#bytes += text.length + 100;
    if (this.#bytes > this.#limit) {
      this.#outlet()?.end(1008, 'Messages came faster than they were answered.');
      return Promise.resolve();
    }
    this.#last = this.#last.then(async () => {
      try {
        await handle(text);
      } finally {
        this.#bytes -= text.length + 100;
      }
    });
    return this.#last;
  }
}
