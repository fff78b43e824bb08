/** Scans a file whose chunks may be cut anywhere: an incomplete row waits until the rest has arrived. */

/** Maximum bytes of one row, so that no file can fill the memory. */
export const ROW_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Joins the incomplete end of one chunk with the next ones, in memory that is used again and again:
 * new memory for each chunk costs more time to collect than to fill. A row much longer than a chunk
 * is scanned again only when twice as much has arrived, so that the cost stays linear.
 */
export abstract class RowScanner {
  #memory: Buffer = Buffer.alloc(0);
  #bytes = 0;
  #wanted = 0;

  /**
   * Scans all complete rows of some bytes, which are overwritten afterwards.
   * @param final no more bytes follow
   * @returns where the first incomplete row begins
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
