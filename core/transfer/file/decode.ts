/** Decodes files in other encodings than UTF-8 while they are read. */
import { isUtf8 } from 'node:buffer';
import { reason } from '#core/base/errors/reason.ts';
import { syntaxFault, UnreadableFile } from './row-fault.ts';

/** The decoder's replacement for invalid bytes. */
const REPLACEMENT = '\uFFFD';
const LF = 0x0a;

/** The encoding that a byte order mark announces; null without one. */
export function markedEncoding(beginning: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  const [first, second, third] = beginning;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : null;
}

interface Decoded {
  /** In UTF-8. */
  readonly bytes: Buffer;
  /** The bytes after them are invalid. */
  readonly bad: boolean;
}

/** Decodes chunk by chunk; `end` flushes. */
type Decoder = (chunk: Buffer, end: boolean) => Decoded;

/** UTF-16: half a character at the end of a chunk is buffered, and U+FFFD is a valid character. */
function utf16(encoding: 'utf-16le' | 'utf-16be'): Decoder {
  let rest = Buffer.alloc(0);
  let begun = false;
  return (chunk, end) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let whole = bytes.length - (bytes.length % 2);
    const high = encoding === 'utf-16le' ? bytes[whole - 1] : bytes[whole - 2];
    if (!end && whole >= 2 && high !== undefined && (high & 0xfc) === 0xd8) whole -= 2;
    rest = Buffer.from(bytes.subarray(whole));
    const units = encoding === 'utf-16le' ? bytes : Buffer.from(bytes.subarray(0, whole)).swap16();
    let text = units.toString('utf16le', 0, whole);
    if (!begun && text !== '') {
      begun = true;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    if (text.isWellFormed()) return { bytes: Buffer.from(text), bad: end && rest.length > 0 };
    return { bytes: Buffer.from(text.slice(0, text.search(/\p{Surrogate}/u))), bad: true };
  };
}

/**
 * Other encodings. The decoder is not fatal, since a fatal one discards the text before the bad
 * bytes. These encodings contain no U+FFFD of their own.
 */
function legacy(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding);
  return (chunk, end) => {
    const text = decoder.decode(chunk, { stream: !end });
    const bad = text.indexOf(REPLACEMENT);
    return { bytes: Buffer.from(bad < 0 ? text : text.slice(0, bad)), bad: bad >= 0 };
  };
}

/** The number of bytes at the end that begin an incomplete character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** The bytes before the first invalid UTF-8 bytes. */
function validPart(bytes: Buffer): Buffer {
  let valid = 0;
  for (let end = bytes.indexOf(LF) + 1; end > 0; end = bytes.indexOf(LF, end) + 1) {
    if (!isUtf8(bytes.subarray(valid, end))) break;
    valid = end;
  }
  for (;;) {
    const size = [1, 2, 3, 4].find((length) => isUtf8(bytes.subarray(valid, valid + length)));
    if (size === undefined || valid + size > bytes.length) return bytes.subarray(0, valid);
    valid += size;
  }
}

/** UTF-8 is only checked. */
function utf8(): Decoder {
  let rest = Buffer.alloc(0);
  return (chunk, end) => {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = end ? all : all.subarray(0, all.length - unfinished(all));
    rest = Buffer.from(all.subarray(whole.length));
    const bad = !isUtf8(whole);
    return { bytes: bad ? validPart(whole) : whole, bad };
  };
}

function decoderOf(encoding: string): Decoder {
  if (encoding === 'utf-8') return utf8();
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? utf16(encoding) : legacy(encoding);
}

/**
 * The content in UTF-8. Text before bad bytes is delivered first.
 * @throws {UnreadableFile} with the line and the column of invalid bytes
 */
export async function* decode(
  file: AsyncIterable<Buffer>,
  encoding: string,
): AsyncGenerator<Buffer> {
  const decoder = decoderOf(encoding);
  let line = 1;
  /** Delivered bytes of the last line; they are counted as characters. */
  let before = 0;
  const deliver = function* ({ bytes, bad }: Decoded) {
    if (bytes.length > 0) yield bytes;
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
      line += 1;
      before = 0;
    }
    const own = bytes.subarray(bytes.lastIndexOf(LF) + 1);
    if (!bad) {
      before += own.length;
      return;
    }
    const column = before + Array.from(own.toString('utf8')).length + 1;
    const why = reason('file_not_in_encoding', { encoding });
    throw new UnreadableFile(syntaxFault(why, null, { line, column }));
  };
  for await (const chunk of file) yield* deliver(decoder(chunk, false));
  yield* deliver(decoder(Buffer.alloc(0), true));
}
