/**
 * The texts that the cells of a workbook share, as UTF-8. Up to a limit they are in memory; the
 * others are in a temporary file.
 */
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { TemporaryFile } from '../temporary-file.ts';

/** Bytes in memory. */
const KEPT_BYTES = 48 * 1024 * 1024;
const PIECE = 256 * 1024;
/** The positions of the texts need four bytes each. */
const TEXTS_MAX = 12_000_000;
const BYTES_MAX = 0xffff_ffff;

/** The bytes of a text, which the next call may overwrite. */
export interface SharedText {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

export class StringTable {
  #kept: Buffer = Buffer.alloc(0);
  #keptBytes = 0;
  #ends = new Uint32Array(1_024);
  #count = 0;
  #file: TemporaryFile | null = null;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** A piece of the file in memory, and its position there. */
  #piece = Buffer.alloc(0);
  #pieceStart = 0;

  get count(): number {
    return this.#count;
  }

  /** @throws ServiceError CONTENT_TOO_LARGE for more texts than the table can hold */
  add(text: string): void {
    const bytes = Buffer.from(text);
    const start = this.#count === 0 ? 0 : (this.#ends[this.#count - 1] ?? 0);
    if (this.#count >= TEXTS_MAX || start + bytes.length > BYTES_MAX) {
      const why = reason('too_many_shared_texts', { limit: TEXTS_MAX });
      throw new ServiceError('CONTENT_TOO_LARGE', { limit: TEXTS_MAX, reason: why });
    }
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(this.#ends.length * 2);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    this.#ends[this.#count] = start + bytes.length;
    this.#count += 1;
    if (this.#file === null && start + bytes.length <= KEPT_BYTES) this.#keep(bytes);
    else this.#spill(bytes);
  }

  #keep(bytes: Buffer): void {
    const needed = this.#keptBytes + bytes.length;
    if (needed > this.#kept.length) {
      const size = Math.min(KEPT_BYTES, Math.max(needed, this.#kept.length * 2, PIECE));
      const larger = Buffer.allocUnsafeSlow(size);
      this.#kept.copy(larger, 0, 0, this.#keptBytes);
      this.#kept = larger;
    }
    bytes.copy(this.#kept, this.#keptBytes);
    this.#keptBytes = needed;
  }

  #spill(bytes: Buffer): void {
    this.#file ??= new TemporaryFile();
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= PIECE) this.finish();
  }

  /** Writes what is not in the file yet; afterwards texts can be read. */
  finish(): void {
    if (this.#pending.length > 0) this.#file?.append(Buffer.concat(this.#pending));
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /** The text of a number from 0; undefined beyond the last one. */
  get(index: number): SharedText | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    const start = index === 0 ? 0 : (this.#ends[index - 1] ?? 0);
    const end = this.#ends[index] ?? 0;
    if (end <= this.#keptBytes) return { bytes: this.#kept, start, end };
    return this.#read(start - this.#keptBytes, end - this.#keptBytes);
  }

  #read(start: number, end: number): SharedText {
    const isThere = start >= this.#pieceStart && end <= this.#pieceStart + this.#piece.length;
    if (!isThere) {
      this.#piece = Buffer.allocUnsafe(Math.max(end - start, PIECE / 8));
      this.#pieceStart = start;
      const filled = this.#file?.read(this.#piece, start) ?? 0;
      this.#piece = this.#piece.subarray(0, filled);
    }
    return { bytes: this.#piece, start: start - this.#pieceStart, end: end - this.#pieceStart };
  }

  close(): void {
    this.#file?.close();
  }
}
