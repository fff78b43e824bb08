/** Requests over a bare socket, sent in pieces of any size. */
import { connect } from 'node:net';

export interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Bytes of each write; everything at once by default. */
  readonly pieces?: (left: number) => number;
  /** The body is one chunk after the other, without a length. */
  readonly chunked?: boolean;
  /** Ends the connection behind the body, without waiting. */
  readonly leave?: boolean;
}

const LIMIT_MS = 20_000;

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  if (length !== undefined) return text.length >= end + 4 + Number(length);
  return /^HTTP\/1.1 (?:204|304)/.test(text) || text.endsWith('0\r\n\r\n');
}

/** Sends a request and waits for its answer, or the end of the connection. */
export async function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  const { method, path, headers, body = Buffer.alloc(0), pieces, chunked = false } = request;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  const length: Record<string, string> = chunked
    ? { 'Transfer-Encoding': 'chunked' }
    : { 'Content-Length': String(body.length) };
  const all = { Host: 'x', ...length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  let text = '';
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    socket.setTimeout(LIMIT_MS, end);
    socket.on('error', end).on('close', end);
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
      if (isWhole(text)) end();
    });
  });
  socket.write(Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'));
  for (let from = 0; from < body.length && !socket.destroyed; ) {
    const to = Math.min(
      body.length,
      from + Math.max(1, pieces?.(body.length - from) ?? body.length),
    );
    const some = body.subarray(from, to);
    const framed = chunked
      ? Buffer.concat([Buffer.from(`${some.length.toString(16)}\r\n`), some, Buffer.from('\r\n')])
      : some;
    await new Promise<void>((resolve) => socket.write(framed, () => resolve()));
    from = to;
  }
  if (chunked) socket.write('0\r\n\r\n');
  if (request.leave !== true) await ended;
  socket.destroy();
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1] ?? 0),
    head,
    body: rest.join('\r\n\r\n'),
  };
}
