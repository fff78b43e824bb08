/** Stream limits that no test exceeds accidentally. */
export const STREAMS = {
  streams: { max: 100, perHolder: 100, wait: 60_000 },
  streamMaxTime: 3_600_000,
} as const;
