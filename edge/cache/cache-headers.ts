/** The headers of responses that use the response cache. */

import type { Caller } from '#core/access/grants.ts';
import type { Config } from '#core/base/config/variables.ts';
import { oncePer } from '#core/base/once-per.ts';
import type { CachedText } from '#core/write/cache/response-cache.ts';
import { entityTag, TAG_MAX_LENGTH } from '#edge/http/entity-tag.ts';
import type { Request } from '#edge/http/request.ts';

type CacheConfig = Pick<
  Config,
  'CACHE_ENABLED' | 'CACHE_STATUS_HEADER' | 'CACHE_SKIP_ALLOWED' | 'CACHE_CONTROL_S_MAXAGE'
>;

/** Entity tags of cached responses, so that the bodies are not hashed again. */
const tagOf = oncePer((body: Buffer) => (body.length > TAG_MAX_LENGTH ? null : entityTag(body)));

/**
 * The client requests a response that does not come from a cache, and the configuration allows it.
 */
export function skipsCache(config: CacheConfig, request: Pick<Request, 'header'>): boolean {
  if (!config.CACHE_ENABLED || !config.CACHE_SKIP_ALLOWED) return false;
  return /(?:^|[\s,])no-store(?:$|[\s,;])/i.test(request.header('cache-control') ?? '');
}

/**
 * What other caches may store (RFC 9111, 5.2.2). A browser revalidates each time with the tag, so
 * it shows the same data as the API. Only proxies may be allowed more.
 */
function cacheControl(config: CacheConfig, caller: Caller): Record<string, string> {
  // No header contains the client's address, so a proxy cannot match the response to its client.
  if (caller.user !== null || caller.role !== null || caller.byAddress) {
    return { 'Cache-Control': 'private, max-age=0' };
  }
  // Without `Vary` a proxy might send responses for anonymous callers to authenticated users.
  const Vary = 'Authorization, Cookie';
  const seconds = Math.floor(config.CACHE_CONTROL_S_MAXAGE / 1_000);
  if (seconds === 0) return { 'Cache-Control': 'public, max-age=0', Vary };
  return { 'Cache-Control': `public, max-age=0, s-maxage=${seconds}`, Vary };
}

/** The caching headers of a response; undefined when it is not cached. */
export function cacheHeaders(
  config: CacheConfig,
  request: Pick<Request, 'header'>,
  caller: Caller,
  { text, hit }: CachedText,
): Readonly<Record<string, string>> | undefined {
  if (!config.CACHE_ENABLED) return undefined;
  const { CACHE_STATUS_HEADER: name } = config;
  const status = name === undefined ? {} : { [name]: hit ? 'HIT' : 'MISS' };
  if (skipsCache(config, request)) return { 'Cache-Control': 'no-store', ...status };
  const tag = typeof text === 'string' ? null : tagOf(text);
  return { ...cacheControl(config, caller), ...status, ...(tag === null ? {} : { ETag: tag }) };
}
