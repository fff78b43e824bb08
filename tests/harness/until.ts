/** Waits for conditions, so that no test depends on fixed delays. */
import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 60_000;
const PAUSE_MS = 20;

/**
 * Polls until there is a result, and returns it; false, null, undefined, 0 and '' are not results.
 * @param what names the condition in the error; by default its source
 * @throws when that takes longer than `limit` milliseconds
 */
export async function until<T>(
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  what = ask.toString(),
  limit = LIMIT_MS,
): Promise<T> {
  const end = performance.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > end) throw new Error(`waited in vain for: ${what}`);
    await delay(PAUSE_MS);
  }
}
