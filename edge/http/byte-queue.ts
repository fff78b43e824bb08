/**
 * Bytes between a socket and a reader that is slower. After a pause the server goes on delivering
 * as long as it finds half a megabyte waiting. So storing a delivery must be faster than the
 * client: it is copied into memory that is used again and again, because the first write to new
 * memory takes several times as long as the copy.
 */

/** Bytes of one slab; the largest delivery of the server. */
const SLAB = 524_288;

/** Slabs in reserve after a large body, and the maximum. */
const RESERVE = 16;
const KEPT_MAX = 64;

/** Smaller deliveries, such as most JSON bodies, are copied to memory of their own size. */
const SMALL = 32_768;

const free: Buffer[] = [];
let made = 0;
let preparing = false;

/** Filled, so that the system really provides the memory now. */
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
  /** The memory is a slab. */
  readonly kept: boolean;
  from: number;
  to: number;
}

export class ByteQueue {
  #segments: Segment[] = [];
  #size = 0;

  /** The bytes in the queue. */
  get size(): number {
    return this.#size;
  }

  /** Copies bytes to the end. */
  append(bytes: Uint8Array): void {
    this.#size += bytes.length;
    let rest = bytes;
    while (rest.length > 0) {
      let last = this.#segments.at(-1);
      if (last === undefined || last.to === last.memory.length) {
        const kept = rest.length > SMALL;
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

  /** Takes up to `max` bytes from the beginning; the caller owns them. Null when empty. */
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

  /** Drops all bytes. */
  clear(): void {
    for (const { kept, memory } of this.#segments) if (kept) giveBack(memory);
    this.#segments = [];
    this.#size = 0;
  }
}
