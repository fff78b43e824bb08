/** The names of Sluice's own collections. */

/** The prefix of all of them, and of no other collections. */
export const SYSTEM_PREFIX = 'system_';

/** The name of a system collection in the catalog: `system_users` for `users`. */
export function systemName<const N extends string>(name: N): `${typeof SYSTEM_PREFIX}${N}` {
  return `${SYSTEM_PREFIX}${name}`;
}
