/**
 * Remembers which users are far below their quota of stored bytes. Summing all files of a user
 * takes longer the more files there are. So small uploads are not checked against the quota each
 * time.
 */
import { LRUCache } from 'lru-cache';

/** The divisor of the remaining quota: the part that one process may add before the next sum. */
const PART = 64;
/** How long (ms) a sum is valid. */
const FRESH_MS = 60_000;
const MAX_USERS = 10_000;

export class AmpleQuota {
  /** Bytes that a user may still add. */
  readonly #left = new LRUCache<string, number>({ max: MAX_USERS, ttl: FRESH_MS });

  /**
   * Takes bytes of a user.
   * @returns false when all files of the user must be summed
   */
  take(user: string, bytes: number): boolean {
    const left = this.#left.get(user);
    if (left === undefined || bytes > left) return false;
    this.#left.set(user, left - bytes, { noUpdateTTL: true });
    return true;
  }

  /** @param room the remaining quota of a user in bytes, as just summed */
  note(user: string, room: number): void {
    this.#left.set(user, Math.floor(room / PART));
  }
}
