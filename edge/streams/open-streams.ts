/**
 * The open streams of this edge: lists, exports and events that are still being sent. Revoking a
 * permission or ending a session closes the affected streams with `cut`.
 */

import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import type { HealthChecks } from '#core/base/process/health-check.ts';
import type { Request } from '#edge/http/request.ts';
import type { Pieces } from '#edge/http/response.ts';

/** The content of a stream, and its caller. */
export interface StreamFacts {
  readonly kind: 'items' | 'events';
  /** The caller when the response began. */
  readonly caller: Caller;
  /** The collection that is read, possibly with related ones; null for events. */
  readonly collection: string | null;
  /** When its request arrived, by `performance.now()`; its permissions were loaded later. */
  readonly since: number;
  /**
   * Authenticates the same credentials again.
   * @throws ServiceError when they are no longer valid
   */
  again(): Promise<Caller>;
}

/** One open stream. */
export interface OpenStream extends StreamFacts {
  /**
   * Ends the stream immediately: closes the connection without the last chunk, and stops its work.
   */
  cut(reason: string): void;
}

type Piece = string | Uint8Array;

export class OpenStreams implements Iterable<OpenStream> {
  readonly #open = new Set<OpenStream>();
  readonly #heard = new Set<(stream: OpenStream) => void>();

  constructor() {
    metrics.reading('sluice_streams_open', () =>
      (['items', 'events'] as const).map((kind) => [
        { kind },
        [...this.#open].filter((stream) => stream.kind === kind).length,
      ]),
    );
  }

  /** A snapshot of all open streams; some may have ended in the meantime. */
  [Symbol.iterator](): Iterator<OpenStream> {
    return [...this.#open][Symbol.iterator]();
  }

  /** The open streams of a user, or of an anonymous address. */
  of(caller: Pick<Caller, 'user' | 'ip'>): readonly OpenStream[] {
    const holder = quotaKeyOf(caller);
    return [...this.#open].filter((stream) => quotaKeyOf(stream.caller) === holder);
  }

  /**
   * The number of open streams as health checks.
   * @param most maximum of concurrent streams with items
   */
  checks(most: number): HealthChecks {
    const count = (wanted: StreamFacts['kind']) =>
      [...this.#open].filter(({ kind }) => kind === wanted).length;
    const items = count('items');
    const facts = { componentType: 'component', observedUnit: 'streams' } as const;
    const full = {
      output: 'Further exports and long lists wait or are answered 503 (STREAM_MAX).',
    };
    return {
      streams: [
        {
          status: items < most ? 'ok' : 'warn',
          ...{ ...facts, componentId: 'items', observedValue: items, threshold: most },
          ...(items < most ? {} : full),
        },
        { status: 'ok', ...facts, componentId: 'events', observedValue: count('events') },
      ],
    };
  }

  /** Calls the handler for each stream that is opened, until the returned function is called. */
  onOpen(handler: (stream: OpenStream) => void): () => void {
    this.#heard.add(handler);
    return () => {
      this.#heard.delete(handler);
    };
  }

  /**
   * The pieces of a response, which is registered until they end or are no longer read.
   * @throws ServiceError SERVICE_UNAVAILABLE for items when the stream is ended before it begins
   */
  listed(request: Pick<Request, 'signal' | 'cut'>, facts: StreamFacts, pieces: Pieces): Pieces {
    let begun = false;
    let refusal: string | null = null;
    const cut = (fault: string) => {
      if (begun || facts.kind === 'events') request.cut(fault);
      else refusal = fault;
    };
    const stream: OpenStream = { ...facts, cut };
    const remove = () => {
      this.#open.delete(stream);
      request.signal.removeEventListener('abort', remove);
    };
    this.#open.add(stream);
    // Pieces that were never read do not report their end otherwise.
    request.signal.addEventListener('abort', remove);
    if (request.signal.aborted) remove();
    else for (const handler of this.#heard) handler(stream);
    begun = true;
    if (refusal !== null) {
      remove();
      discard(pieces);
      throw unavailable('rights', reason('answer_ended_early', { fault: refusal }));
    }
    return { [Symbol.asyncIterator]: () => watched(pieces[Symbol.asyncIterator](), remove) };
  }
}

/**
 * Releases the resources of unread pieces, because a generator that has not begun does not do that
 * itself.
 */
function discard(pieces: Pieces): void {
  const iterator = pieces[Symbol.asyncIterator]();
  const end = () => iterator.return?.();
  iterator
    .next()
    .then(end, end)
    .catch(() => undefined);
}

/**
 * The same pieces; reports when they have ended. Not a generator, so that `return()` calls the
 * source.
 */
function watched(source: AsyncIterator<Piece>, ended: () => void): AsyncIterator<Piece> {
  return {
    async next() {
      try {
        const result = await source.next();
        if (result.done === true) ended();
        return result;
      } catch (error) {
        ended();
        throw error;
      }
    },
    async return() {
      ended();
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}
