/** Combines calls of the same work, so that no caller gets an outdated result. */

/**
 * Wraps `work` so that runs never overlap. A call joins the next run, never a running one, so its
 * result includes everything that happened before the call.
 */
export function coalesceCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | null = null;
  const begin = () => {
    waiting = null;
    return work();
  };
  return () => {
    waiting ??= last.then(begin, begin);
    last = waiting;
    return waiting;
  };
}
