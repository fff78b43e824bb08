/** The health of an installation, as an administrator reads it. */
import { until } from './until.ts';

/** What a check says that had no answer in time. */
const LATE = 'No answer within';

/**
 * Asks until each check had its answer: on a busy machine some of them come too late.
 * @param ask yields the body of `GET /server/health`
 */
export async function completeHealth<T extends object>(ask: () => Promise<T>): Promise<T> {
  return await until(async () => {
    const health = await ask();
    return JSON.stringify(health).includes(LATE) ? null : health;
  }, 'all checks have their answers');
}
