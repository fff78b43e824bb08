/**
 * Checks names of new collections and fields. Every name that PostgreSQL accepts when quoted is
 * possible.
 */
import * as v from 'valibot';
import { SYSTEM_PREFIX } from '#core/model/system-collections/name.ts';

/** Maximum bytes of an identifier; PostgreSQL cuts a longer one silently (manual, 4.1.1). */
export const NAME_BYTES_MAX = 63;

/** Reserved prefixes. */
const FOREIGN_PREFIX = 'directus_';

/**
 * Validates the name of a new object.
 * @param what `collection` or `field`
 */
export function validateName(what: 'collection' | 'field') {
  const reserved = what === 'collection' ? [SYSTEM_PREFIX, FOREIGN_PREFIX] : [FOREIGN_PREFIX];
  return v.pipe(
    v.string(),
    v.check((name) => name.trim() !== '', `A ${what} needs a name.`),
    v.check((name) => name.trim() === name, `The name of a ${what} has no space around it.`),
    v.check((name) => !name.includes('/'), `The name of a ${what} has no slash.`),
    v.check((name) => !/\p{Cc}/u.test(name), `The name of a ${what} has no control characters.`),
    v.check((name) => name.isWellFormed(), `The name of a ${what} is no valid text.`),
    v.check(
      (name) => Buffer.byteLength(name) <= NAME_BYTES_MAX,
      `The name of a ${what} has at most ${NAME_BYTES_MAX} bytes.`,
    ),
    v.check(
      (name) => !reserved.some((prefix) => name.toLowerCase().startsWith(prefix)),
      `The name of a ${what} does not begin with ${reserved.join(' or ')}.`,
    ),
  );
}
