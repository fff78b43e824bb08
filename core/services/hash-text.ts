/**
 * Hashes texts like passwords and compares them, for whoever asks. What a hash costs to compare
 * stands in the hash itself, so those that cost too much are refused before any work is done.
 */
import { invalidPayload } from '#core/errors/service-error.ts';
import { hashPassword, type PasswordConfig, verifyPassword } from '#core/identity/password.ts';

/** Longest hash, in characters; those of argon2 have about a hundred. */
const MAX_LENGTH = 512;
/** Costs that libraries set unless told otherwise: KiB, passes over them, lanes. */
const USUAL = { m: 65_536, t: 3, p: 4 } as const;

const PHC = /^\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?([^$]+)\$[^$]+\$[^$]+$/;
const COST = /^([mtp])=([1-9]\d{0,9})$/;

/** The costs that a hash in PHC form names; null when it is none. */
function costsOf(hash: string): Readonly<Record<'m' | 't' | 'p', number>> | null {
  const [, list = ''] = hash.length > MAX_LENGTH ? [] : (PHC.exec(hash) ?? []);
  const found = new Map<string, number>();
  for (const part of list.split(',')) {
    const [, name, value] = COST.exec(part) ?? [];
    // Named twice, it would be a matter of taste which one counts.
    if (name === undefined || found.has(name)) return null;
    found.set(name, Number(value));
  }
  const [m, t, p] = ['m', 't', 'p'].map((name) => found.get(name));
  return m === undefined || t === undefined || p === undefined ? null : { m, t, p };
}

/**
 * Hashes a text with argon2id.
 * @throws ServiceError INVALID_PAYLOAD for one over 1,024 bytes; SERVICE_UNAVAILABLE
 */
export function generateHash(config: PasswordConfig, text: string): Promise<string> {
  return hashPassword(config, text);
}

/**
 * Whether a text belongs to a hash of any kind of argon2; false for what is no hash.
 * @throws ServiceError INVALID_PAYLOAD for a hash that costs more to compare than those that are
 *   made here or usual elsewhere; SERVICE_UNAVAILABLE
 */
export async function verifyHash(
  config: PasswordConfig,
  text: string,
  hash: string,
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
  if (!isCheap) throw invalidPayload('"hash" takes too much work to be compared.');
  return verifyPassword(hash, text);
}
