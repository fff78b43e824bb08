/**
 * Counts what a JSON text holds while its brackets and commas are read, so that too much of it is
 * refused before anything is made of it.
 */
import { invalidPayload } from '#core/errors/service-error.ts';

/** Deepest nesting of objects and arrays: recursion over a payload stays far from the stack's end. */
export const JSON_MAX_DEPTH = 256;

/** How much a body may hold, whatever its size. */
export interface JsonBounds {
  /** Most members of one object (BODY_MAX_MEMBERS). */
  readonly members: number;
  /** Most objects, lists, members and entries altogether (BODY_MAX_VALUES). */
  readonly values: number;
}

export const UNBOUNDED: JsonBounds = Object.freeze({
  members: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
});

/** Told how many entries the outermost list has so far; it may refuse them. */
export type OnEntries = (count: number) => void;

const OPEN_OBJECT = 0x7b;

/** Told of each bracket and comma outside of strings. */
export class JsonCounter {
  readonly #bounds: JsonBounds;
  readonly #onEntries: OnEntries | undefined;
  /** For each object or list that is open, how many commas were in it; negative in a list. */
  readonly #open: number[] = [];
  #values = 0;

  constructor(bounds: JsonBounds, onEntries?: OnEntries) {
    this.#bounds = bounds;
    this.#onEntries = onEntries;
  }

  /** @param byte the bracket, `{` or `[` */
  open(byte: number): void {
    // A list begins at -1, so that the kind can be told from the sign.
    const depth = this.#open.push(byte === OPEN_OBJECT ? 0 : -1);
    if (depth > JSON_MAX_DEPTH) {
      throw invalidPayload(`It is nested more than ${JSON_MAX_DEPTH} levels deep.`);
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
      // One entry stands before the first comma, and one behind it.
      if (last === 0) this.#onEntries?.(1 - count);
      return;
    }
    this.#open[last] = count + 1;
    const { members: limit } = this.#bounds;
    // One member stands before the first comma, and one behind it.
    if (count + 2 > limit) {
      const reason = `It holds an object of more than ${limit} members (BODY_MAX_MEMBERS).`;
      throw invalidPayload(reason, { limit, variable: 'BODY_MAX_MEMBERS' });
    }
  }

  #add(): void {
    this.#values += 1;
    const { values: limit } = this.#bounds;
    if (this.#values <= limit) return;
    const reason = `It holds more than ${limit} values, those of members and lists counted (BODY_MAX_VALUES).`;
    throw invalidPayload(reason, { limit, variable: 'BODY_MAX_VALUES' });
  }
}
