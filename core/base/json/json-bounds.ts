/**
 * Counts the values of a JSON text by its brackets and commas. So too many values are refused, and
 * memory is reserved, before the text is parsed.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';

/** Maximum nesting of objects and arrays, so that recursion cannot overflow the stack. */
export const JSON_MAX_DEPTH = 256;

/** Limits on the content of a body, besides its size. */
export interface JsonBounds {
  /** Maximum members of one object (BODY_MAX_MEMBERS). */
  readonly members: number;
  /** Maximum objects, lists, members and entries in total (BODY_MAX_VALUES). */
  readonly values: number;
}

export const UNBOUNDED: JsonBounds = Object.freeze({
  members: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
});

/** Called with the number of entries of the outermost list so far; may throw. */
export type OnEntries = (count: number) => void;

/**
 * Reserves memory for the values of a body, in bytes of the heap; a promise when it has to wait.
 * @throws ServiceError SERVICE_UNAVAILABLE
 */
export type Admit = (amount: number) => void | Promise<void>;

const OPEN_OBJECT = 0x7b;

/**
 * Heap bytes per value. V8 needs 40 to 64 for an object or a list, and 8 for a list entry. It needs
 * 32 for a short text, and 70 for a member with a unique name.
 */
const OBJECT = 64;
const MEMBER = 90;
const ENTRY = 48;
/**
 * Additional heap bytes of a write per item and per key: its plan, SQL values, history and
 * response.
 */
const ITEM = 1_000;
const KEY = 100;
/**
 * Maximum number of items, the default of MAX_BATCH_MUTATION. Further objects are values of JSON
 * documents.
 */
const MAX_ITEMS = 100_000;

/** Processes each bracket and comma outside of strings. */
export class JsonCounter {
  readonly #bounds: JsonBounds;
  readonly #onEntries: OnEntries | undefined;
  /** The number of commas in each open object or list; negative in a list. */
  readonly #open: number[] = [];
  #values = 0;
  #objects = 0;
  /** Commas in objects. */
  #separators = 0;

  constructor(bounds: JsonBounds, onEntries?: OnEntries) {
    this.#bounds = bounds;
    this.#onEntries = onEntries;
  }

  /**
   * The maximum heap memory for processing these values, in bytes.
   * @param length of the text
   */
  memory(length: number): number {
    const objects = this.#objects;
    // Lists and their entries.
    const others = this.#values - objects - this.#separators;
    return (
      2 * length +
      objects * OBJECT +
      (objects + this.#separators) * MEMBER +
      others * ENTRY +
      Math.min(objects, MAX_ITEMS) * ITEM +
      Math.min(others, MAX_ITEMS) * KEY
    );
  }

  /** @param byte the bracket, `{` or `[` */
  open(byte: number): void {
    // A list begins at -1, so the sign distinguishes lists from objects.
    const isObject = byte === OPEN_OBJECT;
    if (isObject) this.#objects += 1;
    const depth = this.#open.push(isObject ? 0 : -1);
    if (depth > JSON_MAX_DEPTH) {
      throw invalidPayload(reason('body_nested_too_deep', { limit: JSON_MAX_DEPTH }));
    }
    this.#add();
  }

  close(): void {
    this.#open.pop();
  }

  comma(): void {
    const last = this.#open.length - 1;
    const count = this.#open[last];
    this.#add();
    if (count === undefined) return;
    if (count < 0) {
      this.#open[last] = count - 1;
      // A first comma implies two entries: one before it and one after it.
      if (last === 0) this.#onEntries?.(1 - count);
      return;
    }
    this.#open[last] = count + 1;
    this.#separators += 1;
    const { members: limit } = this.#bounds;
    // A first comma implies two members: one before it and one after it.
    if (count + 2 > limit) {
      const why = reason('body_object_too_large', { limit });
      throw invalidPayload(why, { limit, variable: 'BODY_MAX_MEMBERS' });
    }
  }

  #add(): void {
    this.#values += 1;
    const { values: limit } = this.#bounds;
    if (this.#values <= limit) return;
    const why = reason('body_has_too_many_values', { limit });
    throw invalidPayload(why, { limit, variable: 'BODY_MAX_VALUES' });
  }
}
