/** The names of Sluice's own collections. */

/** The prefix that all of them have, and no others. */
export const SYSTEM_PREFIX = 'system_';

/** The name by which the catalog knows a system collection: `system_users` of `users`. */
export function systemName<const N extends string>(name: N): `${typeof SYSTEM_PREFIX}${N}` {
  return `${SYSTEM_PREFIX}${name}`;
}
