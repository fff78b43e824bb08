/** Variables: The response cache. */
import { define, duration, flag, headerName, size } from '../variable.ts';

export const cacheVariables = {
  CACHE_ENABLED: define({
    parse: flag,
    fallback: 'false',
    meaning:
      'Cache answers of reads until their tables are written; needs REDIS_URL with several edges',
  }),
  CACHE_TTL: define({
    parse: duration,
    fallback: '5m',
    meaning:
      'Maximum lifetime of a cached answer, for which writes by other programs may go unnoticed',
  }),
  CACHE_MAX_SIZE: define({
    parse: size,
    fallback: '64mb',
    meaning: 'Memory for cached answers in each edge',
  }),
  CACHE_VALUE_MAX_SIZE: define({
    parse: size,
    fallback: undefined,
    meaning: 'Largest answer that is cached; unset: CACHE_MAX_SIZE',
  }),
  CACHE_STATUS_HEADER: define({
    parse: headerName,
    fallback: undefined,
    meaning: 'Name of a response header with HIT or MISS; unset: none',
  }),
  CACHE_SKIP_ALLOWED: define({
    parse: flag,
    fallback: 'false',
    meaning: 'Let clients bypass the cache with Cache-Control: no-store',
  }),
  CACHE_CONTROL_S_MAXAGE: define({
    parse: duration,
    fallback: '0s',
    meaning: 'Time for which proxies may serve answers for anonymous callers without revalidation',
  }),
};
