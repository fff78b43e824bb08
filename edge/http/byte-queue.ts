/**
 * Queues bytes between a socket and a slower reader. After a pause the library continues to deliver
 * while it finds half a megabyte in the socket's buffer. So storing a delivery must be faster than
 * the client. Deliveries are copied into reused memory, because the first write to new memory takes
 * several times as long as the copy.
 */

/** Bytes of one slab; the largest delivery of the server. */
const SLAB = 524_288;

/** Slabs in reserve after a large body, and the maximum number of slabs. */
const RESERVE = 16;
const KEPT_MAX = 64;

/** Smaller deliveries are copied into memory of their exact size. */
const SMALL = 32_768;

const free: Buffer[] = [];
let made = 0;
let preparing = false;

/** Filled, so that the system allocates the memory now. */
function reserve(): void {
  made++;
  free.push(Buffer.allocUnsafeSlow(SLAB).fill(1));
}

function takeSlab(): Buffer {
  if (made === 0) for (let i = 0; i < RESERVE; i++) reserve();
  prepare();
  const slab = free.pop();
  if (slab !== undefined) return slab;
  made++;
  return Buffer.allocUnsafeSlow(SLAB);
}

/** Restores the reserve between deliveries, one slab for each turn of the event loop. */
function prepare(): void {
  if (preparing || free.length >= RESERVE || made >= KEPT_MAX) return;
  preparing = true;
  setImmediate(() => {
    preparing = false;
    reserve();
    prepare();
  });
}

function giveBack(slab: Buffer): void {
  if (free.length < KEPT_MAX) free.push(slab);
  else made--;
}

interface Segment {
  readonly memory: Buffer;
  /** The memory is a reusable slab. */
  readonly kept: boolean;
  from: number;
  to: number;
}

export class ByteQueue {
  #segments: Segment[] = [];
  #size = 0;
  /** The segment whose bytes are lent. */
  #lent: Segment | null = null;

  /** The bytes in the queue, without the lent ones. */
  get size(): number {
    return this.#size;
  }

  /**
   * Copies bytes to the end.
   * @param lends the bytes will be lent soon, so slabs are worthwhile; else memory of their exact
   *   size is used
   */
  append(bytes: Uint8Array, lends = true): void {
    this.#size += bytes.length;
    let rest = bytes;
    while (rest.length > 0) {
      let last = this.#segments.at(-1);
      if (last === undefined || last.to === last.memory.length) {
        const kept = lends && rest.length > SMALL;
        const memory = kept ? takeSlab() : Buffer.allocUnsafe(rest.length);
        last = { memory, kept, from: 0, to: 0 };
        this.#segments.push(last);
      }
      const part = rest.subarray(0, last.memory.length - last.to);
      last.memory.set(part, last.to);
      last.to += part.length;
      rest = rest.subarray(part.length);
    }
  }

  /** Removes up to `max` bytes from the beginning; the caller owns them. Null when empty. */
  take(limit: number): Buffer | null {
    const first = this.#segments[0];
    if (first === undefined) return null;
    const end = Math.min(first.to, first.from + limit);
    const part = first.memory.subarray(first.from, end);
    const taken = first.kept ? Buffer.from(part) : part;
    first.from = end;
    this.#size -= taken.length;
    if (first.from === first.to) {
      this.#segments.shift();
      if (first.kept) giveBack(first.memory);
    }
    return taken;
  }

  /**
   * Lends the contiguous bytes at the beginning without a copy, and first takes back the bytes lent
   * before. The bytes are valid until the next call of this method or of `takeBack`. Null when
   * empty.
   */
  lend(): Buffer | null {
    this.takeBack();
    const first = this.#segments[0];
    if (first === undefined || first.from === first.to) return null;
    const bytes = first.memory.subarray(first.from, first.to);
    first.from = first.to;
    this.#size -= bytes.length;
    this.#lent = first;
    return bytes;
  }

  /** Ends the use of lent bytes. */
  takeBack(): void {
    const lent = this.#lent;
    this.#lent = null;
    if (lent === null) return;
    if (this.#segments[0] !== lent) {
      // The queue was cleared in the meantime.
      if (lent.kept) giveBack(lent.memory);
    } else if (lent.from === lent.to) {
      this.#segments.shift();
      if (lent.kept) giveBack(lent.memory);
    }
  }

  /** Drops all bytes; the memory of lent bytes remains unchanged until `takeBack`. */
  clear(): void {
    for (const segment of this.#segments) {
      if (segment.kept && segment !== this.#lent) giveBack(segment.memory);
    }
    this.#segments = [];
    this.#size = 0;
  }

  /**
   * Drops all bytes permanently. Lent bytes remain valid for their reader, and their memory is not
   * reused.
   */
  drop(): void {
    this.clear();
    if (this.#lent?.kept) made--;
    this.#lent = null;
  }
}
