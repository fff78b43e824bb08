/** Opens the rate limits of an edge. */
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import { MemoryStore } from './memory-store.ts';
import { Limits } from './rate-limits.ts';

/** @param clusterId separates installations that share a Redis */
export async function openLimits(config: Config, clusterId: string, log: Log): Promise<Limits> {
  const { REDIS_URL, RATE_LIMIT_STORE = REDIS_URL === undefined ? 'memory' : 'redis' } = config;
  const prefix = `sluice_${clusterId.replaceAll('-', '')}`;
  if (RATE_LIMIT_STORE !== 'redis' || REDIS_URL === undefined) {
    return new Limits(config, new MemoryStore());
  }
  const { RedisStore } = await import('./redis-store.ts');
  return new Limits(config, new RedisStore(REDIS_URL, prefix, log));
}
