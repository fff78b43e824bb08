/** Responses with server-sent events (HTML Living Standard, 9.2). */

import type { Request } from './request.ts';
import type { Pieces, Response } from './response.ts';
import { leave } from './send-response.ts';

/** One event. Line breaks are preserved in `data` and become spaces elsewhere. */
export interface ServerEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data: string;
}

/** A comment: signals proxies and the client that the stream is active. */
const COMMENT = ':\n\n';

/** Milliseconds without an event after which a comment is sent. */
const KEEP_ALIVE = 15_000;

/**
 * Streams events until they end or the client disconnects; then calls `return()` on their source. A
 * source that may wait long should also observe `request.signal`.
 */
export function eventStream(
  request: Request,
  events: AsyncIterable<ServerEvent>,
  keepAlive = KEEP_ALIVE,
): Response & { readonly body: Pieces } {
  return {
    status: 200,
    // X-Accel-Buffering keeps nginx from buffering events.
    headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
    body: pieces(events[Symbol.asyncIterator](), request.signal, keepAlive),
    endless: true,
  };
}

async function* pieces(
  source: AsyncIterator<ServerEvent>,
  signal: AbortSignal,
  keepAlive: number,
): AsyncGenerator<string> {
  try {
    // Sends the head immediately, so that the client detects the connection.
    yield COMMENT;
    let next = ask(source);
    while (!signal.aborted) {
      const result = await soon(next, signal, keepAlive);
      if (result === null) {
        yield COMMENT;
      } else {
        if (result.done === true) return;
        yield encode(result.value);
        next = ask(source);
      }
    }
  } finally {
    leave(source);
  }
}

/** Reads the next event. Its failure counts as handled even when the client disconnects first. */
function ask(source: AsyncIterator<ServerEvent>): Promise<IteratorResult<ServerEvent>> {
  const next = source.next();
  next.catch(() => undefined);
  return next;
}

/** The awaited value; null after a timeout or when the signal is aborted. */
function soon<T>(work: Promise<T>, signal: AbortSignal, limit: number): Promise<T | null> {
  const { promise, resolve, reject } = Promise.withResolvers<T | null>();
  const giveUp = () => resolve(null);
  const timer = setTimeout(giveUp, limit);
  signal.addEventListener('abort', giveUp);
  work.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}

function encode({ event, id, data }: ServerEvent): string {
  const lines: string[] = [];
  if (event !== undefined) lines.push(`event: ${oneLine(event)}`);
  if (id !== undefined) lines.push(`id: ${oneLine(id)}`);
  for (const line of data.split(/\r\n|\r|\n/)) lines.push(`data: ${line}`);
  return `${lines.join('\n')}\n\n`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, ' ');
}
