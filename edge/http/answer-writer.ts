/**
 * Sends an answer to the socket as fast as the client reads, however slow that is. The library
 * closes a connection ten seconds after a write that the system did not take completely, unless the
 * system reports free space, which Linux does only when a third of its buffer, some megabytes over
 * loopback, is free. So this file restarts that timer again and again. Whether the client reads is
 * found out by sending a little more: a write is known to be sent when nothing of the writes before
 * it is left.
 */
import { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { Exchange } from './exchange.ts';
import type { SendTimeouts } from './send-timeouts.ts';

/** Longest part that is sent at once, in bytes: a client that has read this much is not idle. */
const PART = 65_536;
/** How many checks within the idle time find out whether the client reads. */
const CHECKS = 16;
/** Bytes after which a stream lets other requests run, and waits for a permit to go on. */
const QUANTUM = 262_144;
/** Streams that go on between two looks at what other requests want. */
const AT_A_TIME = 4;
/** Well within the ten seconds of the library. */
const PUT_OFF_MS = 4_000;
/** The longest delay of a timer. */
const TIMER_MAX = 2_147_483_647;

/**
 * Lets streams go on, fairly to holders: a thousand downloads of one holder do not delay those of others.
 * One stream of each connection waits at most.
 */
const permits = new FairSemaphore({ permits: AT_A_TIME });

/** Waits for something, unless the client disconnects. */
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
  /** Bytes of an answer with a length that the library has taken. */
  #offset = 0;
  /** Bytes since other requests last ran; the first time it comes soon, because many may begin at once. */
  #sent = QUANTUM - PART;
  /** Since when the library holds bytes that the system has not taken; null: it holds none. */
  #heldSince: number | null = null;

  /**
   * The head must have been written.
   * @param endless the answer has no end, so that its time is not limited
   */
  constructor(exchange: Exchange, endless: boolean) {
    this.#exchange = exchange;
    this.#sendTimeouts = exchange.settings.sendTimeouts;
    const whole = Math.min(this.#sendTimeouts.total, TIMER_MAX);
    if (!endless) {
      this.#overdue = setTimeout(() => exchange.cut('It took longer than STREAM_MAX_TIME.'), whole);
    }
    exchange.socket.onWritable(() => {
      // While this handler is set, the server keeps the rest until the next write, which may come
      // late; the end of a cork sends it.
      exchange.socket.cork(() => undefined);
      // The library never reports a write from within this call, or from its microtasks, as done.
      setImmediate(() => exchange.onWritable?.());
      return true;
    });
  }

  /** Sends a piece, in chunks, as soon as the pieces before it were sent. */
  async send(piece: string | Uint8Array): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (let start = 0; start < bytes.length; start += PART) {
      await this.#part(bytes.subarray(start, start + PART));
    }
  }

  /** Sends the rest of an answer whose length was announced, and of which something was sent. */
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
   * Sends a piece of an answer whose length is announced, as soon as the client has taken the pieces
   * before it.
   * @param total the length of the answer, which the pieces must not exceed
   */
  async sendOf(total: number, piece: string | Uint8Array): Promise<void> {
    const { socket } = this.#exchange;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    const start = this.#offset;
    if (start + bytes.length > total) throw new Error('There is more than was announced.');
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

  /** The last piece of an answer whose length is announced was sent. */
  finishOf(total: number): void {
    if (total === 0) this.#exchange.socket.cork(() => this.#exchange.socket.end(''));
    if (this.#offset < total) throw new Error('There is less than was announced.');
  }

  /** Waits until the last piece was sent: nobody restarts the timer afterwards. */
  async finish(): Promise<void> {
    const { socket } = this.#exchange;
    while (this.#heldSince !== null && !(await this.#room(performance.now()))) {
      socket.cork(() => undefined);
    }
  }

  /** Sends nothing more. */
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

  /** Lets other requests run from time to time, and streams of other holders. */
  async #yield(sent: number): Promise<void> {
    this.#sent += sent;
    if (this.#sent < QUANTUM) return;
    this.#sent = 0;
    const exchange = this.#exchange;
    await orDisconnected(exchange, new Promise(setImmediate));
    const permit = permits.acquire(exchange.memory.holder, exchange.signal);
    // The next stream goes on after other requests.
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
   * Waits until everything written is sent, and finds that out with the first bytes of the next
   * piece, one by one.
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
   * Waits until the system reports free space, or for a while.
   * @param since when the client was last known to read
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
