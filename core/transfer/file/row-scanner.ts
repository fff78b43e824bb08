/** Scans a file whose chunks may end anywhere: an incomplete row waits for the rest. */

/** Maximum bytes of one row, so that no file can fill the memory. */
export const ROW_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Joins the incomplete end of one chunk with the next ones, in reused memory: new memory per chunk
 * costs more time to collect than to fill. A row much longer than a chunk is rescanned only after
 * its size has doubled, so that the cost stays linear.
 */
export abstract class RowScanner {
  #memory: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #wanted = 0;

  /**
   * Scans all complete rows of some bytes, which are overwritten afterwards.
   * @param final no more bytes follow
   * @returns the start of the first incomplete row
   * @throws {UnreadableFile} when the file is malformed, or a row larger than `ROW_BYTES_MAX`
   */
  protected abstract scan(bytes: Buffer, final: boolean): number;

  /** Scans the next bytes. @throws {UnreadableFile} when the file is malformed */
  push(chunk: Buffer): void {
    this.#append(chunk);
    if (this.#bytes >= this.#wanted) this.#scan(false);
  }

  /** Ends the file. @throws {UnreadableFile} when it is incomplete */
  end(): void {
    this.#scan(true);
  }

  #append(chunk: Buffer): void {
    const needed = this.#bytes + chunk.length;
    if (needed > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#memory.length * 2));
      this.#memory.copy(larger, 0, 0, this.#bytes);
      this.#memory = larger;
    }
    chunk.copy(this.#memory, this.#bytes);
    this.#bytes = needed;
  }

  #scan(final: boolean): void {
    const scanned = this.scan(this.#memory.subarray(0, this.#bytes), final);
    this.#memory.copyWithin(0, scanned, this.#bytes);
    this.#bytes -= scanned;
    this.#wanted = Math.min(this.#bytes * 2, ROW_BYTES_MAX + 1);
  }
}
