/** Waits for conditions, so that no test waits on a clock. */
import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 60_000;
const PAUSE_MS = 20;

/**
 * Asks until there is an answer, and yields it; false, null, undefined, 0 and '' are none.
 * @param what names the condition in the error; its source by default
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
