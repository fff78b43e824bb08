/** The utilities of the API: random texts, hashes, manual order, revisions, caches. */

import { jobHeaders } from './job.ts';
import type { CallOptions, JobOptions } from './options.ts';
import type { Key } from './path.ts';
import type { Transport } from './transport.ts';

export interface Utilities {
  /** A random text of letters, digits, `-` and `_`; of 32 characters unless told, at most 500. */
  randomString(length?: number, options?: CallOptions): Promise<string>;
  readonly hash: {
    /** The argon2id hash of a text, made as those of passwords are. */
    generate(text: string, options?: CallOptions): Promise<string>;
    /** Whether the text matches the hash. */
    verify(text: string, hash: string, options?: CallOptions): Promise<boolean>;
  };
  /** Moves an item to the position of another; those in between move by one. */
  sort(collection: string, item: Key, to: Key, options?: CallOptions): Promise<void>;
  /** Reverts an item to one of its revisions. */
  revert(revision: Key, options?: CallOptions): Promise<void>;
  /** Clears the caches of all processes; for administrators. */
  clearCache(options?: JobOptions): Promise<void>;
}

export function createUtilities({ request }: Transport): Utilities {
  return {
    randomString: (length = 32, options) =>
      request('GET', '/utils/random/string', { ...options, query: { length } }),
    hash: {
      generate: (string, options) =>
        request('POST', '/utils/hash/generate', { ...options, body: { string } }),
      verify: (string, hash, options) =>
        request('POST', '/utils/hash/verify', { ...options, body: { string, hash } }),
    },
    async sort(collection, item, to, options) {
      const path = `/utils/sort/${encodeURIComponent(collection)}`;
      await request('POST', path, { ...options, body: { item, to } });
    },
    async revert(revision, options) {
      await request('POST', `/utils/revert/${encodeURIComponent(String(revision))}`, options);
    },
    async clearCache(options) {
      await request('POST', '/utils/cache/clear', jobHeaders(options));
    },
  };
}
