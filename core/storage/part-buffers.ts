/**
 * The memory in which parts of files wait for their transfer to S3: a fixed number of buffers for all
 * uploads of a process. Who gets none waits, and reads nothing from his client meanwhile.
 */
import { unavailable } from '#core/errors/service-error.ts';

/** Free buffers that are kept; new ones cost time to clear. */
const KEPT = 2;
/** Seconds after which a client may send its file again. */
const RETRY_AFTER_S = 10;

/** A buffer that belongs to one upload until it is released. */
export interface PartBuffer {
  readonly bytes: Buffer;
  /** Whether another upload has waited too long while this one fills its buffer. */
  isDue(): boolean;
  release(): void;
}

export interface PartBufferOptions {
  /** Bytes of one buffer. */
  readonly size: number;
  /** Number of buffers. */
  readonly max: number;
  /** Milliseconds that an upload waits for a buffer. */
  readonly wait: number;
}

export class PartBuffers {
  readonly #options: PartBufferOptions;
  readonly #free: Buffer[] = [];
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(options: PartBufferOptions) {
    this.#options = options;
  }

  /** Bytes of a buffer. */
  get size(): number {
    return this.#options.size;
  }

  /**
   * Waits for a buffer, in the order of the calls.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when there is none in time
   */
  async acquire(): Promise<PartBuffer> {
    if (this.#used >= this.#options.max) await this.#turn();
    else this.#used += 1;
    const bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#options.size);
    const since = performance.now();
    let isReleased = false;
    return {
      bytes,
      // A client that sends very slowly must not keep the others from sending.
      isDue: () => this.#waiting.length > 0 && performance.now() - since > this.#options.wait / 2,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        if (this.#free.length < KEPT) this.#free.push(bytes);
        const next = this.#waiting.shift();
        if (next === undefined) this.#used -= 1;
        else next();
      },
    };
  }

  /** Waits until somebody else hands over his buffer. */
  async #turn(): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(turn.resolve), 1);
      turn.reject(tooBusy());
    }, this.#options.wait);
    this.#waiting.push(turn.resolve);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Too many files arrive at the same time. */
export function tooBusy(): Error {
  const reason = 'Too many files arrive at the same time, or this one arrives too slowly.';
  return unavailable('storage', reason, { retryAfter: RETRY_AFTER_S });
}
