/**
 * JSON without loss: numbers keep their digits. Slower than JSON.parse, so it is used only for
 * texts whose numbers may not fit a double, and to locate errors.
 */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { isDeeper, nestedEnd } from './text-end.ts';

/** A part of JSON as written. */
export class JsonSource {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** A number as written. */
export class JsonNumber extends JsonSource {}

/** Invalid JSON; `position` counts its characters from 0. */
export class JsonSyntaxError extends Error {
  readonly position: number;
  readonly reason: Reason;

  constructor(position: number, why: Reason) {
    super(why.sentence);
    this.name = 'JsonFault';
    this.position = position;
    this.reason = why;
  }
}

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** Maximum nesting of lists and objects. */
export const EXACT_JSON_MAX_DEPTH = 1_000;
const WORDS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** The error for a text that is nested too deeply. */
export const TOO_DEEP = reason('json_row_nested_too_deep', { limit: EXACT_JSON_MAX_DEPTH });

/** Numbers that may not fit a double: many digits, or an exponent. */
const DELICATE = /(?:^|[:,[])\s*-?(?:[\d.]{16}|\d[\d.]*[eE])/;

class Parser {
  readonly #text: string;
  /** Lists and objects at deeper levels stay as written; null: they are rejected. */
  readonly #levels: number | null;
  #at = 0;
  #depth = 0;

  constructor(text: string, levels: number | null = null) {
    this.#text = text;
    this.#levels = levels;
  }

  document(): unknown {
    const value = this.#value();
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #fail(): never {
    const char = this.#text.charAt(this.#at);
    const why =
      char === ''
        ? reason('json_text_ends_early')
        : reason('json_unexpected_character', { character: JSON.stringify(char) });
    throw new JsonSyntaxError(this.#at, why);
  }

  #take(char: string): boolean {
    this.#match(SPACE);
    if (this.#text.charAt(this.#at) !== char) return false;
    this.#at += 1;
    return true;
  }

  #value(): unknown {
    if (this.#take('{')) return this.#nested(() => this.#object());
    if (this.#take('[')) return this.#nested(() => this.#list());
    if (this.#text.charAt(this.#at) === '"') return this.#string();
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    const number = this.#match(NUMBER);
    return number === null ? this.#fail() : new JsonNumber(number);
  }

  #nested<T>(read: () => T): T | JsonSource {
    if (this.#depth === this.#levels) {
      const start = this.#at - 1;
      this.#at = nestedEnd(this.#text, start);
      return new JsonSource(this.#text.slice(start, this.#at));
    }
    this.#depth += 1;
    if (this.#depth > EXACT_JSON_MAX_DEPTH) throw new JsonSyntaxError(this.#at, TOO_DEEP);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        if (this.#match(ESCAPE) === null) this.#fail();
      } else if (code >= 0x20) {
        this.#at += 1;
      } else {
        this.#fail();
      }
    }
    this.#at += 1;
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  #list(): unknown[] {
    const list: unknown[] = [];
    if (this.#take(']')) return list;
    do list.push(this.#value());
    while (this.#take(','));
    return this.#take(']') ? list : this.#fail();
  }

  #object(): Record<string, unknown> {
    // Without a prototype, so that a member named __proto__ is an ordinary member.
    const object: Record<string, unknown> = Object.create(null);
    if (this.#take('}')) return object;
    do {
      this.#match(SPACE);
      if (this.#text.charAt(this.#at) !== '"') this.#fail();
      const name = this.#string();
      if (!this.#take(':')) this.#fail();
      object[name] = this.#value();
    } while (this.#take(','));
    return this.#take('}') ? object : this.#fail();
  }
}

/** Parses with numbers as {@link JsonNumber}. @throws {JsonSyntaxError} */
export function parseExactly(text: string): unknown {
  return new Parser(text).document();
}

/**
 * Parses fast when that is lossless, otherwise exactly.
 * @throws {JsonSyntaxError} with the position
 */
export function parseExactJson(text: string): unknown {
  if (DELICATE.test(text)) return parseExactly(text);
  try {
    return JSON.parse(text);
  } catch (error) {
    parseExactly(text);
    throw error;
  }
}

/**
 * Parses numbers as {@link JsonNumber} or as doubles, and lists and objects at deeper levels as
 * {@link JsonSource}.
 */
export function parseLevels(text: string, levels: number): unknown {
  return isDeeper(text, levels) ? new Parser(text, levels).document() : parseExactJson(text);
}

/** The JSON text of a value with its numbers as they were written. */
export function writeExactJson(value: unknown): string {
  if (value instanceof JsonSource) return value.source;
  if (Array.isArray(value)) return `[${value.map(writeExactJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${writeExactJson(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}
