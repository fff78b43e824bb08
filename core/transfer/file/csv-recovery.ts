/** Helps a scanner to go on after a malformed row. */
import { CR, LF } from './csv-marks.ts';
import type { UnreadableFile } from './row-fault.ts';

/** The position after the next line break; the end of a file without one, or -1 to wait. */
export function nextLine(bytes: Buffer, from: number, final: boolean): number {
  const end = bytes.length;
  let at = from;
  while (at < end && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  if (bytes[at] === CR) {
    if (at + 1 === end && !final) return -1;
    return bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  if (at === end) return final ? end : -1;
  return at + 1;
}

/** The bytes that may be read in vain: these, and as many times the bytes of the file. */
const FREE = 1024 * 1024;
const TIMES = 8;

/** Bounds the work of reading lines tentatively, so that no file takes quadratic time. */
export class RecoveryBudget {
  #left = FREE;

  /** Adds bytes of the file that are read. */
  grant(bytes: number): void {
    this.#left += bytes * TIMES;
  }

  /** Counts bytes that were read in vain. @throws the refusal when there are too many */
  spend(bytes: number, refusal: UnreadableFile): void {
    this.#left -= Math.max(bytes, 1);
    if (this.#left < 0) throw refusal;
  }
}
