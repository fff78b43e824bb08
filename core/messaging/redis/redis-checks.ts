/**
 * The health of Redis as a server of queues: whether it responds, accepts writes, and retains all
 * data.
 */
import type { Redis } from 'ioredis';
import type { HealthCheck, HealthChecks } from '#core/base/process/health-check.ts';

/** A slower response (ms) is a warning. */
const SLOW_MS = 150;
/** Lifetime (ms) of the key that tests whether Redis accepts writes. */
const KEPT_MS = 60_000;
const COMPONENT = { componentType: 'datastore' } as const;
const PERCENT = 100;

export interface RedisCheckOptions {
  readonly redis: Pick<Redis, 'info' | 'set'>;
  /** The key that is written. */
  readonly key: string;
  /** REDIS_MEMORY_WARN */
  readonly memoryWarn: number;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error that Redis sent, such as `OOM …` or `READONLY …`, so Redis responds. */
function isRefusal(error: unknown): boolean {
  return /^[A-Z]+ /.test(reasonOf(error));
}

/** The recommended action after a refusal. */
function adviceOf(reason: string): string {
  if (reason.startsWith('OOM')) return 'Raise maxmemory, or remove what else is stored there.';
  if (reason.startsWith('READONLY')) return 'It is a replica: REDIS_URL must name the primary.';
  if (reason.startsWith('MISCONF')) return 'It cannot save to its disk; see the log of Redis.';
  return '';
}

function memoryCheck(facts: ReadonlyMap<string, string>, memoryWarn: number): HealthCheck {
  const used = Number(facts.get('used_memory') ?? 0);
  const limit = Number(facts.get('maxmemory') ?? 0);
  const observed = { ...COMPONENT, observedUnit: 'bytes', observedValue: used } as const;
  if (limit === 0) return { status: 'ok', ...observed };
  const threshold = Math.round((limit * memoryWarn) / PERCENT);
  if (used < threshold) return { status: 'ok', ...observed, threshold };
  const output = `It uses ${Math.round((used / limit) * PERCENT)} % of maxmemory (${limit} bytes).`;
  return { status: 'warn', ...observed, threshold, output };
}

export class RedisChecks {
  readonly #options: RedisCheckOptions;
  /** Evicted keys at the previous check. */
  #evicted: number | null = null;

  constructor(options: RedisCheckOptions) {
    this.#options = options;
  }

  /** Writes a key; never throws. */
  async write(): Promise<HealthChecks> {
    const { redis, key } = this.#options;
    const started = performance.now();
    let refusal: string | null = null;
    try {
      await redis.set(key, '1', 'PX', KEPT_MS);
    } catch (error) {
      if (!isRefusal(error)) {
        const output = `Redis does not answer: ${reasonOf(error)}`;
        return { 'redis:responseTime': [{ status: 'error', ...COMPONENT, output }] };
      }
      refusal = reasonOf(error);
    }
    const observedValue = Math.round((performance.now() - started) * 1_000) / 1_000;
    const writable: HealthCheck =
      refusal === null
        ? { status: 'ok', ...COMPONENT }
        : {
            status: 'error',
            ...COMPONENT,
            output:
              `Redis refuses writes, so no job begins: ${refusal} ${adviceOf(refusal)}`.trim(),
          };
    return {
      'redis:responseTime': [
        {
          status: observedValue > SLOW_MS ? 'warn' : 'ok',
          ...COMPONENT,
          ...{ observedUnit: 'ms', observedValue, threshold: SLOW_MS },
        },
      ],
      'redis:writable': [writable],
    };
  }

  /** Reads the memory statistics of Redis; never throws. */
  async memory(): Promise<HealthChecks> {
    const { redis, memoryWarn } = this.#options;
    let text: string;
    try {
      text = await redis.info('all');
    } catch (error) {
      if (!isRefusal(error)) return {};
      const output = `Its memory is unknown, because INFO is refused: ${reasonOf(error)}`;
      return { 'redis:memory': [{ status: 'ok', ...COMPONENT, output }] };
    }
    const facts = new Map(
      [...text.matchAll(/^(\w+):(.*)\r?$/gm)].map(([, name = '', value = '']) => [
        name,
        value.trim(),
      ]),
    );
    return {
      'redis:memory': [memoryCheck(facts, memoryWarn)],
      'redis:evictions': [this.#evictionCheck(facts)],
    };
  }

  #evictionCheck(facts: ReadonlyMap<string, string>): HealthCheck {
    const observedValue = Number(facts.get('evicted_keys') ?? 0);
    const policy = facts.get('maxmemory_policy') ?? 'noeviction';
    const before = this.#evicted ?? observedValue;
    this.#evicted = observedValue;
    const observed = { ...COMPONENT, observedUnit: 'keys', observedValue, threshold: 0 } as const;
    if (observedValue > before) {
      const output = `Redis drops keys, jobs may be among them (maxmemory-policy ${policy}).`;
      return { status: 'error', ...observed, output };
    }
    if (!policy.startsWith('allkeys')) return { status: 'ok', ...observed };
    const output = `With maxmemory-policy ${policy} Redis may drop jobs; set it to noeviction.`;
    return { status: 'warn', ...observed, output };
  }
}
