/** Runs autocannon in this process, for machines without wrk. */
import autocannon from 'autocannon';
import type { Load } from './load.ts';

const LOOK_EVERY_MS = 100;

export const runAutocannon: Load = async (
  { url, paths, token, method, body },
  { connections, seconds, signal },
) => {
  signal.throwIfAborted();
  let position = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: LOOK_EVERY_MS,
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    // All connections share one list.
    requests: [
      {
        setupRequest: (request) => {
          position += 1;
          const path = paths[(position - 1) % paths.length];
          return { ...request, path, method: method ?? 'GET', body };
        },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`autocannon got ${result.errors} errors and ${result.non2xx} refusals`);
  }
  return result['2xx'] / result.duration;
};
