/**
 * Knows which users are far from their quota of stored bytes. To add up all files of a user takes the longer the
 * more there are, so what is little beside what the quota leaves is not counted against it each time.
 */
import { LRUCache } from 'lru-cache';

/** The part of what is left that one process may add before it is added up again. */
const PART = 64;
/** How long (ms) a sum counts. */
const FRESH_MS = 60_000;
const MAX_USERS = 10_000;

export class AmpleQuota {
  /** Bytes that a user may add yet. */
  readonly #left = new LRUCache<string, number>({ max: MAX_USERS, ttl: FRESH_MS });

  /** Takes bytes of a user. @returns false where all files of the user must be added up */
  take(user: string, bytes: number): boolean {
    const left = this.#left.get(user);
    if (left === undefined || bytes > left) return false;
    this.#left.set(user, left - bytes, { noUpdateTTL: true });
    return true;
  }

  /** @param room what the quota of a user leaves, as just added up; bytes */
  note(user: string, room: number): void {
    this.#left.set(user, Math.floor(room / PART));
  }
}
