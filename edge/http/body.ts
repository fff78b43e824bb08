/**
 * The body of a request while it arrives: keeps bytes until they are read, pauses the client when
 * there are too many, and drops the rest when the request is answered. `json-body.ts` reads it as
 * JSON. What is kept is counted for its holder. A body that is read as a whole takes its memory before
 * it is read, all of it, so that of two that have arrived by half neither waits for the other.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import type { Hold } from '#core/base/holders/budget.ts';
import { UNCOUNTED } from '#core/base/holders/process-memory.ts';
import type { Admit, OnEntries } from '#core/base/json/json-bounds.ts';
import { ByteQueue } from './byte-queue.ts';
import { type JsonHead, type ReadBytes, readJson } from './json-body.ts';
import { type Body, ClientGoneError, type SizeLimit } from './request.ts';
import type { RequestMemory } from './request-memory.ts';
import type { HttpResponse } from './uwebsockets.ts';

/**
 * The socket is paused when this many bytes wait for a reader, and resumed when fewer than
 * LOW_WATER do. Bytes that the system already holds for the socket still arrive.
 */
const HIGH_WATER = 262_144;
const LOW_WATER = 65_536;

/** Maximum bytes of a piece for a reader. */
const PIECE = 65_536;

/** What is known about a body before it arrives. */
export interface BodyHead extends JsonHead {
  readonly size: number | undefined;
  /** It is chunked (RFC 9112, 7.1), so only its end tells its length. */
  readonly chunked: boolean;
  /** How long (ms) it may take when it is read as a whole, besides a time for each byte. */
  readonly patience: number;
  /** What the request holds of the memory of the process. */
  readonly memory: () => RequestMemory;
}

/** The body of a request without one. */
export const NO_BODY: Body = {
  size: 0,
  json: async () => undefined,
  bytes: async () => new Uint8Array(0),
  async *lend() {},
};

/**
 * A route may stop reading a body by answering or by throwing. A later failure of the body must not
 * count as an unhandled error, which ends the process.
 */
function ignore(): void {}

/**
 * Maximum bytes of an unread body that are read and dropped, so that the client gets its answer.
 * When the connection is closed while they still send, many clients report only a broken
 * connection.
 */
export const DISCARDED_MAX = 67_108_864;

/**
 * Timeout for the next piece of a chunked body, in milliseconds; shorter than the ten seconds after
 * which the library closes the connection without an answer.
 */
const STALLED_MS = 6_000;
const STALLED = reason('body_stalled', { seconds: STALLED_MS / 1_000 });
/** How often the client of a paused connection is checked, in milliseconds. */
const LOOK_MS = 2_000;
/**
 * Each check reads what the system holds for the socket. With this many bytes unread there are none
 * until somebody reads, which tells of a client that went as well.
 */
const LOOK_MAX = 4_194_304;

/** The time for a body that is read as a whole grows by a second for so many bytes of it. */
const SLOWEST = 500;
/** How often slow bodies are looked for, in milliseconds. */
const SWEEP_MS = 1_000;

/** Those that are being read as a whole. */
const arriving = new Set<IncomingBody>();
let sweep: NodeJS.Timeout | null = null;

function watchSlow(body: IncomingBody): void {
  arriving.add(body);
  sweep ??= setInterval(() => {
    for (const one of arriving) one.requireProgress();
    if (arriving.size > 0 || sweep === null) return;
    clearInterval(sweep);
    sweep = null;
  }, SWEEP_MS).unref();
}

function tooSlow(): ServiceError {
  const why = reason('body_too_slow', { bytesPerSecond: SLOWEST });
  return new ServiceError('OUT_OF_TIME', { reason: why });
}

function tooLarge(limit: number): ServiceError {
  return invalidPayload(reason('body_too_large', { limit }), { limit, variable: 'BODY_MAX_SIZE' });
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
}

/** A body that is arriving on a uWebSockets response object. */
export class IncomingBody implements Body {
  readonly size: number | undefined;
  readonly #head: BodyHead;
  readonly #queue = new ByteQueue();
  #socket: HttpResponse | null;
  #received = 0;
  #paused = false;
  #ended = false;
  #claimed = false;
  #failure: Error | null = null;
  /** Reads what has arrived; null while nobody reads. */
  #wake: (() => void) | null = null;
  /** Pieces are lent, and the reader has not come to the end. */
  #isLending = false;
  /** The reader of lent pieces has asked for the first one. */
  #isBegun = false;
  /** Nothing more is read from the connection. */
  #held = false;
  /** Called when the answer may be written. */
  #onSettled: (() => void) | null = null;
  /** Ends a body that stalls. */
  #timer: NodeJS.Timeout | undefined;
  /** Checks whether the client of a paused connection is still there. */
  #look: NodeJS.Timeout | undefined;
  /** The memory of what is kept; null while that is little. */
  #hold: Hold | null = null;
  /** All of the body has its memory, whatever has arrived of it. */
  #isCovered = false;
  /** The body waits for its memory. */
  #isWaiting = false;
  /** Bytes that a reader of the whole body has taken so far. */
  #kept = 0;
  /** Where a body of known length is put together; null elsewhere. */
  #whole: Buffer | null = null;
  /** When the whole began to be read, by `performance.now()`. */
  #readSince = 0;

  /** Must be called while the request's handler runs, or the first bytes are lost. */
  constructor(socket: HttpResponse, head: BodyHead) {
    this.size = head.size;
    this.#head = head;
    this.#socket = socket;
    socket.onData((chunk, last) => {
      try {
        this.#take(chunk, last);
      } catch (error) {
        this.#spoil(error);
      }
    });
    if (head.chunked) this.#timer = setTimeout(() => this.#stall(), STALLED_MS);
  }

  /** Bytes that have not arrived yet; undefined when their number is unknown. */
  get remaining(): number | undefined {
    if (this.#ended) return 0;
    return this.size === undefined ? undefined : this.size - this.#received;
  }

  json(limit?: SizeLimit, onEntries?: OnEntries): Promise<unknown> {
    const read: ReadBytes = (most, refuse) => this.bytes(most, refuse);
    const admit: Admit = (amount) => {
      if (amount > 0) return this.#head.memory().values(amount);
    };
    const permit = (length: number) => this.#head.memory().permit(length);
    const parsed = readJson(read, this.#head, { limit, onEntries, permit, admit });
    parsed.then(
      () => this.#letGo(),
      () => this.#letGo(),
    );
    return parsed;
  }

  bytes(limit = this.#head.limit, refuse = tooLarge): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    promise.catch(ignore);
    this.#claim();
    if (this.size !== undefined && this.size > limit) {
      this.#queue.clear();
      reject(refuse(limit));
      return promise;
    }
    const chunks: Buffer[] = [];
    const end = () => {
      arriving.delete(this);
      this.#wake = null;
    };
    const add = (chunk: Buffer) => {
      if (this.#whole !== null) {
        this.#put(chunk);
        return;
      }
      this.#kept += chunk.length;
      if (this.#kept <= limit) chunks.push(chunk);
      else chunks.length = 0;
    };
    this.#wake = () => {
      if (this.#isWaiting) return;
      for (let chunk = this.#next(); chunk !== null; chunk = this.#next()) add(chunk);
      // Its length is unknown, so it may have as much as it is allowed to be long.
      if (this.size === undefined && this.#kept > UNCOUNTED) this.#cover(limit);
      if (this.#kept > limit) {
        arriving.delete(this);
        reject(refuse(limit));
      } else if (this.#failure !== null) {
        end();
        reject(this.#failure);
      } else if (this.#ended && !this.#isWaiting) {
        end();
        const whole = this.#whole ?? joined(chunks);
        this.#whole = null;
        this.#hold?.shrink(this.#hold.amount - whole.length);
        resolve(whole);
      }
    };
    if (this.size !== undefined && this.size > UNCOUNTED) this.#cover(this.size);
    this.#wake?.();
    if (!this.#ended && this.#failure === null) {
      this.#readSince = performance.now();
      watchSlow(this);
    }
    return promise;
  }

  /** Ends a body whose client sends next to nothing. */
  requireProgress(): void {
    const now = performance.now();
    if (this.#isWaiting) this.#readSince = now;
    const time = this.#head.patience + (this.#received / SLOWEST) * 1_000;
    if (now - this.#readSince > time) this.#fail(tooSlow());
  }

  /**
   * Takes memory for all of the body, and pauses the client while there is none. What is larger than
   * all there is has it alone.
   */
  #cover(size: number): void {
    if (this.#isCovered) return;
    this.#isCovered = true;
    const { process, holder } = this.#head.memory();
    const hold = this.#holdNow();
    const more = Math.min(size, process.bytes.total) - hold.amount;
    try {
      process.requireRoom();
    } catch (error) {
      this.#refuse(error);
      return;
    }
    const goOn = () => {
      this.#isWaiting = false;
      if (this.#failure !== null) return;
      if (this.size !== undefined) this.#whole = Buffer.allocUnsafeSlow(this.size);
    };
    if (process.bytes.mayTake(holder, more)) {
      hold.count(more);
      goOn();
      return;
    }
    this.#isWaiting = true;
    if (!this.#ended) this.#pause();
    hold.growInTime(more).then(
      () => {
        goOn();
        this.#resume();
        this.#wake?.();
      },
      (error: unknown) => this.#refuse(error),
    );
  }

  /** There is no memory for the body. The end of a chunked one is not waited for. */
  #refuse(error: unknown): void {
    this.#spoil(error);
    if (this.#head.chunked) this.hold();
  }

  #holdNow(): Hold {
    this.#hold ??= this.#head.memory().bytes();
    return this.#hold;
  }

  #letGo(): void {
    this.#hold?.release();
  }

  /** Counts what is kept, unless all of the body is counted; a client that has too much is paused. */
  #account(): void {
    if (this.#isCovered) return;
    const kept = this.#queue.size + this.#kept;
    if (kept <= UNCOUNTED && this.#hold === null) return;
    const hold = this.#holdNow();
    const more = kept - hold.amount;
    if (more <= 0) {
      hold.shrink(-more);
      return;
    }
    const { process, holder } = this.#head.memory();
    const { bytes } = process;
    // These bytes are here already, but where there is no room at all nothing is kept.
    if (bytes.used + more > bytes.total) this.#fail(bytes.refusal());
    else hold.count(more);
    if (bytes.isShort(holder) && !this.#ended) this.#pause();
  }

  /** Adds bytes to the whole. */
  #put(bytes: Uint8Array): void {
    this.#whole?.set(bytes, this.#kept);
    this.#kept += bytes.length;
  }

  lend(): AsyncGenerator<Uint8Array, void> {
    this.#claim();
    this.#isLending = true;
    return this.#lend();
  }

  async *#lend(): AsyncGenerator<Uint8Array, void> {
    this.#isBegun = true;
    try {
      for (;;) {
        const piece = this.#queue.lend();
        if (piece !== null) {
          if (this.#queue.size < LOW_WATER) this.#resume();
          yield piece;
          this.#account();
        } else if (this.#failure !== null) {
          throw this.#failure;
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#isLending = false;
      this.#queue.takeBack();
      // The rest of the body is dropped.
      this.#wake = this.#ended ? null : () => this.#queue.clear();
      this.#queue.clear();
      this.#letGo();
      this.#resume();
    }
  }

  /**
   * The client disconnected. A reader of a body that has arrived completely may continue; one of lent
   * pieces gets those that have arrived, and then the failure.
   */
  abort(): void {
    this.#socket = null;
    this.#stopTimers();
    if (!this.#ended) this.#fail(new ClientGoneError(), { keepsArrived: this.#isBegun });
    this.#settle();
  }

  /** Nothing more is read from the connection, which ends with the answer. */
  get held(): boolean {
    return this.#held;
  }

  /**
   * Stops reading from the connection. The library takes bytes that are already read and lie behind
   * this body for another request; it then closes the connection, because this one is not answered.
   * So the answer waits for the next turn of the event loop.
   */
  hold(): void {
    if (this.#held) return;
    this.#held = true;
    this.#socket?.pause();
    clearTimeout(this.#timer);
    this.#lookForClient();
    setImmediate(() => {
      if (this.#socket === null) return;
      this.#ended = true;
      try {
        if (this.#failure === null) this.#wake?.();
      } catch (error) {
        this.#spoil(error);
      }
      this.#settle();
    });
  }

  /**
   * Waits until no more bytes can follow the body on its connection; drops what is not read by now.
   */
  settled(callback: () => void): void {
    this.#onSettled = callback;
    if (this.#ended || this.#socket === null) {
      this.#settle();
      return;
    }
    if (this.#paused) this.#unpause();
    this.#fail(new Error('The request was answered before its body was read.'));
  }

  /**
   * The request is over, or about to be answered: the rest of the body is dropped. Must be called while
   * the response object can still be used.
   */
  release(): void {
    if (this.#paused) this.#unpause();
    // A check of the client in this turn may have resumed it.
    if (this.#held) this.#socket?.pause();
    this.#socket = null;
    this.#stopTimers();
    // Making an error costs a stack trace, so it is made only when a reader can receive it.
    const isRead = this.#wake === null && !this.#isLending;
    const isTaken = this.#claimed && this.#ended && isRead;
    if (isTaken) return;
    this.#fail(new Error('The request was answered before its body was read.'));
    // A reader that was left behind gives nothing back.
    this.#queue.drop();
  }

  #claim(): void {
    if (this.#claimed) throw new Error('The body of a request can be read once.');
    this.#claimed = true;
  }

  #take(chunk: ArrayBuffer, last: boolean): void {
    this.#received += chunk.byteLength;
    this.#timer?.refresh();
    if (this.#head.chunked) {
      if (last || this.#received > this.#enough()) this.hold();
    } else {
      this.#ended = last;
    }
    if (this.#failure !== null) return;
    // The memory belongs to the server again when this returns.
    if (this.#whole === null) {
      this.#queue.append(new Uint8Array(chunk), this.#isLending);
      this.#account();
    } else {
      this.#put(new Uint8Array(chunk));
    }
    this.#wake?.();
    if (this.#queue.size >= HIGH_WATER && !last) this.#pause();
  }

  /** Maximum bytes of a chunked body; reading stops afterwards. */
  #enough(): number {
    return this.#onSettled === null ? Number.POSITIVE_INFINITY : DISCARDED_MAX;
  }

  /**
   * The library takes a chunk extension for part of the chunk's size, and waits for that many
   * bytes.
   */
  #stall(): void {
    if (this.#paused) {
      this.#timer?.refresh();
      return;
    }
    this.#fail(invalidPayload(STALLED));
    this.hold();
  }

  /**
   * The library does not report that the client of a paused connection disconnected; only reading
   * shows it. Bytes that the client sent behind its body then close the connection.
   */
  #lookForClient(): void {
    if (this.#socket === null || this.#look !== undefined) return;
    this.#look = setInterval(() => {
      if (this.#queue.size >= LOOK_MAX) return;
      this.#socket?.resume();
      setImmediate(() => {
        if (this.#held || this.#paused) this.#socket?.pause();
      });
    }, LOOK_MS);
  }

  #stopTimers(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#look);
    this.#look = undefined;
  }

  #settle(): void {
    const callback = this.#onSettled;
    this.#onSettled = null;
    callback?.();
  }

  #next(): Buffer | null {
    const piece = this.#queue.take(PIECE);
    if (this.#queue.size < LOW_WATER) this.#resume();
    return piece;
  }

  #fail(error: Error, { keepsArrived = false } = {}): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#isWaiting = false;
    arriving.delete(this);
    this.#whole = null;
    if (!keepsArrived) {
      this.#queue.clear();
      this.#letGo();
    }
    this.#resume();
    this.#wake?.();
  }

  /** The reader of the body threw; this ends only the reading. */
  #spoil(error: unknown): void {
    try {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // It was reported once.
    }
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#socket?.pause();
    this.#lookForClient();
  }

  /**
   * Resumes the client. Not after the last byte: that would start the library's idle timer, which
   * closes connections whose answer takes longer.
   */
  #resume(): void {
    if (this.#paused && !this.#ended && !this.#isWaiting) this.#unpause();
  }

  #unpause(): void {
    this.#paused = false;
    if (this.#held) return;
    clearInterval(this.#look);
    this.#look = undefined;
    this.#socket?.resume();
  }
}
