/** Rules between variables that are each valid alone. */
import type { Config } from './config.ts';

type RuledConfig = Pick<
  Config,
  | 'REDIS_URL'
  | 'RATE_LIMIT_STORE'
  | 'RATE_LIMIT_ENABLED'
  | 'RATE_LIMIT_POINTS'
  | 'RATE_LIMIT_DURATION'
  | 'RATE_LIMIT_GLOBAL_ENABLED'
  | 'RATE_LIMIT_GLOBAL_POINTS'
  | 'RATE_LIMIT_GLOBAL_DURATION'
  | 'STORAGE_PART_SIZE'
  | 'STORAGE_UPLOAD_MEMORY'
>;

/** One line for each broken rule, naming its variables. */
export function brokenRules(config: RuledConfig): string[] {
  const faults: string[] = [];
  if (config.STORAGE_UPLOAD_MEMORY < 2 * config.STORAGE_PART_SIZE) {
    faults.push('STORAGE_UPLOAD_MEMORY: must have room for two parts of STORAGE_PART_SIZE');
  }
  if (config.RATE_LIMIT_STORE === 'redis' && config.REDIS_URL === undefined) {
    faults.push('RATE_LIMIT_STORE: redis needs REDIS_URL');
  }
  if (config.RATE_LIMIT_GLOBAL_ENABLED) {
    const one = config.RATE_LIMIT_POINTS / config.RATE_LIMIT_DURATION;
    const all = config.RATE_LIMIT_GLOBAL_POINTS / config.RATE_LIMIT_GLOBAL_DURATION;
    if (!config.RATE_LIMIT_ENABLED) {
      faults.push('RATE_LIMIT_GLOBAL_ENABLED: needs RATE_LIMIT_ENABLED');
    } else if (all <= one) {
      faults.push(
        'RATE_LIMIT_GLOBAL_POINTS: must allow more requests per second than RATE_LIMIT_POINTS',
      );
    }
  }
  return faults;
}
