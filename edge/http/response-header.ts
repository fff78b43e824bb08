/** Headers of answers: the standard ones, and which names and values are valid. */
import assert from 'node:assert/strict';

const JSON_TYPE = 'application/json; charset=utf-8';

/** What every answer contains unless the route sets another value. */
const STANDARD: Readonly<Record<string, string>> = {
  'Content-Type': JSON_TYPE,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
  Vary: 'Origin, Cache-Control',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Referrer-Policy': 'no-referrer',
};

/** These frame the message; only the server sets them. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'connection', 'date']);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const UNSAFE = /[\x00-\x08\x0a-\x1f\x7f]/;
const ALL_UNSAFE = new RegExp(UNSAFE, 'g');

/** Names that were checked already; they are written in the code, so there are few. */
const sound = new Set<string>();

/**
 * One line of a header block. A name that is not a token (RFC 9110, 5.6.2), or that frames the
 * message, is a programmer's error. Values may contain what users typed: control characters become
 * blanks.
 */
export function headerLine(name: string, value: string): string {
  if (!sound.has(name)) {
    assert(TOKEN.test(name), `not the name of a header: ${JSON.stringify(name)}`);
    assert(!FRAMING.has(name.toLowerCase()), `${name} is set by the server`);
    sound.add(name);
  }
  return `${name}: ${UNSAFE.test(value) ? value.replace(ALL_UNSAFE, ' ') : value}`;
}

/** The lines of a header block, without the last line break. */
function blockOf(headers: Iterable<readonly [string, string]>): string {
  return Array.from(headers, ([name, value]) => headerLine(name, value)).join('\r\n');
}

/** The headers of a server's answers: the standard ones, and those that its operator adds. */
export class StandardHeaders {
  readonly #all: Readonly<Record<string, string>>;
  readonly #block: string;
  readonly #bodilessBlock: string;

  /** @param added such as `Strict-Transport-Security` */
  constructor(added: Readonly<Record<string, string>> = {}) {
    this.#all = { ...STANDARD, ...added };
    this.#block = blockOf(Object.entries(this.#all));
    this.#bodilessBlock = blockOf(
      Object.entries(this.#all).filter(([name]) => name !== 'Content-Type'),
    );
  }

  /**
   * The header block of an answer as one text. One call into the server for all headers is several
   * times cheaper than one for each.
   * @param own the route's own, which replace those of the same name; `Vary` is added to instead
   * @param bodiless there is no content, so no header for its type
   */
  block(own: Readonly<Record<string, string>> | undefined, bodiless: boolean): string {
    const standard = bodiless ? this.#bodilessBlock : this.#block;
    if (own === undefined) return standard;
    const names = Object.keys(own);
    if (names.length === 0) return standard;
    const replaced = new Set(names.map((name) => name.toLowerCase()));
    const kept = Object.entries(this.#all).filter(
      ([name]) =>
        name === 'Vary' ||
        (!replaced.has(name.toLowerCase()) && !(bodiless && name === 'Content-Type')),
    );
    return blockOf([...kept, ...Object.entries(own)]);
  }
}

/** The value of an answer's own header; the case of its name does not matter. */
export function ownHeader(
  own: Readonly<Record<string, string>> | undefined,
  lowerCaseName: string,
): string | undefined {
  if (own === undefined) return undefined;
  for (const name in own) if (name.toLowerCase() === lowerCaseName) return own[name];
  return undefined;
}
