/**
 * Counts the values of a JSON text by its brackets and commas, so that too many are refused before
 * the text is parsed.
 */
import { invalidPayload } from '#core/errors/service-error.ts';

/** Maximum nesting of objects and arrays, so that recursion cannot exceed the stack. */
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

const OPEN_OBJECT = 0x7b;

/** Receives each bracket and comma outside of strings. */
export class JsonCounter {
  readonly #bounds: JsonBounds;
  readonly #onEntries: OnEntries | undefined;
  /** The number of commas in each open object or list; negative in a list. */
  readonly #open: number[] = [];
  #values = 0;

  constructor(bounds: JsonBounds, onEntries?: OnEntries) {
    this.#bounds = bounds;
    this.#onEntries = onEntries;
  }

  /** @param byte the bracket, `{` or `[` */
  open(byte: number): void {
    // A list begins at -1, so that the sign tells lists from objects.
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
      // Before the first comma and after it there is one entry each.
      if (last === 0) this.#onEntries?.(1 - count);
      return;
    }
    this.#open[last] = count + 1;
    const { members: limit } = this.#bounds;
    // Before the first comma and after it there is one member each.
    if (count + 2 > limit) {
      const reason = `It contains an object with more than ${limit} members (BODY_MAX_MEMBERS).`;
      throw invalidPayload(reason, { limit, variable: 'BODY_MAX_MEMBERS' });
    }
  }

  #add(): void {
    this.#values += 1;
    const { values: limit } = this.#bounds;
    if (this.#values <= limit) return;
    const reason = `It contains more than ${limit} values, including members and list entries (BODY_MAX_VALUES).`;
    throw invalidPayload(reason, { limit, variable: 'BODY_MAX_VALUES' });
  }
}
