/**
 * The bytes of a value on their way from PostgreSQL to a client. Their memory has room for an API's
 * envelope, and is reused after sending.
 */

/** Room before and after a value. */
const BEFORE = 64;
const BEHIND = 256;

/** Sizes of reusable buffers, and the maximum number of free buffers of each size. */
const SIZES: readonly { readonly size: number; readonly kept: number; readonly free: Buffer[] }[] =
  [
    { size: 16_384, kept: 64, free: [] },
    { size: 65_536, kept: 16, free: [] },
    { size: 262_144, kept: 4, free: [] },
  ];

function take(length: number): Buffer {
  for (const { size, free } of SIZES) {
    if (length <= size) return free.pop() ?? Buffer.allocUnsafeSlow(size);
  }
  return Buffer.allocUnsafeSlow(length);
}

export class ValueBytes {
  #memory: Buffer;
  #start = BEFORE;
  #end: number;

  /** @param value is copied */
  constructor(value: Buffer) {
    this.#memory = take(BEFORE + value.length + BEHIND);
    this.#end = BEFORE + value.copy(this.#memory, BEFORE);
  }

  get length(): number {
    return this.#end - this.#start;
  }

  /** The first byte; undefined when it is empty. */
  get first(): number | undefined {
    return this.length > 0 ? this.#memory[this.#start] : undefined;
  }

  /** The bytes; valid until they are released. */
  get bytes(): Buffer {
    return this.#memory.subarray(this.#start, this.#end);
  }

  toString(): string {
    return this.#memory.toString('utf8', this.#start, this.#end);
  }

  /** Removes and returns the text before a byte; also removes that byte. */
  cut(byte: number): string {
    const end = this.#memory.indexOf(byte, this.#start);
    const text = this.#memory.toString('utf8', this.#start, end);
    this.#start = end + 1;
    return text;
  }

  /** Adds texts before and after them. */
  surround(before: string, behind: string): void {
    const room = { before: Buffer.byteLength(before), behind: Buffer.byteLength(behind) };
    const { bytes } = this;
    if (room.before > this.#start || this.#end + room.behind > this.#memory.length) {
      this.#memory = Buffer.allocUnsafeSlow(room.before + bytes.length + room.behind);
      this.#start = room.before;
      this.#end = room.before + bytes.copy(this.#memory, room.before);
    }
    this.#start -= room.before;
    this.#memory.write(before, this.#start);
    this.#end += this.#memory.write(behind, this.#end);
  }

  /** Releases the memory for reuse. The bytes must not be used any more. */
  release(): void {
    const memory = this.#memory;
    this.#memory = Buffer.alloc(0);
    this.#start = 0;
    this.#end = 0;
    const kind = SIZES.find(({ size }) => size === memory.length);
    if (kind !== undefined && kind.free.length < kind.kept) kind.free.push(memory);
  }
}
