/**
 * The body of a request while it arrives. It buffers bytes until they are read, pauses the client
 * when there are too many, and drops the rest once the request is answered. `json-body.ts` reads it
 * as JSON. Buffered bytes count against their holder. A body that is read as a whole first reserves
 * memory for its entire length, so two half-received bodies cannot block each other.
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
 * The socket is paused when this many bytes wait for a reader. It resumes below LOW_WATER. Bytes
 * that the system already holds for the socket still arrive.
 */
const HIGH_WATER = 262_144;
const LOW_WATER = 65_536;

/** Maximum bytes of a piece for a reader. */
const PIECE = 65_536;

/** Properties of a body that are available before it arrives. */
export interface BodyHead extends JsonHead {
  readonly size: number | undefined;
  /** The body is chunked (RFC 9112, 7.1), so its length is not available before its end. */
  readonly chunked: boolean;
  /** How long (ms) reading the whole body may take, in addition to a time for each byte. */
  readonly patience: number;
  /** The memory that the request has reserved in the process. */
  readonly memory: () => RequestMemory;
}

/** The body of a request that has no content. */
export const NO_BODY: Body = {
  size: 0,
  json: async () => undefined,
  bytes: async () => new Uint8Array(0),
  async *lend() {},
};

/**
 * A route may stop reading a body by responding or throwing. A later failure of the body must not
 * become an unhandled rejection, which ends the process.
 */
function ignore(): void {}

/**
 * Maximum bytes of an unread body that are read and dropped so that the client receives its
 * response. Many clients report only a broken connection when it closes while they send.
 */
export const DISCARDED_MAX = 67_108_864;

/**
 * Timeout for the next piece of a chunked body, in milliseconds. It is shorter than the ten seconds
 * after which the library closes the connection without a response.
 */
const STALLED_MS = 6_000;
const STALLED = reason('body_stalled', { seconds: STALLED_MS / 1_000 });
/** Interval of the checks of a paused connection, in milliseconds. */
const LOOK_MS = 2_000;
/**
 * Each check reads the bytes that the system holds for the socket. With this many unread bytes the
 * checks stop until a reader continues, which also detects a disconnected client.
 */
const LOOK_MAX = 4_194_304;

/** The time limit for reading a whole body grows by one second per this many bytes. */
const SLOWEST = 500;
/** Interval of the check for slow bodies, in milliseconds. */
const SWEEP_MS = 1_000;

/** Bodies that are being read as a whole. */
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
  /** Reads the arrived bytes; null without a reader. */
  #wake: (() => void) | null = null;
  /** Pieces are lent, and the reader has not reached the end. */
  #isLending = false;
  /** The reader of lent pieces has requested the first one. */
  #isBegun = false;
  /** No more bytes are read from the connection. */
  #held = false;
  /** Called when the response may be written. */
  #onSettled: (() => void) | null = null;
  /** Fails a body that stalls. */
  #timer: NodeJS.Timeout | undefined;
  /** Checks whether the client of a paused connection is still connected. */
  #look: NodeJS.Timeout | undefined;
  /** The memory of the buffered bytes; null while they are few. */
  #hold: Hold | null = null;
  /** Memory is reserved for the whole body, however much of it has arrived. */
  #isCovered = false;
  /** The body waits for its memory. */
  #isWaiting = false;
  /** Bytes that a reader of the whole body has taken so far. */
  #kept = 0;
  /** The buffer in which a body of known length is assembled; null for other bodies. */
  #whole: Buffer | null = null;
  /** When reading of the whole body began, by `performance.now()`. */
  #readSince = 0;

  /** Must be called while the request's handler runs; otherwise the first bytes are lost. */
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
      // The length is unknown, so memory is reserved for the maximum length.
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

  /** Fails a body whose client sends too slowly. */
  requireProgress(): void {
    const now = performance.now();
    if (this.#isWaiting) this.#readSince = now;
    const time = this.#head.patience + (this.#received / SLOWEST) * 1_000;
    if (now - this.#readSince > time) this.#fail(tooSlow());
  }

  /**
   * Reserves memory for the whole body, and pauses the client until memory is available. A body
   * larger than the total memory waits until it can use all of it alone.
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

  /** No memory is available for the body. The end of a chunked body is not awaited. */
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

  /**
   * Counts the buffered bytes, unless the whole body is already counted. A client that exceeds its
   * share is paused.
   */
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
    // These bytes have already arrived. When the process has no room at all, they are not stored.
    if (bytes.used + more > bytes.total) this.#fail(bytes.refusal());
    else hold.count(more);
    if (bytes.isShort(holder) && !this.#ended) this.#pause();
  }

  /** Appends bytes to the whole body. */
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
   * The client disconnected. A reader of a completely received body may continue. A reader of lent
   * pieces first gets the pieces that have arrived, then the failure.
   */
  abort(): void {
    this.#socket = null;
    this.#stopTimers();
    if (!this.#ended) this.#fail(new ClientGoneError(), { keepsArrived: this.#isBegun });
    this.#settle();
  }

  /** No more bytes are read from the connection, which closes with the response. */
  get held(): boolean {
    return this.#held;
  }

  /**
   * Stops reading from the connection. The library parses bytes behind this body as another
   * request. It then closes the connection, because this request is unanswered. So the response
   * waits for the next turn of the event loop.
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

  /** Waits until no more bytes can follow the body on its connection; drops the unread bytes. */
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
   * The request is over or about to be answered: the rest of the body is dropped. Must be called
   * while the response object is valid.
   */
  release(): void {
    if (this.#paused) this.#unpause();
    // A check of the client in this turn may have resumed the socket.
    if (this.#held) this.#socket?.pause();
    this.#socket = null;
    this.#stopTimers();
    // Creating an error costs a stack trace, so it is created only when a reader can receive it.
    const isRead = this.#wake === null && !this.#isLending;
    const isTaken = this.#claimed && this.#ended && isRead;
    if (isTaken) return;
    this.#fail(new Error('The request was answered before its body was read.'));
    // An abandoned reader does not return its memory.
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
    // The library reuses this memory when the handler returns.
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
   * The library parses a chunk extension as part of the chunk's size, and waits for that many
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
   * The library does not report when the client of a paused connection disconnects; only reading
   * detects it. Bytes that the client sent behind its body then close the connection.
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

  /** Fails the body. An error that its reader throws ends only the reading. */
  #spoil(error: unknown): void {
    try {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // The error was already reported.
    }
  }

  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#socket?.pause();
    this.#lookForClient();
  }

  /**
   * Resumes the client, but not after the last byte. That would start the library's idle timer,
   * which closes connections whose response takes longer.
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
