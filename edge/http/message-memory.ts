/** What the messages of one WebSocket hold of the memory of the process until they are handled. */
import type { Hold } from '#core/base/holders/budget.ts';
import { type ProcessMemory, UNCOUNTED } from '#core/base/holders/process-memory.ts';
import { UNBOUNDED } from '#core/base/json/json-bounds.ts';
import { countJson } from '#core/base/json/strict-json.ts';

/** Bytes of the heap for a byte of a message whose values cannot be counted, such as a malformed one. */
const UNKNOWN = 64;

function valuesOf(message: Uint8Array): number {
  try {
    return countJson(message, UNBOUNDED);
  } catch {
    return UNKNOWN * message.length;
  }
}

export class MessageMemory {
  readonly #process: ProcessMemory;
  /** That of all messages; null while they are few. */
  #hold: Hold | null = null;
  #waiting = 0;

  constructor(process: ProcessMemory) {
    this.#process = process;
  }

  /**
   * Takes memory for a message, and for what it holds.
   * @returns gives it back
   * @throws ServiceError SERVICE_UNAVAILABLE when the holder has too much
   */
  take(holder: string, message: Uint8Array): () => void {
    // The server takes the memory of the message back when its handler returns.
    const { length } = message;
    this.#process.requireShare(holder, length);
    const waiting = this.#waiting + length;
    if (waiting > UNCOUNTED) {
      this.#hold ??= this.#process.bytes.take(holder, 0);
      this.#hold.moveTo(holder);
      this.#hold.grow(waiting - this.#hold.amount);
    }
    const giveBack = this.#process.takeNow(holder, valuesOf(message));
    this.#waiting = waiting;
    return () => {
      giveBack();
      this.#waiting -= length;
      this.#hold?.shrink(this.#hold.amount - this.#waiting);
    };
  }

  /** The connection is closed. */
  release(): void {
    this.#hold?.release();
  }
}
