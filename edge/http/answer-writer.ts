/**
 * Hands an answer to the socket as fast as the client reads, however slowly that is. The library
 * ends a connection ten seconds after a write that the system did not take whole, unless the system
 * reports room meanwhile, for which Linux waits until a third of its buffer, some megabytes over
 * loopback, is free. So its timer is put off here again and again, and whether anything is read is
 * found out by handing over a little more: a write is taken when nothing is left of those before.
 */
import type { Exchange } from './exchange.ts';

/** How long a client may take for its answer, in milliseconds. */
export interface SendTimeouts {
  /** STREAM_IDLE: without reading anything. */
  readonly idle: number;
  /** STREAM_MAX_TIME: altogether; answers without an end, such as events, are not held to it. */
  readonly total: number;
}

/** Longest part that is handed over at once, in bytes: who reads so much is not idle. */
const PART = 65_536;
/** How often within the idle time it is asked whether the client reads. */
const CHECKS = 16;
/** Bytes after which a stream lets other requests have their turn. */
const TURN = 262_144;
/** Well within the ten seconds of the library. */
const PUT_OFF_MS = 4_000;
/** The longest time that timers know. */
const TIMER_MAX = 2_147_483_647;

/** Waits for something that the client's going away must interrupt. */
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
  /** Bytes since others had their turn. */
  #sent = 0;
  /** Since when the library holds back what the system does not take; null: it holds nothing. */
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
      // With this handler the server leaves what it holds back to the next write, which may be long
      // in coming; the end of a cork sends it.
      exchange.socket.cork(() => undefined);
      // A write from within this call, or from its microtasks, would never be announced as done.
      setImmediate(() => exchange.onWritable?.());
      return true;
    });
  }

  /** Sends a piece, in chunks, as soon as those before it were taken. */
  async send(piece: string | Uint8Array): Promise<void> {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    for (let start = 0; start < bytes.length; start += PART) {
      await this.#part(bytes.subarray(start, start + PART));
    }
  }

  /** Sends all that is left of an answer whose length is told. */
  async end(body: Uint8Array): Promise<void> {
    const { socket } = this.#exchange;
    let offset = 0;
    let since = performance.now();
    for (;;) {
      let ended = false;
      socket.cork(() => {
        [, ended] = socket.tryEnd(body.subarray(offset), body.length);
      });
      if (ended) return;
      const before = offset;
      offset = socket.getWriteOffset();
      if (offset > before) since = performance.now();
      await this.#room(since);
    }
  }

  /** Waits until the last piece was taken: what is left then has nobody to put the timer off. */
  async finish(): Promise<void> {
    const { socket } = this.#exchange;
    while (this.#heldSince !== null && !(await this.#room(performance.now()))) {
      socket.cork(() => undefined);
    }
  }

  /** Nothing more is sent. */
  close(): void {
    clearTimeout(this.#overdue);
    clearInterval(this.#putOff);
    this.#exchange.onDisconnect = null;
    this.#exchange.onWritable = null;
  }

  async #part(part: Uint8Array): Promise<void> {
    const rest = this.#heldSince === null ? part : await this.#ask(part);
    if (rest.length > 0) this.#write(rest);
    this.#sent += part.length;
    if (this.#sent < TURN) return;
    this.#sent = 0;
    await orDisconnected(this.#exchange, new Promise(setImmediate));
  }

  #write(bytes: Uint8Array): void {
    const { socket } = this.#exchange;
    let taken = false;
    socket.cork(() => {
      taken = socket.write(bytes);
    });
    this.#heldSince = taken ? null : (this.#heldSince ?? performance.now());
    // The next piece may be long in coming.
    if (!taken) this.#putOffTimer();
  }

  #putOffTimer(): void {
    const exchange = this.#exchange;
    this.#putOff ??= setInterval(() => exchange.putOffTimer(), PUT_OFF_MS);
  }

  /**
   * Waits until all that was written is taken, and asks for that with what comes next, byte by byte.
   * @returns what is left of it
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
   * Waits for the system to report room for more, or for a while.
   * @param since when the client was last known to read
   * @returns whether there is room
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
