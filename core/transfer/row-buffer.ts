/** Holds what a scanner could not finish in one chunk until the rest of it has come. */

/** Most bytes that one row of a file may have, so that no file can fill the memory. */
export const ROW_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Joins the unfinished end of one chunk with the next ones. A row much longer than a chunk is
 * looked at again only when twice as much of it is there, so that its cost stays linear.
 */
export class RowBuffer {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #wanted = 0;

  /** Bytes that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes a chunk; the bytes to scan, or null when more should come first. */
  add(chunk: Buffer): Buffer | null {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    return this.#bytes < this.#wanted ? null : this.take();
  }

  /** Everything that waits. */
  take(): Buffer {
    const [first] = this.#pieces;
    const all =
      first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    this.#wanted = 0;
    return all;
  }

  /** Keeps the end of what was scanned. */
  keep(rest: Buffer): void {
    if (rest.length === 0) return;
    this.#pieces = [rest];
    this.#bytes = rest.length;
    this.#wanted = Math.min(rest.length * 2, ROW_BYTES_MAX + 1);
  }
}
