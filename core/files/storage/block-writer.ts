/**
 * Joins the pieces of a file into blocks that are written and hashed while the next ones arrive.
 * Blocks are reused in turn, because allocating and collecting memory takes more time than filling
 * it. A process has a fixed number of large blocks. Files that get none of them are written
 * sequentially in smaller blocks.
 */
import { createHash } from 'node:crypto';
import { ContentHash } from './content-hash.ts';
import type { Stored } from './storage.ts';

/** Bytes of the first block; many files are small. */
const FIRST_BLOCK = 16 * 1024;
/** Bytes of each further block. */
const BLOCK = 512 * 1024;
/** Maximum blocks of one file. A thread hashes files that do not fit into them. */
const MOST_BLOCKS = 5;
/** Maximum large blocks of a process. */
const MOST_IN_ALL = 64;

interface Block {
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  filled: number;
  /** Settles when the block may be filled again. */
  done: Promise<unknown>;
}

function newBlock(size: number): Block {
  const memory = new SharedArrayBuffer(size);
  return { memory, bytes: new Uint8Array(memory), filled: 0, done: Promise.resolve() };
}

/** Large blocks that no file uses. */
const free: Block[] = [];
let made = 0;

function takeBlock(): Block | null {
  const block = free.pop();
  if (block !== undefined) return block;
  if (made >= MOST_IN_ALL) return null;
  made += 1;
  return newBlock(BLOCK);
}

export class BlockWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #blocks: [Block, ...Block[]] = [newBlock(FIRST_BLOCK)];
  /** The block that is being filled. */
  #block: Block = this.#blocks[0];
  #turn = 0;
  #bytes = 0;
  #written: Promise<void> = Promise.resolve();
  /** Null while all blocks still contain the file from its beginning. */
  #hash: ContentHash | null = null;

  /** @param write appends all bytes; each call ends before the next one begins */
  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write;
  }

  /** Bytes that were accepted. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Accepts a piece, whose memory may change when this resolves. Rejects when earlier pieces cannot
   * be written.
   */
  async take(piece: Uint8Array): Promise<void> {
    this.#bytes += piece.length;
    for (let from = 0; from < piece.length; ) {
      const block = this.#block;
      const part = piece.subarray(from, from + block.bytes.length - block.filled);
      block.bytes.set(part, block.filled);
      block.filled += part.length;
      from += part.length;
      if (block.filled === block.bytes.length) await this.#next(block);
    }
  }

  /** Resolves when all bytes are written. */
  async finish(): Promise<Stored> {
    if (this.#block.filled > 0) this.#begin(this.#block);
    await this.#written;
    return { bytes: this.#bytes, sha256: await this.#digest() };
  }

  /** Waits until no write is running, and abandons the rest with its blocks. */
  async end(): Promise<void> {
    this.#hash?.forget();
    this.#hash = null;
    await this.#written.catch(() => undefined);
    for (const block of this.#blocks.splice(1)) {
      block.filled = 0;
      block.done = Promise.resolve();
      free.push(block);
    }
  }

  async #digest(): Promise<string> {
    const remote = this.#hash;
    this.#hash = null;
    if (remote !== null) return await remote.digest();
    const hash = createHash('sha256');
    for (const { bytes, filled } of this.#blocks) hash.update(bytes.subarray(0, filled));
    return hash.digest('hex');
  }

  /** Begins to write a full block, and waits for a block to fill. */
  async #next(full: Block): Promise<void> {
    this.#begin(full);
    const count = this.#blocks.length;
    const another = count < MOST_BLOCKS ? takeBlock() : null;
    if (another !== null) {
      this.#block = another;
      this.#turn = this.#blocks.push(another) - 1;
      return;
    }
    this.#useThread();
    this.#turn += 1;
    // The first block is small, and is reused only if it is the only one.
    if (this.#turn === count) this.#turn = Math.min(1, count - 1);
    const next = this.#blocks[this.#turn] ?? full;
    await next.done;
    next.filled = 0;
    this.#block = next;
  }

  #begin(block: Block): void {
    const bytes = block.bytes.subarray(0, block.filled);
    this.#written = this.#written.then(() => this.#write(bytes));
    block.done = Promise.all([this.#written, this.#hash?.update(block.memory, block.filled)]);
    block.done.catch(() => undefined);
  }

  #useThread(): void {
    if (this.#hash !== null) return;
    const hash = new ContentHash();
    this.#hash = hash;
    for (const block of this.#blocks) {
      block.done = Promise.all([block.done, hash.update(block.memory, block.filled)]);
      block.done.catch(() => undefined);
    }
  }
}
