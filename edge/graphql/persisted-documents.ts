/**
 * Documents that clients identify by hash after the first request (automatic persisted queries, as
 * Apollo describes them). Each edge caches some, and requests the text of others.
 */
import { createHash } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';

/** Maximum number of cached documents, and of their characters in total. */
const MAX_DOCUMENTS = 10_000;
const MAX_CHARACTERS = 16_777_216;

const extension = v.object({
  persistedQuery: v.optional(
    v.object({
      version: v.literal(1),
      sha256Hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/i)),
    }),
  ),
});

export class PersistedDocuments {
  readonly #texts = new LRUCache<string, string>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (text) => text.length + 100,
  });

  /**
   * The text of a document.
   * @param query undefined when the client did not send it
   * @returns undefined when the request contains no hash either
   * @throws ServiceError INVALID_PAYLOAD for a hash that does not match the text; GraphQLError
   *   PersistedQueryNotFound, after which clients send the text
   */
  resolve(query: string | undefined, extensions: unknown): string | undefined {
    const { success, output } = v.safeParse(extension, extensions ?? {});
    if (!success) throw invalidPayload(reason('persisted_query_incomplete'));
    const hash = output.persistedQuery?.sha256Hash.toLowerCase();
    if (hash === undefined) return query;
    if (query === undefined) {
      const known = this.#texts.get(hash);
      if (known !== undefined) return known;
      throw new GraphQLError('PersistedQueryNotFound', {
        extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
      });
    }
    if (createHash('sha256').update(query).digest('hex') !== hash) {
      throw invalidPayload(reason('persisted_query_hash_differs'));
    }
    this.#texts.set(hash, query);
    return query;
  }
}
