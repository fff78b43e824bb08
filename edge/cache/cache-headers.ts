/** The headers of answers that use the response cache. */
import type { Caller } from '#core/access/grants.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { CachedText } from '#core/write/cache/response-cache.ts';
import { entityTag, TAG_MAX_LENGTH } from '#edge/http/entity-tag.ts';
import type { Request } from '#edge/http/request.ts';

type CacheConfig = Pick<
  Config,
  'CACHE_ENABLED' | 'CACHE_STATUS_HEADER' | 'CACHE_SKIP_ALLOWED' | 'CACHE_CONTROL_S_MAXAGE'
>;

/** Tags of cached answers, so that they are not hashed again. */
const tags = new WeakMap<Buffer, string>();

function tagOf(body: Buffer): string | null {
  if (body.length > TAG_MAX_LENGTH) return null;
  const known = tags.get(body);
  if (known !== undefined) return known;
  const tag = entityTag(body);
  tags.set(body, tag);
  return tag;
}

/** The client asks for an answer that does not come from a cache, and may do so. */
export function skipsCache(config: CacheConfig, request: Pick<Request, 'header'>): boolean {
  if (!config.CACHE_ENABLED || !config.CACHE_SKIP_ALLOWED) return false;
  return /(?:^|[\s,])no-store(?:$|[\s,;])/i.test(request.header('cache-control') ?? '');
}

/**
 * What other caches may keep (RFC 9111, 5.2.2). A browser asks again each time, with the tag, so
 * that it shows the same as the API. Only proxies may be allowed more.
 */
function cacheControl(config: CacheConfig, caller: Caller): Record<string, string> {
  // No header contains the address of the client, so a proxy cannot tell for whom the answer is.
  if (caller.user !== null || caller.role !== null || caller.byAddress) {
    return { 'Cache-Control': 'private, max-age=0' };
  }
  // Without it a proxy might show answers for anonymous callers to users who are logged in.
  const Vary = 'Authorization, Cookie';
  const seconds = Math.floor(config.CACHE_CONTROL_S_MAXAGE / 1_000);
  if (seconds === 0) return { 'Cache-Control': 'public, max-age=0', Vary };
  return { 'Cache-Control': `public, max-age=0, s-maxage=${seconds}`, Vary };
}

/** The headers of an answer; undefined when nothing is cached. */
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
