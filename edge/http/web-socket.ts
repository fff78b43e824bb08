/**
 * WebSockets (RFC 6455) as the rest of the edge uses them: one connection with text messages in
 * both directions.
 */

import type { AskedConnection, HalfSentMessages, Sign } from './half-sent.ts';
import type { MessageMemory } from './message-memory.ts';
import type { Request } from './request.ts';
import type { WebSocket, WebSocketBehavior } from './uwebsockets.ts';

/** The server's end of an open connection. */
export interface Outlet {
  /**
   * Sends a text; does nothing once the connection ends. A client that leaves too many bytes unread
   * is disconnected.
   */
  send(text: string): void;
  /**
   * Closes the connection with a reason.
   * @param code of RFC 6455, 7.4
   */
  end(code: number, reason: string): void;
}

/** The logic of a route for one connection. Its methods must not throw. */
export interface SocketHandler {
  /** The account for reserved memory: the user, or the address before authentication. */
  readonly holder: string;
  opened(outlet: Outlet): void;
  /**
   * Sends a message that clients answer.
   * @returns whether this connection's protocol has such a message
   */
  sendPing(): boolean;
  /** Resolves when the message is handled. */
  message(text: string): Promise<void>;
  /** The client or the server closed the connection. */
  closed(): void;
}

/** A path where clients may open WebSockets. */
export interface SocketRoute {
  readonly path: string;
  /** The subprotocol that clients must offer; null: none. */
  readonly protocol: string | null;
  /** Maximum length of a client's message, in bytes. */
  readonly messageLimit: number;
  /** Bytes that may be buffered for a slow client. */
  readonly bufferLimit: number;
  /**
   * Checks the request of a client.
   * @throws ServiceError which the client receives as the response
   */
  admit(request: Request): Promise<SocketHandler>;
}

/** The data that the server stores with a connection. */
export interface SocketData {
  readonly handler: SocketHandler;
  outlet: SocketOutlet | null;
  readonly memory: MessageMemory;
}

/** Closing codes (RFC 6455, 7.4.1; 1012 and 1013 in IANA's registry). */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  unsupported: 1003,
  policy: 1008,
  restart: 1012,
  tryAgain: 1013,
} as const;

/** Seconds (approximately) without a message after which the server pings, and then disconnects. */
const IDLE_S = 60;
/** How long (ms) a client has to read the close frame before the connection is closed anyway. */
const FAREWELL_MS = 3_000;

/** A reason is part of a frame of at most 125 bytes. */
function shortened(reason: string): string {
  return Buffer.byteLength(reason) <= 120 ? reason : `${reason.slice(0, 30)}…`;
}

export class SocketOutlet implements Outlet, AskedConnection {
  readonly #socket: WebSocket<SocketData>;
  readonly #handler: SocketHandler;
  readonly #limit: number;
  readonly messageLimit: number;
  #state: 'open' | 'ending' | 'closed' = 'open';
  #farewell: NodeJS.Timeout | null = null;

  constructor(socket: WebSocket<SocketData>, { bufferLimit, messageLimit }: SocketRoute) {
    this.#socket = socket;
    this.#handler = socket.getUserData().handler;
    this.#limit = bufferLimit;
    this.messageLimit = messageLimit;
  }

  get holder(): string {
    return this.#handler.holder;
  }

  send(text: string): void {
    if (this.#state !== 'open') return;
    this.#socket.send(text);
    if (this.#socket.getBufferedAmount() <= this.#limit) return;
    this.end(CLOSE.tryAgain, 'Messages were not read fast enough (WEBSOCKETS_BUFFER_MAX_SIZE).');
  }

  end(code: number, reason: string): void {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    // A client that does not read never receives the close frame.
    this.#farewell = setTimeout(() => this.#cut(), FAREWELL_MS);
    this.#socket.end(code, shortened(reason));
  }

  ask(by: Sign): boolean {
    if (this.#state !== 'open') return false;
    if (by === 'message') return this.#handler.sendPing();
    this.#socket.ping();
    return true;
  }

  cut(reason: string): void {
    this.end(CLOSE.tryAgain, reason);
    this.#cut();
  }

  /** Marks the connection as closed. */
  closed(): void {
    this.#state = 'closed';
    if (this.#farewell !== null) clearTimeout(this.#farewell);
  }

  #cut(): void {
    if (this.#state === 'ending') this.#socket.close();
  }
}

/** Passes a message to its handler, unless its holder exceeds its share of the memory. */
function handle({ handler, outlet, memory }: SocketData, message: Uint8Array): void {
  let giveBack: () => void;
  try {
    giveBack = memory.take(handler.holder, message);
  } catch {
    outlet?.end(CLOSE.tryAgain, 'Messages need more memory than is free for you now.');
    return;
  }
  handler.message(Buffer.from(message).toString()).finally(giveBack);
}

/** The open connections of all routes. */
export interface OpenConnections {
  readonly all: Set<SocketData>;
  readonly halfSent: HalfSentMessages;
}

/** The WebSocket options of a route for the library; the server adds the handler of upgrades. */
export function behaviorOf(
  route: SocketRoute,
  { all, halfSent }: OpenConnections,
): WebSocketBehavior<SocketData> {
  const heard = ({ outlet }: SocketData, sign: Sign) => {
    if (outlet !== null) halfSent.heard(outlet, sign);
  };
  return {
    maxPayloadLength: route.messageLimit,
    // No message is dropped silently: the outlet closes the connection instead.
    maxBackpressure: 0,
    idleTimeout: IDLE_S,
    sendPingsAutomatically: true,
    open(socket) {
      const data = socket.getUserData();
      data.outlet = new SocketOutlet(socket, route);
      all.add(data);
      data.handler.opened(data.outlet);
    },
    message(socket, message, isBinary) {
      const data = socket.getUserData();
      heard(data, 'message');
      if (isBinary) data.outlet?.end(CLOSE.unsupported, 'Messages are texts.');
      else handle(data, new Uint8Array(message));
    },
    pong: (socket) => heard(socket.getUserData(), 'frame'),
    close(socket) {
      const data = socket.getUserData();
      all.delete(data);
      heard(data, 'message');
      data.memory.release();
      data.outlet?.closed();
      data.handler.closed();
    },
  };
}
