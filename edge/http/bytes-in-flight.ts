/**
 * Counts the bytes of long answers that this process holds until their clients have taken them. A
 * client may be as slow as it likes, so that answers are refused while there is no room for more.
 */
import { unavailable } from '#core/errors/service-error.ts';

/** Most bytes of all long answers together. */
const BYTES_MAX = 268_435_456;
/** Seconds after which it is worth asking again. */
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
   * @returns lets them go, once
   * @throws ServiceError SERVICE_UNAVAILABLE when there is no room
   */
  hold(size: number): () => void {
    if (this.#held + size > this.#most) {
      const reason = 'Too much of other answers waits for clients that read slowly.';
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

/** Those of this process. */
export const bytesInFlight = new BytesInFlight();
