/** Rules between variables that are each valid alone. */
import type { Config } from './variables.ts';

type RuledConfig = Pick<
  Config,
  | 'PORT'
  | 'HOST'
  | 'MONITOR_PORT'
  | 'MONITOR_HOST'
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

const ALL_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Whether two hosts share an address, so that both cannot use the same port. */
function overlap(one: string, other: string): boolean {
  return one === other || ALL_ADDRESSES.has(one) || ALL_ADDRESSES.has(other);
}

/** One line for each broken rule, naming its variables. */
export function brokenRules(config: RuledConfig): string[] {
  const faults: string[] = [];
  if (config.PORT === config.MONITOR_PORT && overlap(config.HOST, config.MONITOR_HOST)) {
    faults.push('MONITOR_PORT: must be another port than PORT; 0 starts no monitor');
  }
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
