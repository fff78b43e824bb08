/**
 * The answers of this edge that are being sent piece by piece: lists, exports and events. Who takes
 * rights away, or ends a session, finds here what has to end with them, and calls `cut`.
 */
import type { Caller } from '#core/access/grants.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { unavailable } from '#core/errors/service-error.ts';
import type { Request } from '#edge/http/request.ts';
import type { Pieces } from '#edge/http/response.ts';

/** What an answer is and whose. */
export interface StreamFacts {
  readonly kind: 'items' | 'events';
  /** As the caller was when the answer began. */
  readonly caller: Caller;
  /** The collection that is read; what is related to it may be read, too. Null for events. */
  readonly collection: string | null;
  /** When its request came in, on the clock of `performance.now()`: its rights are no older. */
  readonly since: number;
  /**
   * The caller that the same credentials make now.
   * @throws ServiceError when they make none any more
   */
  again(): Promise<Caller>;
}

/** One answer that is being sent. */
export interface OpenStream extends StreamFacts {
  /** Ends it at once, by closing the connection without the last chunk, and all work for it. */
  cut(reason: string): void;
}

type Piece = string | Uint8Array;

export class OpenStreams implements Iterable<OpenStream> {
  readonly #open = new Set<OpenStream>();
  readonly #heard = new Set<(stream: OpenStream) => void>();

  /** All that are open now; those that end meanwhile may still be among them. */
  [Symbol.iterator](): Iterator<OpenStream> {
    return [...this.#open][Symbol.iterator]();
  }

  /** The open ones of a user, or, without one, of an anonymous address. */
  of(caller: Pick<Caller, 'user' | 'ip'>): readonly OpenStream[] {
    const holder = quotaKeyOf(caller);
    return [...this.#open].filter((stream) => quotaKeyOf(stream.caller) === holder);
  }

  /** Hears of each that is opened until the returned function is called. */
  onOpen(handler: (stream: OpenStream) => void): () => void {
    this.#heard.add(handler);
    return () => {
      this.#heard.delete(handler);
    };
  }

  /**
   * The pieces of an answer, which is listed from now on until they end or nobody wants them.
   * @throws ServiceError SERVICE_UNAVAILABLE for items that end before they began
   */
  listed(request: Pick<Request, 'signal' | 'cut'>, facts: StreamFacts, pieces: Pieces): Pieces {
    let begun = false;
    let refusal: string | null = null;
    const cut = (reason: string) => {
      if (begun || facts.kind === 'events') request.cut(reason);
      else refusal = reason;
    };
    const stream: OpenStream = { ...facts, cut };
    const remove = () => {
      this.#open.delete(stream);
      request.signal.removeEventListener('abort', remove);
    };
    this.#open.add(stream);
    // Pieces that were never begun hear of nothing else.
    request.signal.addEventListener('abort', remove);
    if (request.signal.aborted) remove();
    else for (const handler of this.#heard) handler(stream);
    begun = true;
    if (refusal !== null) {
      remove();
      discard(pieces);
      throw unavailable('rights', refusal);
    }
    return { [Symbol.asyncIterator]: () => watched(pieces[Symbol.asyncIterator](), remove) };
  }
}

/** Lets go of what stands behind pieces that nobody gets: a generator does so only once it has begun. */
function discard(pieces: Pieces): void {
  const iterator = pieces[Symbol.asyncIterator]();
  const end = () => iterator.return?.();
  iterator
    .next()
    .then(end, end)
    .catch(() => undefined);
}

/** The same pieces; tells when they have ended. No generator: giving up must reach the source. */
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
