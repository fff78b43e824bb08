/** The ways a cluster's queue and messages can run; suites that touch either run once for each. */

export interface Backend {
  readonly name: 'postgres' | 'redis';
  /** Variables that choose the backend. */
  readonly env: Readonly<Record<string, string>>;
}

/** PostgreSQL always; Redis where `redis-server` is installed. */
export const backends: readonly Backend[] = [
  { name: 'postgres', env: {} },
  ...(process.env.TEST_REDIS_URL === undefined
    ? []
    : [{ name: 'redis', env: { REDIS_URL: process.env.TEST_REDIS_URL } } as const]),
];
