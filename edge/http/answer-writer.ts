/**
 * Sends a response to the socket as fast as the client reads, however slow that is. The library
 * closes a connection ten seconds after a write that the system did not accept completely. It makes
 * an exception only when the system reports free space. Linux does so only when a third of its
 * buffer is free, which is some megabytes over loopback. So this file restarts that timer
 * repeatedly. To find out whether the client reads, it sends a little more: a write is complete
 * when no bytes of earlier writes are buffered.
 */
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { Exchange } from './exchange.ts';
import type { SendTimeouts } from './send-timeouts.ts';

/** Maximum bytes of one write. A client that has read this much is not idle. */
const PART = 65_536;
/** Number of checks within the idle time for whether the client reads. */
const CHECKS = 16;
/** Bytes after which a stream lets other requests run and waits for a permit. */
const QUANTUM = 262_144;
/** Streams that continue between two turns of other requests. */
const AT_A_TIME = 4;
/** Interval in milliseconds; well within the ten seconds of the library's timer. */
const PUT_OFF_MS = 4_000;
/** The longest delay that a timer accepts, in milliseconds. */
const TIMER_MAX = 2_147_483_647;

/**
 * Schedules streams fairly among holders: a thousand downloads of one holder do not delay those of
 * another holder. At most one stream of each connection waits.
 */
const permits = new FairSemaphore({ permits: AT_A_TIME });

/** Waits for a promise, unless the client disconnects. */
export function orDisconnected<T>(exchange: Exchange, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    exchange.onDisconnect = reject;
    if (exchange.aborted) reject(exchange.signal.reason);
    work.then(resolve, reject);
  });
}

export class AnswerWriter {
  readonly #exchange: Exchange;
  readonly #sendTimeouts: SendTimeouts;
  readonly #overdue: NodeJS.Timeout | undefined;
  #putOff: NodeJS.Timeout | undefined;
  /** Bytes of a response with a known length that were passed to the library. */
  #offset = 0;
  /**
   * Bytes since other requests last ran. The first yield comes early, because many streams may
   * begin together.
   */
  #sent = QUANTUM - PART;
  /**
   * The time since which the library buffers bytes that the system has not accepted; null when it
   * buffers no bytes.
   */
  #heldSince: number | null = null;

  /**
   * The head must have been written.
   * @param endless the response has no end, so its time is not limited
   */
  constructor(exchange: Exchange, endless: boolean) {
    this.#exchange = exchange;
    this.#sendTimeouts = exchange.settings.sendTimeouts;
    const whole = Math.min(this.#sendTimeouts.total, TIMER_MAX);
    if (!endless) {
      this.#overdue = setTimeout(() => exchange.cut('It took longer than STREAM_MAX_TIME.'), whole);
    }
    exchange.socket.onWritable(() => {
      // While this handler is set, the library holds the rest until the next write, which may come
      // late. The end of a cork sends it.
      exchange.socket.cork(() => undefined);
      // The library never reports a write as complete from within this call or its microtasks.
      setImmediate(() => exchange.onWritable?.());
      return true;
    });
  }

  /** Sends a piece in chunks, each as soon as the chunks before it were sent. */
  async send(piece: string | Uint8Array): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (let start = 0; start < bytes.length; start += PART) {
      await this.#part(bytes.subarray(start, start + PART));
    }
  }

  /** Sends the rest of a response with a declared length, after a part of it was sent. */
  async end(body: Uint8Array): Promise<void> {
    const { socket } = this.#exchange;
    let offset = socket.getWriteOffset();
    let since = performance.now();
    for (;;) {
      await this.#room(since);
      let ended = false;
      socket.cork(() => {
        [, ended] = socket.tryEnd(body.subarray(offset), body.length);
      });
      if (ended) return;
      const before = offset;
      offset = socket.getWriteOffset();
      if (offset > before) since = performance.now();
    }
  }

  /**
   * Sends a piece of a response with a declared length, once the client has read the pieces before
   * it.
   * @param total the length of the response, which the pieces must not exceed
   */
  async sendOf(total: number, piece: string | Uint8Array): Promise<void> {
    const { socket } = this.#exchange;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    const start = this.#offset;
    if (start + bytes.length > total)
      throw new Error('The body is longer than its announced length.');
    let since = performance.now();
    while (bytes.length > 0) {
      const before = this.#offset;
      let ended = false;
      socket.cork(() => {
        [, ended] = socket.tryEnd(bytes.subarray(before - start), total);
      });
      if (ended) {
        this.#offset = total;
        return;
      }
      this.#offset = socket.getWriteOffset();
      if (this.#offset > before) since = performance.now();
      if (this.#offset === start + bytes.length) break;
      await this.#room(since);
    }
    await this.#yield(bytes.length);
  }

  /** Ends a response with a declared length after its last piece. */
  finishOf(total: number): void {
    if (total === 0) this.#exchange.socket.cork(() => this.#exchange.socket.end(''));
    if (this.#offset < total) throw new Error('The body is shorter than its announced length.');
  }

  /** Waits until the last piece was sent, because the timer is not restarted afterwards. */
  async finish(): Promise<void> {
    const { socket } = this.#exchange;
    while (this.#heldSince !== null && !(await this.#room(performance.now()))) {
      socket.cork(() => undefined);
    }
  }

  /** Stops the timers; no more bytes are sent. */
  close(): void {
    clearTimeout(this.#overdue);
    clearInterval(this.#putOff);
    this.#exchange.onDisconnect = null;
    this.#exchange.onWritable = null;
  }

  async #part(part: Uint8Array): Promise<void> {
    const rest = this.#heldSince === null ? part : await this.#ask(part);
    if (rest.length > 0) this.#write(rest);
    await this.#yield(part.length);
  }

  /** Regularly lets other requests run, and streams of other holders. */
  async #yield(sent: number): Promise<void> {
    this.#sent += sent;
    if (this.#sent < QUANTUM) return;
    this.#sent = 0;
    const exchange = this.#exchange;
    await orDisconnected(exchange, new Promise(setImmediate));
    const permit = permits.acquire(exchange.memory.holder, exchange.signal);
    // The next stream continues after other requests.
    permit.then(setImmediate, () => undefined);
    await orDisconnected(exchange, permit);
  }

  #write(bytes: Uint8Array): void {
    const { socket } = this.#exchange;
    let taken = false;
    socket.cork(() => {
      taken = socket.write(bytes);
    });
    this.#heldSince = taken ? null : (this.#heldSince ?? performance.now());
    // The next piece may come late.
    if (!taken) this.#putOffTimer();
  }

  #putOffTimer(): void {
    const exchange = this.#exchange;
    this.#putOff ??= setInterval(() => exchange.putOffTimer(), PUT_OFF_MS);
  }

  /**
   * Waits until everything written is sent. It detects that by sending the first bytes of the next
   * piece one by one.
   * @returns the rest of that piece
   */
  async #ask(next: Uint8Array): Promise<Uint8Array> {
    let rest = next;
    while (rest.length > 0 && this.#heldSince !== null) {
      if (await this.#room(this.#heldSince)) {
        this.#heldSince = null;
      } else {
        this.#write(rest.subarray(0, 1));
        rest = rest.subarray(1);
      }
    }
    return rest;
  }

  /**
   * Waits until the system reports free space, or until a time limit.
   * @param since when the client was last seen to read
   * @returns whether there is space
   */
  async #room(since: number): Promise<boolean> {
    const exchange = this.#exchange;
    const { idle } = this.#sendTimeouts;
    this.#putOffTimer();
    const left = since + idle - performance.now();
    if (left <= 0) exchange.cut('Nothing of it was read within STREAM_IDLE.');
    const { promise, resolve } = Promise.withResolvers<boolean>();
    exchange.onWritable = () => resolve(true);
    const timer = setTimeout(() => resolve(false), Math.min(idle / CHECKS, left, PUT_OFF_MS));
    try {
      return await orDisconnected(exchange, promise);
    } finally {
      clearTimeout(timer);
    }
  }
}
