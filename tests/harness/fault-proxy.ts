/**
 * An HTTP proxy in front of an edge that injects faults like those of networks, proxies and busy
 * servers. Each request gets the next fault, and requests after the last fault pass.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Teardown } from './database.ts';

export type Fault =
  /** The proxy responds; the edge does not receive the request. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is reset before the edge receives the request, or after it has responded. */
  | { readonly reset: 'before' | 'after' }
  /** Only this many bytes of the response body arrive. */
  | { readonly truncate: number }
  /** The edge processes the request, but its response never arrives, or only its headers arrive. */
  | { readonly hang: 'answer' | 'body' }
  | { readonly delay: number }
  | null;

export interface FaultProxy {
  readonly url: string;
  /** The requests that arrived at the proxy: method and path. */
  readonly seen: readonly string[];
  /** The responses of the edge: method, status, and the text of refusals. */
  readonly answers: readonly string[];
  /** The faults of the next requests, in their order. */
  next(...faults: readonly Fault[]): void;
  /** Clears the lists of requests and responses. */
  forget(): void;
}

/** Listens immediately; ends with the test. */
export async function startFaultProxy(t: Teardown, target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const faults: Fault[] = [];
  const seen: string[] = [];
  const answers: string[] = [];

  function note(method: string | undefined, answer: IncomingMessage): void {
    const status = answer.statusCode ?? 0;
    const at = answers.push(`${method} ${status}`) - 1;
    if (status < 400) return;
    answer.on('data', (chunk: Buffer) => {
      answers[at] += ` ${chunk.toString()}`;
    });
  }

  function forward(from: IncomingMessage, to: ServerResponse, fault: Fault): void {
    const { method, url: path } = from;
    // The client's Connection header does not apply to our connection (RFC 9110, 7.6.1): with it,
    // the edge would close a connection that is reused.
    const { connection: _, ...headers } = from.headers;
    const upstream = request({ hostname, port, method, path, headers }, (answer) => {
      note(method, answer);
      const kind = fault ?? {};
      if ('reset' in kind) {
        answer.resume();
        answer.on('end', () => to.socket?.resetAndDestroy());
        return;
      }
      if ('hang' in kind && kind.hang === 'answer') return void answer.resume();
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      if ('hang' in kind) {
        to.flushHeaders();
        answer.resume();
      } else if (fault !== null && 'truncate' in fault) {
        answer.once('data', (chunk: Buffer) => {
          to.write(chunk.subarray(0, fault.truncate), () => to.socket?.destroy());
        });
      } else answer.pipe(to);
    });
    upstream.on('error', ({ message }) => {
      answers.push(`${method} ${message}`);
      to.destroy();
    });
    from.on('error', () => upstream.destroy());
    from.pipe(upstream);
  }

  const server = createServer((from, to) => {
    seen.push(`${from.method} ${from.url}`);
    const fault = faults.shift() ?? null;
    if (fault !== null && 'status' in fault) {
      from.resume();
      to.writeHead(fault.status, fault.headers).end('<h1>not now</h1>');
    } else if (fault !== null && 'reset' in fault && fault.reset === 'before') {
      from.socket.resetAndDestroy();
    } else if (fault !== null && 'delay' in fault) {
      setTimeout(() => forward(from, to, null), fault.delay);
    } else forward(from, to, fault);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    seen,
    answers,
    next: (...more) => faults.push(...more),
    forget() {
      seen.length = 0;
      answers.length = 0;
    },
  };
}
