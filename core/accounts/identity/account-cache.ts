/**
 * Caches accounts under the session or token that identifies them. An entry is removed by that key
 * or by its user. Concurrent reads are then not cached.
 */
import { LRUCache } from 'lru-cache';
import type { Account } from '#core/access/account-policies.ts';
import { translateFailure } from '#core/database/failure.ts';

/** A cache entry. */
export interface Remembered {
  readonly account: Account;
}

interface Entry<T> {
  readonly reading: Promise<T | null>;
  /** The user; null during the read. */
  user: string | null;
}

export class AccountCache<T extends Remembered> {
  readonly #read: (key: string) => Promise<T | null>;
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #ofUser = new Map<string, Set<string>>();
  readonly #pending = new Set<string>();

  /** @param read returns null when the account does not exist; that is not cached */
  constructor(max: number, read: (key: string) => Promise<T | null>) {
    this.#read = read;
    this.#entries = new LRUCache({ max, dispose: (entry, key) => this.#unlink(key, entry) });
  }

  /** @throws ServiceError SERVICE_UNAVAILABLE when the database is unavailable */
  async get(key: string): Promise<T | null> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known.reading;
    const entry: Entry<T> = { reading: this.#read(key), user: null };
    // Stored before the read ends, so that an entry removed in the meantime does not reappear.
    this.#entries.set(key, entry);
    this.#pending.add(key);
    try {
      const found = await entry.reading;
      this.#settle(key, entry, found?.account.user ?? null);
      return found;
    } catch (error) {
      this.#settle(key, entry, null);
      throw translateFailure(error);
    }
  }

  /** Removes the accounts of some users, and all pending reads. */
  forgetUsers(users: Iterable<string>): void {
    for (const user of users) {
      for (const key of this.#ofUser.get(user) ?? []) this.#entries.delete(key);
    }
    for (const key of this.#pending) this.#entries.delete(key);
  }

  forget(keys: Iterable<string>): void {
    for (const key of keys) this.#entries.delete(key);
  }

  forgetAll(): void {
    this.#entries.clear();
  }

  #settle(key: string, entry: Entry<T>, user: string | null): void {
    if (this.#entries.peek(key) !== entry) return;
    this.#pending.delete(key);
    if (user === null) {
      this.#entries.delete(key);
      return;
    }
    entry.user = user;
    const keys = this.#ofUser.get(user) ?? new Set();
    this.#ofUser.set(user, keys.add(key));
  }

  #unlink(key: string, { user }: Entry<T>): void {
    if (user === null) {
      this.#pending.delete(key);
      return;
    }
    const keys = this.#ofUser.get(user);
    keys?.delete(key);
    if (keys?.size === 0) this.#ofUser.delete(user);
  }
}
