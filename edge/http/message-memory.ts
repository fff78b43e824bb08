/** The memory of the process that the messages of one WebSocket use until they are handled. */
import type { Hold } from '#core/base/holders/budget.ts';
import { type ProcessMemory, UNCOUNTED } from '#core/base/holders/process-memory.ts';
import { UNBOUNDED } from '#core/base/json/json-bounds.ts';
import { countJson } from '#core/base/json/strict-json.ts';

/** Heap bytes per byte of a message whose values cannot be counted, such as a malformed one. */
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
  /** The memory of all messages; null while they are few. */
  #hold: Hold | null = null;
  #waiting = 0;

  constructor(process: ProcessMemory) {
    this.#process = process;
  }

  /**
   * Reserves memory for a message and its values.
   * @returns a function that releases the memory
   * @throws ServiceError SERVICE_UNAVAILABLE when the holder exceeds its share
   */
  take(holder: string, message: Uint8Array): () => void {
    // The library reuses the memory of the message when its handler returns.
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

  /** Releases all memory when the connection is closed. */
  release(): void {
    this.#hold?.release();
  }
}
