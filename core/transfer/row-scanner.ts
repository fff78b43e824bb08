/** Scans a file whose chunks may be cut anywhere: an incomplete row waits until the rest has arrived. */

/** Maximum bytes of one row, so that no file can fill the memory. */
export const ROW_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Joins the incomplete end of one chunk with the next ones. A row much longer than a chunk is
 * scanned again only when twice as much has arrived, so that the cost stays linear.
 */
export abstract class RowScanner {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #wanted = 0;

  /**
   * Scans all complete rows of some bytes.
   * @param final no more bytes follow
   * @returns where the first incomplete row begins
   * @throws {UnreadableFile} when the file is malformed, or a row larger than `ROW_BYTES_MAX`
   */
  protected abstract scan(bytes: Buffer, final: boolean): number;

  /** Scans the next bytes. @throws {UnreadableFile} when the file is malformed */
  push(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= this.#wanted) this.#scan(false);
  }

  /** Ends the file. @throws {UnreadableFile} when it is incomplete */
  end(): void {
    this.#scan(true);
  }

  #scan(final: boolean): void {
    const [first] = this.#pieces;
    const whole =
      first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    const rest = whole.subarray(this.scan(whole, final));
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    this.#wanted = Math.min(rest.length * 2, ROW_BYTES_MAX + 1);
  }
}
