/**
 * Accounts that were read by something that stands for them, such as a session or a token. One is
 * forgotten by that or by its user; what is being read meanwhile is not kept.
 */
import { LRUCache } from 'lru-cache';
import type { Account } from '#core/access/account-policies.ts';
import { translateFailure } from '#core/database/failure.ts';

/** What is kept of an account. */
export interface Remembered {
  readonly account: Account;
}

interface Entry<T> {
  readonly reading: Promise<T | null>;
  /** Whose it is; null while it is being read. */
  user: string | null;
}

export class AccountMemory<T extends Remembered> {
  readonly #read: (key: string) => Promise<T | null>;
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #ofUser = new Map<string, Set<string>>();
  readonly #pending = new Set<string>();

  /** @param read yields null for what stands for nobody, which is not kept: it may come to */
  constructor(max: number, read: (key: string) => Promise<T | null>) {
    this.#read = read;
    this.#entries = new LRUCache({ max, dispose: (entry, key) => this.#unlink(key, entry) });
  }

  /** @throws ServiceError SERVICE_UNAVAILABLE when the database cannot be asked */
  async get(key: string): Promise<T | null> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known.reading;
    const entry: Entry<T> = { reading: this.#read(key), user: null };
    // Kept before reading has ended: who is forgotten meanwhile does not come back.
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

  /** Forgets what was read of some users; whose something is that is being read is not known yet. */
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
