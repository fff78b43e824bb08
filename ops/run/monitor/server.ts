/**
 * The HTTP server of the monitor: it has few routes and one user, so Node's own server is
 * sufficient.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { clientIpResolver } from '#core/access/client-ip.ts';
import type { Log } from '#core/base/log/log.ts';
import { type MonitorRequest, type MonitorResponse, PAGE_HEADERS, text } from './http.ts';

/** Answers a request; null when it is for another route. */
export type MonitorRoute = (request: MonitorRequest) => Promise<MonitorResponse | null>;

/** No route reads a body, so the server does not wait for a long one. */
const BODY_MAX_SIZE = 65_536;
const REQUEST_WITHIN_MS = 10_000;

/**
 * Foreign pages must not change anything, although the browser sends the password with their
 * requests.
 */
function isForeign({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}

interface MonitorServerOptions {
  readonly host: string;
  readonly port: number;
  /** Determines the client's address. */
  readonly clientIp: ReturnType<typeof clientIpResolver>;
  readonly log: Log;
}

function requestOf(
  incoming: IncomingMessage,
  { clientIp }: MonitorServerOptions,
): MonitorRequest | null {
  const { method = 'GET', url = '/', headers, socket } = incoming;
  if (!URL.canParse(url, 'http://monitor')) return null;
  const { pathname, searchParams: query } = new URL(url, 'http://monitor');
  const header = (name: string) => headers[name]?.toString();
  const ip = clientIp({ ip: socket.remoteAddress ?? '', header }) ?? '';
  return { method, path: pathname, query, headers, ip };
}

async function answer(
  routes: readonly MonitorRoute[],
  incoming: IncomingMessage,
  options: MonitorServerOptions,
) {
  if (Number(incoming.headers['content-length'] ?? 0) > BODY_MAX_SIZE) {
    return text(413, 'The body is too long.');
  }
  incoming.resume();
  const request = requestOf(incoming, options);
  if (request === null) return text(400, 'The address cannot be read.');
  if (isForeign(incoming)) return text(403, 'Only pages of the monitor may change something.');
  for (const route of routes) {
    const response = await route(request);
    if (response !== null) return response;
  }
  return text(404, 'There is no such page.');
}

function send(outgoing: ServerResponse, { status, type, body, headers }: MonitorResponse): void {
  outgoing.writeHead(status, {
    ...PAGE_HEADERS,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  outgoing.end(body);
}

/**
 * Listens until the server is closed.
 * @param routes tried in this order
 */
export async function serveMonitor(
  routes: readonly MonitorRoute[],
  options: MonitorServerOptions,
): Promise<Server> {
  const { host, port, log } = options;
  const server = createServer({ requestTimeout: REQUEST_WITHIN_MS }, (incoming, outgoing) => {
    answer(routes, incoming, options)
      .catch((error: unknown) => {
        log.warn({ err: error, path: incoming.url?.split('?')[0] }, 'a page of the monitor failed');
        return text(503, 'The monitor cannot answer this right now; its log says why.');
      })
      .then((response) => send(outgoing, response))
      .catch(() => outgoing.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
