/** One run at a time of work that many ask for, without anybody getting an answer from the past. */

/**
 * Wraps `work` so that runs never overlap. A call joins the run that begins after it, never one
 * that was already under way, so its result takes in everything that happened before the call.
 */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
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
