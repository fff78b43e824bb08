/** The backends of a cluster's queue and messages; suites that use either run once for each. */

export interface Backend {
  readonly name: 'postgres' | 'redis';
  /** Variables that choose the backend. */
  readonly env: Readonly<Record<string, string>>;
}

/** PostgreSQL always; Redis where `redis-server` is installed. */
const all: readonly Backend[] = [
  { name: 'postgres', env: {} },
  ...(process.env.TEST_REDIS_URL === undefined
    ? []
    : [{ name: 'redis', env: { REDIS_URL: process.env.TEST_REDIS_URL } } as const]),
];

/** All backends, or the one of the day in a daily run. */
export const backends: readonly Backend[] = all.filter((_, index) => {
  const { TEST_DAY: day } = process.env;
  return day === undefined || index === Number(day) % all.length;
});
