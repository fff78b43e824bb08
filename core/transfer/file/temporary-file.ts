/**
 * A temporary file that is read at any position. It is unlinked while it is open, so that it
 * disappears with the process, however that ends.
 */
import {
  closeSync,
  createReadStream,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '#core/base/errors/service-error.ts';

/** Codes of a full disk, and of an exceeded quota. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(String(error.code));
}

/** Bytes that are read at any position. */
export interface ReadableAt {
  readonly size: number;
  /** Fills the bytes from a position; the number of bytes is smaller at the end. */
  read(bytes: Uint8Array, position: number): number;
}

/** Reads an open file. */
export function readAt(fd: number, bytes: Uint8Array, position: number): number {
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(fd, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

export class TemporaryFile implements ReadableAt {
  /** For libraries that read the file themselves. */
  readonly fd: number;
  #size = 0;
  #isOpen = true;

  /** An empty file. */
  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
    try {
      this.fd = openSync(join(folder, 'content'), 'wx+', 0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** A file with this content. @throws what the content throws; the file is closed then */
  static async of(content: AsyncIterable<Buffer>): Promise<TemporaryFile> {
    const file = new TemporaryFile();
    try {
      for await (const chunk of content) file.append(chunk);
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** @throws ServiceError SERVICE_UNAVAILABLE when the disk is full */
  append(bytes: Uint8Array): void {
    try {
      for (let from = 0; from < bytes.length; ) {
        from += writeSync(this.fd, bytes, from, bytes.length - from, this.#size + from);
      }
    } catch (error) {
      if (isFull(error)) throw new ServiceError('SERVICE_UNAVAILABLE', { service: 'storage' });
      throw error;
    }
    this.#size += bytes.length;
  }

  read(bytes: Uint8Array, position: number): number {
    return readAt(this.fd, bytes, position);
  }

  /** Discards the content after a number of bytes. */
  truncate(bytes: number): void {
    ftruncateSync(this.fd, bytes);
    this.#size = bytes;
  }

  /** The whole content, as a stream. */
  stream(): AsyncIterable<Buffer> {
    const range = this.#size === 0 ? {} : { start: 0, end: this.#size - 1 };
    return createReadStream('', { fd: this.fd, autoClose: false, ...range });
  }

  /** Frees the disk; it may be called again. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.fd);
  }
}
