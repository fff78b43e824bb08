/**
 * Counts the bytes of long answers that this process holds for slow clients. Clients may be as slow
 * as they like, so new long answers are refused when there are too many.
 */
import { unavailable } from '#core/errors/service-error.ts';

/** Maximum bytes of all long answers together. */
const BYTES_MAX = 268_435_456;
/** Seconds after which the client should try again. */
const RETRY_AFTER = 5;

export class BytesInFlight {
  readonly #most: number;
  #held = 0;

  constructor(most = BYTES_MAX) {
    this.#most = most;
  }

  /** Bytes that are held. */
  get held(): number {
    return this.#held;
  }

  /**
   * Holds the bytes of an answer.
   * @returns releases them; works once
   * @throws ServiceError SERVICE_UNAVAILABLE when there are too many
   */
  hold(size: number): () => void {
    if (this.#held + size > this.#most) {
      const reason = 'Too many bytes of other answers wait for slow clients.';
      throw unavailable('edge', reason, { retryAfter: RETRY_AFTER });
    }
    this.#held += size;
    let holds = true;
    return () => {
      if (holds) this.#held -= size;
      holds = false;
    };
  }
}

/** The counter of this process. */
export const bytesInFlight = new BytesInFlight();
