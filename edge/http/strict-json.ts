/** Reads a JSON body (RFC 8259) strictly, so that nothing in it can harm what works with it later. */
import { invalidPayload } from '#core/errors/service-error.ts';
import {
  JSON_MAX_DEPTH,
  type JsonBounds,
  JsonCounter,
  type OnEntries,
  UNBOUNDED,
} from './json-bounds.ts';

/** Above this size a syntax error is not located: finding its place parses the text several times. */
const LOCATE_MAX_LENGTH = 65_536;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** A member named `__proto__`, plainly or with `\u` escapes. */
const PROTOTYPE_MEMBER =
  /"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"\s*:/;

/**
 * Parses a body.
 * @param onEntries told how many entries the outermost list has
 * @throws {ServiceError} INVALID_PAYLOAD, its reason naming the place of a syntax error as far as it
 *   is known
 */
export function parseJson(
  bytes: Uint8Array,
  bounds: JsonBounds = UNBOUNDED,
  onEntries?: OnEntries,
): unknown {
  const { members, values } = bounds;
  const isShort = bytes.length <= Math.min(JSON_MAX_DEPTH, members, values);
  if (!isShort || onEntries !== undefined) count(bytes, new JsonCounter(bounds, onEntries));
  return parseCounted(bytes);
}

/**
 * Parses what was counted before.
 * @throws ServiceError INVALID_PAYLOAD
 */
export function parseCounted(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    const value: unknown = JSON.parse(text);
    if (namesPrototype(text)) {
      throw invalidPayload('It holds a member named __proto__, which is not allowed.');
    }
    checkNumbers(bytes);
    return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw invalidPayload(reasonOf(error, text));
  }
}

/** Looks for the plain letters first, which is many times faster than the expression. */
function namesPrototype(text: string): boolean {
  return (text.includes('__proto__') || text.includes('\\u00')) && PROTOTYPE_MEMBER.test(text);
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidPayload('It is not valid UTF-8.');
  }
}

/** Looks at bytes: in UTF-8 those of ASCII stand for themselves. */
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

/** Numbers shorter than this are held exactly, unless they have an exponent. */
const LONG_NUMBER = 16;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Whether a byte may stand inside a number: a digit, or one of `+ - . E e`. */
function isNumeric(byte: number | undefined): boolean {
  if (isDigit(byte)) return true;
  return byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65;
}

/**
 * Whether reading a number makes another one of it: a whole one whose last digits are lost, one too
 * large for any, and one that is not 0 but read as such. Digits behind the point are rounded, as
 * those of all floating-point numbers.
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

/** Refuses numbers that JavaScript's cannot hold. Looks at the bytes of a text that is JSON. */
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
      throw invalidPayload(
        `The number ${shown} at position ${start} is beyond the exact range of JSON numbers; send it as text.`,
      );
    }
  }
}

/**
 * Where the string ends that begins at `start`. Up to the first backslash it is looked for at once;
 * behind it byte by byte, which for a string of quotes is many times faster.
 */
export function endOfString(buffer: Buffer, start: number): number {
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

/** The parser's own sentence; where that lacks the place, the place is added. */
function reasonOf(error: SyntaxError, text: string): string {
  if (/at position \d|end of JSON input/.test(error.message) || text.length > LOCATE_MAX_LENGTH) {
    return `${error.message}.`;
  }
  const position = locate(text);
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  return `${error.message} at position ${position} (line ${line} column ${column}).`;
}

/**
 * Finds the character that the parser stumbles over: the end of the shortest prefix that fails for
 * another reason than being cut off. Once a prefix holds that character every longer one fails too.
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

/** The text fails before its end, that is, not merely because it ends too soon. */
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
