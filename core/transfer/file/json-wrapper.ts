/** Finds the list in a JSON document such as `{"meta": …, "data": [ … ]}`, the answer of a list. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
const OBJECT_START = 0x7b;
const OBJECT_END = 0x7d;

/** The maximum number of bytes before the list. */
const BEFORE_MAX = 1024 * 1024;

/** More bytes are needed. */
const WAIT = -1;
/** The object has no such list. */
export const NO_LIST = -2;

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function textEnd(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return WAIT;
}

/** The position after a value, which is not checked otherwise. */
function valueEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = textEnd(bytes, at) - 1;
      if (at < start) return WAIT;
    } else if (byte === OBJECT_START || byte === LIST_START) {
      depth += 1;
    } else if (byte === OBJECT_END || byte === LIST_END) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (byte === COMMA && depth === 0) {
      return at;
    }
  }
  return WAIT;
}

/** The position after the bracket that begins the list of `data` in an object. */
export function listStart(bytes: Buffer, object: number, final: boolean): number {
  const end = bytes.length;
  const short = final || end - object > BEFORE_MAX ? NO_LIST : WAIT;
  const skip = (from: number) => {
    let at = from;
    while (at < end && isSpace(bytes[at])) at += 1;
    return at;
  };
  for (let at = skip(object + 1); ; at = skip(at + 1)) {
    if (at >= end) return short;
    if (bytes[at] !== QUOTE) return NO_LIST;
    const nameEnd = textEnd(bytes, at);
    if (nameEnd < 0) return short;
    const isData = bytes.toString('utf8', at, nameEnd) === '"data"';
    const colon = skip(nameEnd);
    const value = skip(colon + 1);
    if (value >= end) return short;
    if (bytes[colon] !== COLON) return NO_LIST;
    if (isData) return bytes[value] === LIST_START ? value + 1 : NO_LIST;
    at = valueEnd(bytes, value);
    if (at < 0) return short;
    if (bytes[at] !== COMMA) return NO_LIST;
  }
}
