/**
 * Joins the pieces of a file into blocks that are written and hashed while the next ones arrive. Blocks
 * are filled by turns: new memory costs more time to get and to collect than to fill. A process has a
 * fixed number of large blocks; files that find none are written in smaller ones, one after the other.
 */
import { createHash } from 'node:crypto';
import { ContentHash } from './content-hash.ts';
import type { Stored } from './storage.ts';

/** Bytes of the first block: many files are small. */
const FIRST_BLOCK = 16 * 1024;
/** Bytes of each other block. */
const BLOCK = 512 * 1024;
/** Blocks of one file. What does not fit into them is hashed by a thread. */
const MOST_BLOCKS = 5;
/** Large blocks of a process. */
const MOST_IN_ALL = 64;

interface Block {
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  filled: number;
  /** Settles when it may be filled again. */
  done: Promise<unknown>;
}

function newBlock(size: number): Block {
  const memory = new SharedArrayBuffer(size);
  return { memory, bytes: new Uint8Array(memory), filled: 0, done: Promise.resolve() };
}

/** Large blocks that no file has. */
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
  /** The one that is being filled. */
  #block: Block = this.#blocks[0];
  #turn = 0;
  #bytes = 0;
  #written: Promise<void> = Promise.resolve();
  /** Null while all blocks are as they arrived. */
  #hash: ContentHash | null = null;

  /** @param write writes all bytes behind those of the call before, which has ended by then */
  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write;
  }

  /** Bytes that were taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes a piece, which may change when this resolves. Rejects when earlier ones cannot be written. */
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

  /** Resolves when everything is written. */
  async finish(): Promise<Stored> {
    if (this.#block.filled > 0) this.#begin(this.#block);
    await this.#written;
    return { bytes: this.#bytes, sha256: await this.#digest() };
  }

  /** Waits until nothing is being written any more, and gives the rest up, with its blocks. */
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

  /** Begins to write a block that is full, and waits for one to fill. */
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
    // The first one is small, and is filled again only where it is the only one.
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
