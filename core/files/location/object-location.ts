/** The places that imports read files from: objects that other programs store under their own keys. */
import type { ByteRange } from '#core/files/storage/storage.ts';

/** An object of a location. */
export interface LocatedObject {
  readonly key: string;
  readonly bytes: number;
  /** Differs whenever the content differs. */
  readonly etag: string;
}

/** A location of imports. Sluice only reads it. */
export interface ObjectLocation {
  /**
   * The object of a valid key; null without one.
   * @throws {ServiceError} SERVICE_UNAVAILABLE when the location cannot be read
   */
  find(key: string): Promise<LocatedObject | null>;
  /**
   * The content or a range of it.
   * @throws {ReplacedObject} in place of the end, when the object has other content; an error with
   *   the code ENOENT when it is missing; {ServiceError} SERVICE_UNAVAILABLE
   */
  read(object: LocatedObject, range?: ByteRange): AsyncIterable<Uint8Array>;
  /**
   * The objects whose keys begin with the prefix, in the order of their keys.
   * @param after only objects with later keys; empty for all
   * @throws {ServiceError} SERVICE_UNAVAILABLE
   */
  list(prefix: string, after: string): AsyncGenerator<LocatedObject, void>;
}

/** Maximum bytes of a key, as in S3. */
const LONGEST_KEY = 1_024;

function isText(text: string): boolean {
  return text.isWellFormed() && !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= LONGEST_KEY;
}

/** Whether names between slashes lead nowhere else. */
function isPath(names: readonly string[]): boolean {
  return names.every((name) => name !== '' && name !== '.' && name !== '..');
}

/** Whether a text is the key of an object: names between slashes. */
export function isObjectKey(text: string): boolean {
  return isText(text) && isPath(text.split('/'));
}

/** Whether a text may be the beginning of a key; the empty text is. */
export function isObjectPrefix(text: string): boolean {
  const names = text.split('/');
  const last = names.pop();
  return isText(text) && isPath(names) && last !== '..' && last !== '.';
}

/** The order of keys: that of their bytes in UTF-8. */
export function compareKeys(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Whether lists omit an object: programs write unfinished and hidden files under such names. */
export function isHidden(key: string): boolean {
  return /(?:^|\/)\./.test(key);
}
