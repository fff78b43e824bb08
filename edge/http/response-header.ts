/** Headers of responses: the standard ones, and the validation of names and values. */
import assert from 'node:assert/strict';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The headers of every response, unless the route sets another value. */
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

/** Names that were already validated. They are constants in the code, so there are few. */
const sound = new Set<string>();

/**
 * One line of a header block. A name that is not a token (RFC 9110, 5.6.2), or that frames the
 * message, is a programming error. Values may contain user input: control characters become spaces.
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

/** The headers of a server's responses: the standard ones, and those that its operator adds. */
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
   * The header block of a response as one text. One call into the library for all headers is
   * several times cheaper than one call per header.
   * @param own headers of the route, which replace standard ones of the same name; its `Vary` is
   *   added instead
   * @param bodiless the response has no content, so it has no Content-Type
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

/** The value of a header that the route sets; its name is case-insensitive. */
export function ownHeader(
  own: Readonly<Record<string, string>> | undefined,
  lowerCaseName: string,
): string | undefined {
  if (own === undefined) return undefined;
  for (const name in own) if (name.toLowerCase() === lowerCaseName) return own[name];
  return undefined;
}
