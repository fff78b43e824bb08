/** Parses a JSON body (RFC 8259) strictly: no inexact numbers, no `__proto__`, only UTF-8. */

import { type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import {
  JSON_MAX_DEPTH,
  type JsonBounds,
  JsonCounter,
  type OnEntries,
  UNBOUNDED,
} from './json-bounds.ts';

/**
 * The position of a syntax error is not searched in longer texts, because the search parses the
 * text several times.
 */
const LOCATE_MAX_LENGTH = 65_536;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A member named `__proto__`, plainly or with `\u` escapes. */
const PROTOTYPE_MEMBER =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/**
 * Parses a body.
 * @param onEntries called with the number of entries of the outermost list
 * @throws {ServiceError} INVALID_PAYLOAD; its reason names the position of a syntax error when
 *   available
 */
export function parseStrictJson(
  bytes: Uint8Array,
  bounds: JsonBounds = UNBOUNDED,
  onEntries?: OnEntries,
): unknown {
  countJson(bytes, bounds, onEntries);
  return parseCounted(bytes);
}

/**
 * Counts the values of a body before it is parsed.
 * @returns the heap memory for processing them, in bytes; 0 for a body that is too short to count
 * @throws ServiceError INVALID_PAYLOAD when there are too many
 */
export function countJson(bytes: Uint8Array, bounds: JsonBounds, onEntries?: OnEntries): number {
  const { members, values } = bounds;
  const isShort = bytes.length <= Math.min(JSON_MAX_DEPTH, members, values);
  if (isShort && onEntries === undefined) return 0;
  const counter = new JsonCounter(bounds, onEntries);
  count(bytes, counter);
  return counter.memory(bytes.length);
}

/**
 * Parses a text whose values are already counted.
 * @throws ServiceError INVALID_PAYLOAD
 */
export function parseCounted(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    const value: unknown = JSON.parse(text);
    if (namesPrototype(text)) {
      throw invalidPayload(reason('body_member_proto'));
    }
    checkNumbers(bytes);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidPayload(reasonOf(error, text));
  }
}

/** Searches for the plain letters first, which is many times faster than the regular expression. */
function namesPrototype(text: string): boolean {
  return (text.includes('__proto__') || text.includes('\\u00')) && PROTOTYPE_MEMBER.test(text);
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidPayload(reason('body_not_utf8'));
  }
}

/** Works on bytes: in UTF-8, ASCII bytes are always ASCII characters. */
function count(bytes: Uint8Array, counter: JsonCounter): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let i = 0; i < buffer.length; i++) {
    const byte = buffer[i];
    if (byte === 0x22) i = endOfString(buffer, i);
    else if (byte === 0x2c) counter.comma();
    else if (byte === 0x7b || byte === 0x5b) counter.open(byte);
    else if (byte === 0x7d || byte === 0x5d) counter.close();
  }
}

/** Shorter numbers are always exact, unless they have an exponent. */
const LONG_NUMBER = 16;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Whether a byte can be part of a number: a digit, or one of `+ - . E e`. */
function isNumeric(byte: number | undefined): boolean {
  if (isDigit(byte)) return true;
  return byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
}

/**
 * Whether JavaScript changes a number: an integer that loses digits, a number that is too large, or
 * one that becomes 0. Fractional digits are rounded, as for all floating-point numbers.
 */
function isLost(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return true;
  if (value === 0) return /^[^eE]*[1-9]/.test(source);
  if (Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return false;
  const [mantissa = '', exponent] = Math.abs(value).toExponential().split('e');
  const digits = source.replace('-', '');
  const isSame = mantissa.replace('.', '') === digits.replace(/0+$/, '');
  return !isSame || Number(exponent) !== digits.length - 1;
}

/** Refuses numbers that JavaScript cannot represent. Works on the bytes of valid JSON. */
function checkNumbers(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === 0x22) {
      at = endOfString(buffer, at);
    } else if (byte === 0x2d || isDigit(byte)) {
      const start = at;
      let isDelicate = false;
      for (; isNumeric(buffer[at]); at += 1)
        isDelicate ||= buffer[at] === 0x45 || buffer[at] === 0x65;
      if (!isDelicate && at - start < LONG_NUMBER) continue;
      const source = buffer.toString('latin1', start, at);
      if (!isLost(source)) continue;
      const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
      throw invalidPayload(reason('body_number_beyond_exact_range', { shown, start }));
    }
  }
}

/** Strings up to this length, such as most member names, are searched byte by byte. */
const SHORT = 24;

/**
 * The end of the string that begins at `start`. Up to the first backslash a long string is searched
 * natively. Behind it the search proceeds byte by byte, which is many times faster for a string
 * full of quotes.
 */
export function endOfString(buffer: Buffer, start: number): number {
  const short = start + SHORT;
  for (let at = start + 1; at < short; at += 1) {
    const byte = buffer[at];
    if (byte === 0x22) return at;
    if (byte === 0x5c || byte === undefined) break;
  }
  const end = buffer.indexOf(0x22, start + 1);
  if (end < 0) return buffer.length;
  if (buffer[end - 1] !== 0x5c) return end;
  for (let at = start + 1; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === 0x5c) at += 1;
    else if (byte === 0x22) return at;
  }
  return buffer.length;
}

/** The parser's message, with the position added when it lacks one. */
function reasonOf(error: SyntaxError, text: string): Reason {
  if (/at position \d|end of JSON input/.test(error.message) || text.length > LOCATE_MAX_LENGTH) {
    return reason('body_json_parser_message', { message: error.message });
  }
  const position = locate(text);
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  return reason('body_json_invalid', { message: error.message, position, line, column });
}

/**
 * Finds the invalid character: the end of the shortest prefix that fails for a reason other than
 * its end. Every longer prefix fails too.
 */
function locate(text: string): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (failsEarly(text.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** Whether the text is invalid before its end, and not only incomplete. */
function failsEarly(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (error.message.includes('end of JSON input')) return false;
    const position = /at position (\d+)/.exec(error.message)?.[1];
    return position === undefined || Number(position) < text.length;
  }
}
