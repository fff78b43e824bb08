/**
 * The HTTP server of an edge. One wrapper around every request ensures that neither a route nor a
 * client can end the process or leak resources.
 */
import { createServer as createProbe } from 'node:net';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { ProcessMemory } from '#core/base/holders/process-memory.ts';
import { type JsonBounds, UNBOUNDED } from '#core/base/json/json-bounds.ts';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { isTracing, RequestSpan } from '#core/base/tracing/span.ts';
import { CorkHolder } from './cork-holder.ts';
import type { Cors } from './cors.ts';
import { Exchange, type ExchangeSettings } from './exchange.ts';
import { failureOf } from './failure-response.ts';
import { HalfSentMessages } from './half-sent.ts';
import { HEADERS_MAX_SIZE } from './header-limit.ts';
import { MessageMemory } from './message-memory.ts';
import { AnswerCutError, ClientGoneError, type Request } from './request.ts';
import { countsWithoutRoute } from './request-counts.ts';
import type { Handler, Response } from './response.ts';
import { StandardHeaders } from './response-header.ts';
import { leave, sendPieces, sendWhole } from './send-response.ts';
import type { SendTimeouts } from './send-timeouts.ts';
import {
  App,
  closeListenSocket,
  EXCLUSIVE_PORT,
  type HttpRequest,
  type HttpResponse,
  type ListenSocket,
  localPort,
  SHARED_PORT,
  type SocketContext,
} from './uwebsockets.ts';
import {
  behaviorOf,
  CLOSE,
  type SocketData,
  type SocketHandler,
  type SocketOutlet,
  type SocketRoute,
} from './web-socket.ts';

export interface ServerOptions {
  /** Answers all requests, usually {@link Router.handle} with logic that all routes share. */
  readonly handler: Handler;
  readonly log: Log;
  /** BODY_MAX_SIZE in bytes. */
  readonly bodyLimit: number;
  /** Limits on the content of a JSON body; none by default. */
  readonly jsonBounds?: JsonBounds;
  /** Long responses are compressed for clients that accept it; off by default. */
  readonly compresses?: boolean;
  /** Which origins may use the server from web pages; no other origin by default. */
  readonly cors?: Cors;
  /** How slowly clients may read responses; by default an hour, and a minute without reading. */
  readonly sendTimeouts?: SendTimeouts;
  /** ACCESS_LOG; off by default. */
  readonly accessLog?: boolean;
  /** Headers of every response besides the standard ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Texts that no response may contain, not even the message of an error. */
  readonly secrets?: readonly string[];
  /** The memory that requests share; by default that of this process, for this server alone. */
  readonly memory?: ProcessMemory;
  /** How long (ms) a body may take that arrives too slowly; by default twenty seconds. */
  readonly bodyPatience?: number;
  /** The client's address from proxy headers; by default the address of the peer. */
  readonly ipOf?: (request: Request) => string | null;
  /** The paths of WebSockets; no path by default. */
  readonly sockets?: readonly SocketRoute[];
}

/** How long draining may take, in milliseconds. */
export interface DrainOptions {
  /**
   * For this time the port stays open while responses request clients to close their connections,
   * so that they connect to another edge. It ends early when all clients have disconnected.
   */
  readonly linger?: number;
  /** Afterwards running requests get this time to finish before their connections are closed. */
  readonly limit?: number;
}

export interface Server {
  /**
   * Begins to listen.
   * @param port 0 for any free one
   * @param shared other processes listen on the same port and the system distributes connections
   * @returns the port
   * @throws {Error} naming PORT or HOST when the server cannot listen
   */
  listen(host: string, port: number, shared: boolean): Promise<number>;
  /** Stops accepting requests, waits for running ones, and closes everything. */
  drain(options?: DrainOptions): Promise<void>;
  /** Closes everything at once. */
  close(): void;
}

/** The log entry for the end of a request. */
interface Outcome {
  readonly level: 'debug' | 'warn' | 'error';
  readonly error?: unknown;
}

const BODY_PATIENCE_MS = 20_000;
const SEND_TIMEOUTS: SendTimeouts = { idle: 60_000, total: 3_600_000 };

function headersTooLarge(): ServiceError {
  const limit = HEADERS_MAX_SIZE;
  const why = reason('headers_too_large', { limit });
  return new ServiceError('HEADERS_TOO_LARGE', { reason: why, limit });
}

/**
 * Whether the header Connection contains "upgrade" (RFC 6455, 4.2.1). The library does not check
 * this. It closes a connection with "close" in the middle of its upgrade.
 */
function asksForUpgrade(request: Request): boolean {
  const options = (request.header('connection') ?? '').toLowerCase().split(/[ \t]*,[ \t]*/);
  return options.includes('upgrade');
}

const SUCCESS: Outcome = { level: 'debug' };

/** Makes a server that does not listen yet. */
export function createServer(options: ServerOptions): Server {
  return new HttpServer(options);
}

class HttpServer implements Server {
  readonly #options: ServerOptions;
  readonly #settings: ExchangeSettings;
  readonly #app = App();
  /** Null when no WebSockets are served. */
  readonly #corkHolder: CorkHolder | null;
  #listening: ListenSocket | null = null;
  #closed = false;
  #draining = false;
  /** Requests whose response is not complete yet. */
  #running = 0;
  #connections = 0;
  readonly #sockets = new Set<SocketData>();
  readonly #halfSent: HalfSentMessages;
  readonly #readings: readonly (() => void)[];
  /** Called when a request ended or a connection closed. */
  #onQuieter: (() => void) | null = null;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#settings = {
      bodyLimit: options.bodyLimit,
      jsonBounds: options.jsonBounds ?? UNBOUNDED,
      standard: new StandardHeaders(options.headers),
      compresses: options.compresses ?? false,
      sendTimeouts: options.sendTimeouts ?? SEND_TIMEOUTS,
      accessLog: options.accessLog ?? false,
      memory: options.memory ?? new ProcessMemory(),
      bodyPatience: options.bodyPatience ?? BODY_PATIENCE_MS,
      ipOf: options.ipOf ?? (({ ip }) => ip),
    };
    // biome-ignore lint/suspicious/useIterableCallbackReturn: no array's, it counts connections
    this.#app.filter((_, change) => {
      this.#connections += change;
      if (change < 0) this.#onQuieter?.();
    });
    this.#readings = [
      metrics.reading('sluice_http_requests_in_progress', () => [[{}, this.#running]]),
      metrics.reading('sluice_http_connections', () => [[{}, this.#connections]]),
    ];
    const { log } = options;
    this.#halfSent = new HalfSentMessages({ connections: () => this.#outlets(), log });
    const open = { all: this.#sockets, halfSent: this.#halfSent };
    const routes = options.sockets ?? [];
    this.#corkHolder = routes.length > 0 ? new CorkHolder() : null;
    for (const route of routes) {
      this.#app.ws<SocketData>(route.path, {
        ...behaviorOf(route, open),
        upgrade: (socket, request, context) => this.#upgrade(route, socket, request, context),
      });
    }
    this.#app.any('/*', (socket, request) => this.#serve(socket, request));
  }

  async listen(host: string, port: number, shared: boolean): Promise<number> {
    if ((await this.#corkHolder?.open()) === false) {
      this.#options.log.warn('the loopback interface is unusable; each WebSocket prints a warning');
    }
    const socket = await new Promise<ListenSocket | false>((resolve) => {
      this.#app.listen(host, port, shared ? SHARED_PORT : EXCLUSIVE_PORT, resolve);
    });
    if (socket === false) throw await listenFailure(host, port);
    this.#listening = socket;
    return localPort(socket);
  }

  async drain({ linger = 1_000, limit = 5_000 }: DrainOptions = {}): Promise<void> {
    this.#draining = true;
    for (const outlet of this.#outlets()) outlet.end(CLOSE.restart, 'The server restarts.');
    await this.#until(() => this.#connections <= 0, linger);
    this.#stopListening();
    await this.#until(() => this.#running <= 0, limit);
    this.close();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const remove of this.#readings) remove();
    this.#halfSent.close();
    this.#corkHolder?.close();
    this.#listening = null;
    this.#app.close();
  }

  *#outlets(): Generator<SocketOutlet> {
    for (const { outlet } of this.#sockets) if (outlet !== null) yield outlet;
  }

  #stopListening(): void {
    if (this.#listening !== null) closeListenSocket(this.#listening);
    this.#listening = null;
  }

  /** Resolves when the condition is true, or after `timeout` milliseconds. */
  async #until(condition: () => boolean, limit: number): Promise<void> {
    if (condition()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limit);
    this.#onQuieter = () => {
      if (condition()) resolve();
    };
    await promise;
    this.#onQuieter = null;
    clearTimeout(timer);
  }

  /**
   * Begins a request. It must attach an abort handler before it returns, and its errors would be
   * unhandled.
   */
  #begin(socket: HttpResponse, request: HttpRequest): Exchange | null {
    let exchange: Exchange | null = null;
    socket.onAborted(() => {
      try {
        exchange?.disconnect();
      } catch (error) {
        this.#options.log.error({ err: error }, 'could not handle the end of a connection');
      }
    });
    try {
      exchange = new Exchange(socket, request, this.#settings);
    } catch (error) {
      this.#options.log.error({ err: error }, 'could not read a request');
      socket.close();
      return null;
    }
    this.#running++;
    return exchange;
  }

  /** Turns the connection of a request into a WebSocket, unless its route refuses that. */
  #upgrade(
    route: SocketRoute,
    socket: HttpResponse,
    request: HttpRequest,
    context: SocketContext,
  ): void {
    const current = this.#begin(socket, request);
    if (current === null) return;
    const [key, extensions] = ['sec-websocket-key', 'sec-websocket-extensions'].map(
      (name) => current.header(name) ?? '',
    );
    const offered = (current.header('sec-websocket-protocol') ?? '').split(/ *, */);
    const protocol =
      route.protocol !== null && offered.includes(route.protocol) ? route.protocol : '';
    const admitted = (handler: SocketHandler) => {
      if (current.aborted) handler.closed();
      else {
        const memory = new MessageMemory(this.#settings.memory);
        const data: SocketData = { handler, outlet: null, memory };
        const upgrade = () => socket.upgrade(data, key ?? '', protocol, extensions ?? '', context);
        this.#corkHolder?.run(upgrade);
      }
      this.#end(current, 101);
    };
    try {
      if (current.headSize > HEADERS_MAX_SIZE) throw headersTooLarge();
      // The address is no longer available once the connection is a WebSocket.
      if (current.ip === '') throw new ClientGoneError();
      if (!asksForUpgrade(current)) {
        throw invalidPayload(reason('websocket_connection_header'));
      }
      route
        .admit(current)
        .then(admitted)
        .catch((error: unknown) => this.#fail(current, error));
    } catch (error) {
      this.#fail(current, error);
    }
  }

  #serve(socket: HttpResponse, request: HttpRequest): void {
    const current = this.#begin(socket, request);
    if (current === null) return;
    try {
      if (current.ambiguous) throw invalidPayload(reason('body_length_ambiguous'));
      if (current.headSize > HEADERS_MAX_SIZE) throw headersTooLarge();
      const { cors, handler } = this.#options;
      const handle = () => cors?.admit(current) ?? handler(current);
      if (isTracing()) {
        const { method, id } = current;
        current.span = new RequestSpan(method, current.header('traceparent'), id);
      }
      const answer = current.span === null ? handle() : current.span.run(handle);
      if (answer instanceof Promise) {
        answer.then(
          (response) => this.#answer(current, response),
          (error: unknown) => this.#fail(current, error),
        );
      } else {
        this.#answer(current, answer);
      }
    } catch (error) {
      this.#fail(current, error);
    }
  }

  #answer(exchange: Exchange, response: Response): void {
    exchange.worked();
    if (exchange.defers(() => this.#answer(exchange, response))) return;
    try {
      const { body } = response;
      const buffered = body === undefined || body === null || typeof body === 'string';
      if (buffered || body instanceof Uint8Array) {
        if (exchange.aborted) this.#end(exchange, response.status);
        else this.#endSent(exchange, this.#send(exchange, response, body ?? ''));
      } else if (exchange.aborted) {
        leave(body[Symbol.asyncIterator]());
        this.#end(exchange, response.status);
      } else {
        sendPieces(exchange, response, body, this.#draining).then(
          () => this.#end(exchange, response.status),
          (error: unknown) => this.#fail(exchange, error),
        );
      }
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #send(exchange: Exchange, response: Response, body: string | Uint8Array) {
    const sent = sendWhole(exchange, response, body, this.#draining);
    const { release } = response;
    if (release === undefined) return sent;
    if (typeof sent !== 'number') return sent.finally(release);
    release();
    return sent;
  }

  #fail(exchange: Exchange, error: unknown): void {
    exchange.worked();
    if (exchange.defers(() => this.#fail(exchange, error))) return;
    const { secrets = [] } = this.#options;
    try {
      const { response, unexpected } = failureOf(error, exchange.revealing ? secrets : null);
      const { status, body } = response;
      const cut = exchange.aborted || exchange.answered;
      const level = unexpected ? 'error' : exchange.aborted || status < 500 ? 'debug' : 'warn';
      if (!cut && typeof body === 'string') {
        const sent = sendWhole(exchange, response, body, this.#draining);
        this.#endSent(exchange, sent, { level, error });
        return;
      }
      const disconnected = exchange.aborted && isDisconnect(error);
      if (!exchange.aborted) exchange.socket.close();
      this.#end(exchange, status, disconnected ? undefined : { level, error });
    } catch (failure) {
      this.#giveUp(exchange, failure, error);
    }
  }

  /** Ends a request whose response was sent, or is being compressed for sending. */
  #endSent(exchange: Exchange, sent: number | Promise<number>, outcome?: Outcome): void {
    if (typeof sent === 'number') {
      this.#end(exchange, sent, outcome);
    } else {
      sent.then(
        (status) => this.#end(exchange, status, outcome),
        (failure: unknown) => {
          if (exchange.aborted && isDisconnect(failure)) this.#end(exchange, 200, outcome);
          else this.#giveUp(exchange, failure, outcome?.error);
        },
      );
    }
  }

  /** Even the error cannot be sent, because one of its headers is invalid. */
  #giveUp(exchange: Exchange, failure: unknown, cause: unknown): void {
    this.#options.log.error({ request: exchange.id, err: failure, cause });
    if (!exchange.aborted) exchange.socket.close();
    this.#end(exchange, 500);
  }

  /**
   * Called once for each request when it is over. The query is not logged, because it may contain a
   * token.
   */
  #end(exchange: Exchange, status: number, outcome: Outcome = SUCCESS): void {
    this.#running--;
    this.#onQuieter?.();
    if (exchange.aborted) exchange.release();
    exchange.end();
    const { log } = this.#options;
    const { level, error } = outcome;
    const { id, method, path, started, aborted } = exchange;
    const time = performance.now() - started;
    const counts = exchange.counts ?? countsWithoutRoute(method);
    counts.count(aborted ? null : status, time);
    exchange.span?.end(method, counts.route, aborted ? null : status);
    const trace = exchange.span === null ? {} : { trace: exchange.span.traceId };
    const ms = Math.round(time * 100) / 100;
    if (this.#settings.accessLog) {
      const { bytes, user } = exchange;
      const state = aborted ? 'aborted' : status;
      log.info(
        { request: id, ...trace, method, route: counts.route, status: state, ms, bytes, user },
        'access',
      );
    }
    if (!log.isLevelEnabled(level)) return;
    const end = aborted ? { aborted } : { status };
    const cause = level === 'debug' ? {} : { err: error };
    log[level]({ request: id, ...trace, method, path, ...end, ms, ...cause }, 'request');
  }
}

/** An error that only reports a closed connection. */
function isDisconnect(error: unknown): boolean {
  if (error instanceof ClientGoneError || error instanceof AnswerCutError) return true;
  return error instanceof Error && error.name === 'AbortError';
}

/** The library reports only the failure; the same attempt with Node returns the system's reason. */
async function listenFailure(host: string, port: number): Promise<Error> {
  const code = await new Promise<string>((resolve) => {
    const probe = createProbe();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve('EADDRINUSE')));
  });
  if (code === 'EADDRINUSE') return new Error(`PORT: ${port} is already in use on ${host}`);
  if (code === 'EACCES') return new Error(`PORT: this user may not listen on ${port}`);
  return new Error(`HOST: cannot listen on ${host} port ${port} (${code})`);
}
