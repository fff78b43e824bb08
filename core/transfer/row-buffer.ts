/** Keeps an incomplete row at the end of a chunk until the rest has arrived. */

/** Maximum bytes of one row, so that no file can fill the memory. */
export const ROW_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Joins the incomplete end of one chunk with the next ones. A row much longer than a chunk is
 * scanned again only when twice as much has arrived, so that the cost stays linear.
 */
export class RowBuffer {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #wanted = 0;

  /** Bytes in the buffer. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a chunk. Returns the bytes to scan, or null when more should come first. */
  add(chunk: Buffer): Buffer | null {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes < this.#wanted ? null : this.take();
  }

  /** Everything in the buffer. */
  take(): Buffer {
    const [first] = this.#pieces;
    const all =
      first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    this.#wanted = 0;
    return all;
  }

  /** Keeps the unscanned rest. */
  keep(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#pieces = [rest];
    this.#bytes = rest.length;
    this.#wanted = Math.min(rest.length * 2, ROW_BYTES_MAX + 1);
  }
}
