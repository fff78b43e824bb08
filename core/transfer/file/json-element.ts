/** One object of a JSON file, valid until the next one is read. */
import type { FlatObject } from './flat-object.ts';
import type { FilePosition } from './row-fault.ts';

/** The bytes of an object, which are UTF-8. */
export interface JsonBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** An object of the file. */
export class JsonElement {
  /** Its members; null when a parser has to read it. */
  readonly flat: FlatObject | null;
  /** The line and column of a character of the text. */
  readonly place: (position: number) => FilePosition;
  readonly #source: JsonBytes;
  #text: string | null = null;

  constructor(source: JsonBytes, flat: FlatObject | null, place: JsonElement['place']) {
    this.#source = source;
    this.flat = flat;
    this.place = place;
  }

  get text(): string {
    const { bytes, start, end } = this.#source;
    this.#text ??= bytes.toString('utf8', start, end);
    return this.#text;
  }
}
