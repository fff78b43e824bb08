/**
 * An HTTP proxy before an edge that spoils answers as networks, proxies and busy servers do: one
 * request after the other gets the next fault, and all that follow pass.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Teardown } from './database.ts';

export type Fault =
  /** Answered here; the edge never hears of it. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection is reset before the edge hears of it, or when it has answered. */
  | { readonly reset: 'before' | 'after' }
  /** Only so many bytes of the body of the answer arrive. */
  | { readonly truncate: number }
  /** The edge does it, and no answer ever arrives; or only its headers do. */
  | { readonly hang: 'answer' | 'body' }
  | { readonly delay: number }
  | null;

export interface FaultProxy {
  readonly url: string;
  /** What reached the proxy: method and path. */
  readonly seen: readonly string[];
  /** What the edge answered to that: method, status, and the text of what it refused. */
  readonly answers: readonly string[];
  /** The faults of the next requests, in their order. */
  next(...faults: readonly Fault[]): void;
  /** Begins new lists of what was seen and answered. */
  forget(): void;
}

/** Listens at once; ends with the test. */
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
    // What the client says of its connection is not said of ours (RFC 9110, 7.6.1): the edge would
    // close one that is used again.
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
