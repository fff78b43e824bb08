/**
 * Hashes texts like passwords and compares them, for `/utils/hash`. A hash contains its cost
 * parameters, so a too expensive hash is rejected before any work is done.
 */

import {
  hashPassword,
  type PasswordConfig,
  verifyPassword,
} from '#core/accounts/identity/password.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';

/** Longest hash, in characters; those of argon2 have about a hundred. */
const MAX_LENGTH = 512;
/** The default costs of libraries: memory in KiB, passes, lanes. */
const USUAL = { m: 65_536, t: 3, p: 4 } as const;

const PHC = /^\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?([^$]+)\$[^$]+\$[^$]+$/;
const COST = /^([mtp])=([1-9]\d{0,9})$/;

/** The costs in a hash in PHC form; null when it is not one. */
function costsOf(hash: string): Readonly<Record<'m' | 't' | 'p', number>> | null {
  const [, list = ''] = hash.length > MAX_LENGTH ? [] : (PHC.exec(hash) ?? []);
  const found = new Map<string, number>();
  for (const part of list.split(',')) {
    const [, name, value] = COST.exec(part) ?? [];
    // Libraries differ in which one they use when a cost appears twice.
    if (name === undefined || found.has(name)) return null;
    found.set(name, Number(value));
  }
  const [m, t, p] = ['m', 't', 'p'].map((name) => found.get(name));
  return m === undefined || t === undefined || p === undefined ? null : { m, t, p };
}

/**
 * Hashes a text with argon2id.
 * @param holder the user whose quota counts, as for {@link hashPassword}
 * @throws ServiceError INVALID_PAYLOAD for one over 1,024 bytes; SERVICE_UNAVAILABLE
 */
export function generateHash(
  config: PasswordConfig,
  text: string,
  holder: string,
): Promise<string> {
  return hashPassword(config, text, holder);
}

/**
 * Whether a text matches a hash of any argon2 variant; false when it is not a hash.
 * @param holder the user whose quota counts, as for {@link hashPassword}
 * @throws ServiceError INVALID_PAYLOAD when comparing costs more than for hashes that are made here
 * or usual elsewhere; SERVICE_UNAVAILABLE
 */
export async function verifyHash(
  config: PasswordConfig,
  text: string,
  hash: string,
  holder: string,
): Promise<boolean> {
  const costs = costsOf(hash);
  if (costs === null) return false;
  const own = {
    m: Math.ceil(config.ARGON2_MEMORY / 1_024),
    t: config.ARGON2_TIME,
    p: config.ARGON2_PARALLELISM,
  };
  const isCheap =
    costs.m <= Math.max(own.m, USUAL.m) &&
    costs.m * costs.t <= Math.max(own.m * own.t, USUAL.m * USUAL.t) &&
    costs.p <= Math.max(own.p, USUAL.p);
  if (!isCheap) throw invalidPayload(reason('hash_too_costly'));
  return verifyPassword(hash, text, holder);
}
